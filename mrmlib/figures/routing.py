"""Routes for edges and places for their labels: each edge picks, among candidates, what is least in the others' way.

A label lies on its edge. Points are whole pixels and costs whole numbers, so that the choice is the same everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CLASH = 100_000  # a label on a label or on a node: never kept while another drawing is possible
THROUGH = 2_000  # a line through a node that is not its own
COVERED, CLOSE = 12, 4  # for each point of a line that lies under a label, or close to another line
GAP = 5  # between labels
WORK = 600  # edges looked at, at most, if there are many
NEAR = 10  # lines closer than this are hard to tell apart


@dataclass(frozen=True)
class Candidates:
    """The ways to draw one edge: the points of some curves, and label boxes (left, top, right, bottom) on them.

    Choice i draws curve `curve[i]` with the label in `boxes[i]`; `penalty[i]` is what it costs by itself.
    """

    curves: np.ndarray
    curve: np.ndarray
    boxes: np.ndarray
    penalty: np.ndarray


def choose(items: Sequence[Candidates]) -> tuple[list[int], bool]:
    """One choice for each item, and whether no label clashes: greedily at first, then again and again until it rests.

    >>> line = np.array([[[0, 0], [50, 0], [100, 0]]])
    >>> boxes = np.array([[10, -5, 30, 5], [60, -5, 80, 5]])
    >>> edge = Candidates(line, np.array([0, 0]), boxes, np.array([0, 1]))
    >>> choose([edge, edge])
    ([0, 1], True)
    """
    chosen: list[int | None] = [None] * len(items)
    for _ in range(max(1, min(8, WORK // len(items)))):
        before = list(chosen)
        for i, item in enumerate(items):
            others = [(items[j], choice) for j, choice in enumerate(chosen) if j != i and choice is not None]
            chosen[i] = int(np.argmin(_costs(item, others)))
        if chosen == before:
            break
    costs = [_costs(item, [(items[j], chosen[j]) for j in range(len(items)) if j != i])[chosen[i]]
             for i, item in enumerate(items)]
    return chosen, all(cost < CLASH for cost in costs)


def _costs(item: Candidates, others: list[tuple[Candidates, int]]) -> np.ndarray:
    """What each choice of an item costs beside the choices of the others."""
    if not others:
        return item.penalty
    lines = np.concatenate([other.curves[other.curve[choice]] for other, choice in others])
    boxes = np.array([other.boxes[choice] for other, choice in others])
    x, y = (item.curves[:, :, None, axis] - lines[:, axis] for axis in (0, 1))
    close = (x * x + y * y < NEAR**2).any(2).sum(1)
    under_theirs = _within(item.curves[:, :, None], boxes).any(2).sum(1)
    over_theirs = _within(lines[None], item.boxes[:, None]).sum(1)
    clashes = _overlaps(item.boxes[:, None], boxes).sum(1)
    return (item.penalty + (CLOSE * close + COVERED * under_theirs)[item.curve] + COVERED * over_theirs
            + CLASH * clashes)


def _within(point: np.ndarray, box: np.ndarray) -> np.ndarray:
    return ((box[..., 0] <= point[..., 0]) & (point[..., 0] <= box[..., 2])
            & (box[..., 1] <= point[..., 1]) & (point[..., 1] <= box[..., 3]))


def _overlaps(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Do two boxes come closer than the gap? (An empty label has an empty box, far away.)"""
    return ((one[..., 0] - GAP < other[..., 2]) & (other[..., 0] - GAP < one[..., 2])
            & (one[..., 1] - GAP < other[..., 3]) & (other[..., 1] - GAP < one[..., 3]))
