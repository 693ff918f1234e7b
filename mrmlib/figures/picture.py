"""Pictures: hand-made SVG that comes out the same, letter by letter, wherever it is drawn.

A notebook test can therefore compare a picture exactly. Coordinates are pixels, y downwards, written to a tenth; all
text goes through `text`, and `text_width` never underestimates it in the usual sans-serif fonts.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Any

from ..errors import ModelError

FONT = "Arial, Helvetica, &quot;DejaVu Sans&quot;, sans-serif"
INK, SOFT, LINE, PAPER = "#1b1b1b", "#5f5f5f", "#b8b8b8", "#ffffff"
ACCENT, ACCENT_TINT = "#b34700", "#ffe3cc"  # what is highlighted: a darker vermilion, legible as text on white
SIZE, SMALL = 13, 12  # font sizes of labels and of captions

_NARROW, _WIDE = frozenset("fijlrtI|!.,:;'()[]- ·"), frozenset("mwMW@%→…—")


@dataclass(frozen=True, repr=False)
class Picture:
    """An SVG drawing and, in `alt`, what it shows in words.

    >>> dot = Picture('<circle cx="10" cy="10" r="5"/>', 20, 20, "a dot")
    >>> dot.beside(dot)
    <Picture 56 × 20: a dot; a dot>
    """

    body: str
    width: int
    height: int
    alt: str

    def __repr__(self) -> str:
        return f"<Picture {self.width} × {self.height}: {self.alt}>"

    @property
    def svg(self) -> str:
        """The drawing as a document of its own; its ground is white, so that it can be read on a dark page too."""
        alt = clean(self.alt)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{alt}" width="{self.width}" '
                f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" font-family="{FONT}">'
                f'<title>{alt}</title><rect width="100%" height="100%" fill="{PAPER}"/>{self.body}</svg>')

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """SVG, and the same as an HTML image: the form that JupyterLab shows in a notebook it does not trust yet."""
        source = b64encode(self.svg.encode()).decode()
        return {"text/plain": repr(self), "image/svg+xml": self.svg,
                "text/html": f'<img alt="{clean(self.alt)}" src="data:image/svg+xml;base64,{source}">'}

    def beside(self, *others: "Picture") -> "Picture":
        """The pictures side by side, as one."""
        return arranged((self, *others), columns=1 + len(others))


def arranged(pictures: Iterable[Picture], columns: int, title: str = "", alt: str | None = None,
             gap: int = 16) -> Picture:
    """The pictures as one, in rows of `columns`.

    >>> dot = Picture('<circle cx="10" cy="10" r="5"/>', 20, 20, "a dot")
    >>> arranged([dot] * 3, columns=2, alt="three dots")
    <Picture 56 × 56: three dots>
    """
    pictures = tuple(pictures)
    if not pictures or columns < 1:
        raise ModelError(f"{len(pictures)} pictures in {columns} columns: nothing to arrange")
    rows = [pictures[i:i + columns] for i in range(0, len(pictures), columns)]
    top = 30 if title else 0
    lefts = _offsets([max(row[i].width for row in rows if i < len(row)) for i in range(len(rows[0]))], 0, gap)
    tops = _offsets([max(picture.height for picture in row) for row in rows], top, gap)
    body = "".join(
        f'<g transform="translate({left} {y})">{picture.body}</g>'
        for row, y in zip(rows, tops, strict=False) for picture, left in zip(row, lefts, strict=False))
    width = lefts[-1] - gap
    if title:
        body = text(8, 20, title, 15, anchor="start", bold=True) + body
        width = max(width, 16 + text_width(title, 15, bold=True))
    return Picture(body, round(width), tops[-1] - gap,
                   "; ".join(picture.alt for picture in pictures) if alt is None else alt)


def _offsets(sizes: Sequence[int], first: int, gap: int) -> list[int]:
    """Where each of a row of things begins, and where one more would."""
    return list(accumulate((size + gap for size in sizes), initial=first))


def clean(value: Any) -> str:
    """A value as text that XML allows between tags and in attributes.

    >>> clean("a<b & \\x00")
    'a&lt;b &amp; �'
    """
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(value)))


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel.

    >>> number(2 / 3), number(-0.01)
    ('0.7', '0')
    """
    return f"{round(round(value, 4), 1) + 0.0:g}"  # twice, so that the last bit of a half does not decide


def points(*pairs: tuple[float, float]) -> str:
    """Coordinates as the attributes of SVG have them.

    >>> points((0, 1), (2.5, 3))
    '0,1 2.5,3'
    """
    return " ".join(f"{number(x)},{number(y)}" for x, y in pairs)


def text(x: float, y: float, content: Any, size: float = SIZE, anchor: str = "middle", colour: str = INK,
         bold: bool = False) -> str:
    """One line of text, its baseline at y."""
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{number(x)}" y="{number(y)}" font-size="{number(size)}" text-anchor="{anchor}" '
            f'fill="{colour}"{weight}>{clean(content)}</text>')


def text_width(content: Any, size: float = SIZE, bold: bool = False) -> float:
    """How wide a line of text is at most: DejaVu Sans, the widest of the fonts, rounded up.

    >>> text_width("m | 10") < text_width("WWWWWW")
    True
    """
    return size * sum(map(_em, str(content))) * (1.18 if bold else 1.0)


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.42
    if letter in _WIDE or ord(letter) >= 0x2E80:  # from there on the scripts are as wide as high
        return 1.0
    return 0.65 if letter.islower() or letter.isdigit() or letter == "_" else 0.84


def wrapped(content: str, width: float, size: float = SMALL) -> list[str]:
    """The words of a text in lines no wider than `width`, as far as single words allow.

    >>> wrapped("one two three", 60)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in content.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def listed(names: Sequence[Any], most: int = 24) -> str:
    """Names in a sentence, not more than a listener can bear.

    >>> listed(("a", "b", "c"), most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(map(str, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
