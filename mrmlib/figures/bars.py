"""Bars as SVG that tests can compare: a few numbers, one below the other, each with its spread.

For numbers that are already summed up; `bar_figure` sums up trials itself, and is drawn by matplotlib.
"""

from collections.abc import Mapping
from typing import Any

from ..errors import ModelError, finite
from .curves import colours
from .picture import INK, SOFT, Picture, number, text, text_width

LEADING, THICK = 26, 16  # from bar to bar; how thick one is
LEFT, GAP = 12, 8  # before the names; between a name, its bar and its number


def bars_figure(bars: Mapping[Any, tuple[float, float]], *, title: str = "", low: float | None = None,
                high: float | None = None, length: int = 220, digits: int = 0,
                alt: str | None = None) -> Picture:
    """A bar for each name and its (value, spread); a spread of 0 is not shown. Algorithms have their own colours.

    The scale goes from `low` to `high` over `length` pixels, by default just so far that every value and zero are on
    it; give both to make several figures comparable.

    >>> bars_figure({"paper": (1459, 376), "optimum": (14925, 0)}, title="return").alt
    'return: paper 1,459 ± 376, optimum 14,925'
    """
    if not bars:
        raise ModelError("there are no bars to draw")
    low, high = _scale(bars, low, high)
    unit = length / (high - low) if high > low else 0.0
    top, left = 34 if title else 8, LEFT + max(text_width(name) for name in bars) + GAP
    written = {name: _written(*bar, digits) for name, bar in bars.items()}
    body = text(LEFT, 22, title, 15, anchor="start", bold=True) if title else ""
    for row, (name, colour) in enumerate(colours(bars).items()):
        middle = top + LEADING * row + LEADING / 2
        value, spread = bars[name]
        zero, end, *reach = (left + (at - low) * unit for at in (0.0, value, value - spread, value + spread))
        body += text(left - GAP, middle + 4, name, anchor="end") + _bar(zero, end, middle, colour)
        body += _whisker(*reach, middle) if spread else ""
        body += text(max(zero, *reach) + GAP, middle + 4, written[name], anchor="start", colour=SOFT)
    zero, bottom = left - low * unit, top + LEADING * len(bars)
    body += f'<path d="M{number(zero)} {top}V{bottom}" stroke="{INK}" stroke-width="1.3"/>'
    wide = max(left + length + GAP + max(map(text_width, written.values())), LEFT + text_width(title, 15, bold=True))
    if alt is None:
        alt = (f"{title}: " if title else "") + ", ".join(f"{name} {shown}" for name, shown in written.items())
    return Picture(body, round(wide + LEFT), bottom + 8, alt)


def _scale(bars: Mapping[Any, tuple[float, float]], low: float | None, high: float | None) -> tuple[float, float]:
    """The ends of the scale, on which zero and every value with its spread must lie."""
    ends = [0.0]
    for name, (value, spread) in bars.items():
        value, spread = finite(value, f"the value of {name!r}"), finite(spread, f"the spread of {name!r}")
        ends += [value - spread, value + spread]
    low, high = min(ends) if low is None else low, max(ends) if high is None else high
    if not low <= min(ends) <= max(ends) <= high:
        raise ModelError(f"the scale from {low:g} to {high:g} does not hold every bar and zero")
    return low, high


def _written(value: float, spread: float, digits: int) -> str:
    shown = f"{value:,.{digits}f}"
    return f"{shown} ± {spread:,.{digits}f}" if spread else shown


def _bar(start: float, end: float, middle: float, colour: str) -> str:
    return (f'<rect x="{number(min(start, end))}" y="{number(middle - THICK / 2)}" '
            f'width="{number(abs(end - start))}" height="{THICK}" fill="{colour}"/>')


def _whisker(start: float, end: float, middle: float) -> str:
    """A line along the spread, with a stroke across each end."""
    ends = "".join(f"M{number(x)} {number(middle - 4)}v8" for x in (start, end))
    return f'<path d="M{number(start)} {number(middle)}H{number(end)}{ends}" stroke="{INK}" stroke-width="1.3"/>'
