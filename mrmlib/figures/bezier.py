"""Cubic Bézier curves, each an array of four control points (x, y), and arrows drawn along them."""

import numpy as np

from .picture import INK, points

HEAD = 10.0  # the length of an arrow head


def on_curve(bezier: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The points at the times t, from 0 at the start to 1 at the end.

    >>> line = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    >>> on_curve(line, np.array([0.0, 0.5])).tolist()
    [[0.0, 0.0], [1.5, 0.0]]
    """
    t = np.asarray(t)[:, None]
    a, b, c, d = bezier
    return (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t * t * (1 - t) * c + t**3 * d


def part(bezier: np.ndarray, first: float, last: float) -> np.ndarray:
    """The piece of a curve between two times, as a curve of its own.

    >>> line = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    >>> part(line, 0.5, 1.0).tolist()
    [[1.5, 0.0], [2.0, 0.0], [2.5, 0.0], [3.0, 0.0]]
    """
    return np.array([_blossom(bezier, times) for times in
                     ((first, first, first), (first, first, last), (first, last, last), (last, last, last))])


def _blossom(bezier: np.ndarray, times: tuple[float, float, float]) -> np.ndarray:
    """De Casteljau's construction with a time of its own for each of its three rounds."""
    for t in times:
        bezier = (1 - t) * bezier[:-1] + t * bezier[1:]
    return bezier[0]


def straight(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The straight line as a curve.

    >>> straight(np.array([0.0, 0.0]), np.array([3.0, 0.0])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    """
    return start + np.linspace(0, 1, 4)[:, None] * (end - start)


def arrow(bezier: np.ndarray, colour: str = INK, width: float = 1.3) -> str:
    """The curve with an arrow head at its end."""
    times = np.linspace(0, 1, 200)
    away = np.hypot(*(on_curve(bezier, times) - bezier[3]).T)
    shaft = part(bezier, 0, times[np.flatnonzero(away >= min(HEAD, away.max()))[-1]])
    tip, base = bezier[3], shaft[3]
    half = np.array([base[1] - tip[1], tip[0] - base[0]]) * 0.45
    start, *controls = shaft
    return (f'<path d="M{points(start)}C{points(*controls)}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
            f'<polygon points="{points(tip, base + half, base - half)}" fill="{colour}"/>')
