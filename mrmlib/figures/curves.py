"""Curves and bars: tidy rows summed up as mean and band, drawn by matplotlib, which is loaded only for that.

One colour belongs to one algorithm across the whole project. The numbers of a chart are its `rows`, to be shown as a
table beside it.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ..errors import ModelError
from ..experiment.rows import summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe & Ito's colours, which colour-blind readers can tell apart; black last."""

SPARE = ("#56b4e9", "#332288", "#999933")
"""Three more that belong to no algorithm, for what has no colour of its own."""

COLOURS = {
    "optimum": "#000000",
    "paper": "#7f7f7f",
    "Algorithm 1": "#0072b2", "optimal": "#0072b2",
    "Algorithm 2": "#d55e00", "MCTS": "#d55e00", "as published": "#d55e00", "sound reading": "#882255",
    "random": "#e69f00",
    "L*": "#009e73", "tree": "#cc79a7",
}
"""The colour of each algorithm that has one of its own; others take a spare one, in order of appearance."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Band:
    """A measure of spread about a mean: what it is called, and its half width, given n and the standard deviation.

    >>> Band("± 2 standard deviations", lambda n, sd: 2 * sd).half_width(10, 1.5)
    3.0
    """

    name: str
    half_width: Callable[[int, float], float]


def _half_interval(n: int, sd: float) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, n - 1)) * sd / math.sqrt(n)


SD = Band("± 1 standard deviation", lambda n, sd: sd)
CI95 = Band("95 % confidence interval of the mean", _half_interval)


@dataclass(frozen=True, repr=False)
class Chart:
    """A matplotlib figure, what it shows in words, and the numbers in it: a row for each point.

    >>> from matplotlib.figure import Figure
    >>> Chart(Figure(), "nothing yet", ())
    <Chart: nothing yet>
    """

    figure: "Figure"
    alt: str
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return f"<Chart: {self.alt}>"

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """A PNG, with the words as its alternative text where the reader's program takes them."""
        image = BytesIO()
        self.figure.savefig(image, format="png", dpi=110, metadata={"Software": None})
        return {"text/plain": repr(self), "image/png": image.getvalue()}, {"image/png": {"alt": self.alt}}


def _points(rows: Sequence[Row], x: str, y: str, by: str, band: Band) -> list[Row]:
    """For each pair of a `by` and an `x`, in order of appearance: n, the mean of `y`, and the band about it."""
    if clash := {x, by} & {"n", "mean", "low", "high", "sd", "measure"}:
        raise ModelError(f"the column {min(clash)!r} has a name that the summary of the rows needs")
    for row in rows:
        if missing := [name for name in (x, y, by) if name not in row]:
            raise ModelError(f"a row has no {missing[0]!r}: {dict(row)}")
    found = []
    for point in summary(rows, (by, x), (y,)):
        half = band.half_width(point["n"], point["sd"]) if point["n"] > 1 else 0.0
        found.append({by: point[by], x: point[x], "n": point["n"], "mean": point["mean"],
                      "low": point["mean"] - half, "high": point["mean"] + half})
    return found


def colours(names: Iterable[Any]) -> dict[Any, str]:
    """A colour for each name: its own from `COLOURS`, else the next one free.

    >>> colours(["MCTS", "mine"])
    {'MCTS': '#d55e00', 'mine': '#56b4e9'}
    """
    names = tuple(dict.fromkeys(names))
    taken = {COLOURS[name] for name in names if name in COLOURS}
    free = [colour for colour in dict.fromkeys((*SPARE, *PALETTE)) if colour not in taken]
    others = [name for name in names if name not in COLOURS]
    return {name: COLOURS[name] if name in COLOURS else free[others.index(name) % len(free)] for name in names}


def curve_figure(rows: Iterable[Row], x: str, y: str, by: str, *, title: str, x_label: str, y_label: str,
                 facet: str | None = None, band: Band = SD, references: Mapping[str, float] | None = None,
                 log: bool = False, alt: str | None = None) -> Chart:
    """The mean of `y` against `x`, a curve with its band for each `by`; one panel for each `facet`, on common axes.

    The title states the finding, the labels carry the units. `references` are levels to compare with, such as the
    exact optimum; `log` makes the y axis logarithmic.

    >>> trials = [{"agent": "random", "actions": a, "return": a / 2} for a in (10, 20)]
    >>> curve_figure(trials, "actions", "return", "agent", title="Chance pays little", x_label="actions",
    ...              y_label="return (reward)")
    <Chart: Chance pays little. Curves of return (reward) against actions: random>
    """

    def draw(axes: "Axes", points: Sequence[Row], name: Any, number: int, colour: str) -> None:
        points = sorted(points, key=lambda point: point[x])
        at = [point[x] for point in points]
        axes.plot(at, [point["mean"] for point in points], color=colour, marker=MARKERS[number % len(MARKERS)],
                  markersize=5, label=f"{name}{_counts(points)}")
        axes.fill_between(at, [point["low"] for point in points], [point["high"] for point in points], color=colour,
                          alpha=0.18, linewidth=0)

    return _chart(rows, x, y, by, title, (x_label, y_label), facet, band, references, log, alt, "Curves", draw)


def bar_figure(rows: Iterable[Row], x: str, y: str, by: str, *, title: str, x_label: str, y_label: str,
               facet: str | None = None, band: Band = SD, references: Mapping[str, float] | None = None,
               log: bool = False, alt: str | None = None) -> Chart:
    """The mean of `y` as bars with whiskers, in groups by `x`, a colour for each `by`; else as `curve_figure`.

    A ratio to a peer is a bar beside the reference {"equal": 1.0}.

    >>> runs = [{"learner": name, "nodes": 50, "queries": q} for name, q in (("L*", 900), ("tree", 600))]
    >>> bar_figure(runs, "nodes", "queries", "learner", title="The tree asks less", x_label="nodes",
    ...            y_label="queries").rows[1]["mean"]
    600.0
    """
    rows = tuple(rows)
    names, places = (list(dict.fromkeys(row[key] for row in rows if key in row)) for key in (by, x))
    width = 0.8 / max(len(names), 1)

    def draw(axes: "Axes", points: Sequence[Row], name: Any, number: int, colour: str) -> None:
        at = [places.index(point[x]) + (number - (len(names) - 1) / 2) * width for point in points]
        axes.bar(at, [point["mean"] for point in points], 0.92 * width, color=colour,
                 label=f"{name}{_counts(points)}")
        spread = [point["high"] - point["mean"] if point["n"] > 1 else math.nan for point in points]
        axes.errorbar(at, [point["mean"] for point in points], spread, fmt="none", ecolor="#1b1b1b", capsize=3,
                      linewidth=1.2)
        axes.set_xticks(range(len(places)), [str(place) for place in places])

    return _chart(rows, x, y, by, title, (x_label, y_label), facet, band, references, log, alt, "Bars", draw)


def _counts(points: Sequence[Row]) -> str:
    """How many values stand behind each point; nothing where each is one value, which has no spread."""
    least, most = (pick(point["n"] for point in points) for pick in (min, max))
    return "" if most == 1 else f" (n = {least})" if least == most else f" (n = {least}–{most})"


def _chart(rows: Iterable[Row], x: str, y: str, by: str, title: str, labels: tuple[str, str], facet: str | None,
           band: Band, references: Mapping[str, float] | None, log: bool, alt: str | None, kind: str,
           draw: Callable) -> Chart:
    """The frame that curves and bars share: panels, references, legend, title and the line on what the band is."""
    from matplotlib.figure import Figure  # never pyplot: it keeps a global state

    rows = tuple(rows)
    if not rows:
        raise ModelError("there are no rows to draw")
    names = list(dict.fromkeys(row[by] for row in rows if by in row))
    facets = list(dict.fromkeys(row[facet] for row in rows)) if facet else [None]
    colour, references = colours([*names, *(references or {})]), references or {}
    figure = Figure(figsize=(max(6.4, 3.4 * len(facets)), 4.2), layout="constrained", facecolor="white")
    panels = figure.subplots(1, len(facets), sharey=True, squeeze=False)[0]
    shown: list[Row] = []
    for axes, part in zip(panels, facets, strict=True):
        points = _points([row for row in rows if facet is None or row[facet] == part], x, y, by, band)
        shown += [point if facet is None else {facet: part, **point} for point in points]
        for number, name in enumerate(names):
            own = [point for point in points if point[by] == name]
            if own:
                draw(axes, own, name, number, colour[name])
        for name, level in references.items():
            axes.axhline(level, color=colour[name], linestyle="--", linewidth=1.2, label=name)
        _finish(axes, labels[0], None if facet is None else f"{facet} = {part}", log)
    panels[0].set_ylabel(labels[1])
    handles = {label: handle for axes in panels
               for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), loc="outside right center", frameon=False, fontsize=10)
    spread = f"mean, {band.name}" if any(point["n"] > 1 for point in shown) else "single values"
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    figure.supxlabel(spread, x=0.01, ha="left", fontsize=9, color="#5f5f5f")
    if alt is None:
        alt = f"{title}. {kind} of {labels[1]} against {labels[0]}: {', '.join(map(str, (*names, *references)))}"
    return Chart(figure, alt, tuple(shown))


def _finish(axes: "Axes", label: str, title: str | None, log: bool) -> None:
    axes.set_xlabel(label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4")
    axes.set_axisbelow(True)
    if title is not None:
        axes.set_title(title, fontsize=11)
    if log:
        axes.set_yscale("log")
