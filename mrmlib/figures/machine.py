"""A Mealy reward machine drawn: nodes in circles, an edge from u to v labelled "z | r" for each δ(u, z) = (v, r)."""

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..machine import MealyRewardMachine
from ..words import NULL, Word
from .bezier import arrow, on_curve, part, straight
from .layout import Place, positions
from .picture import (
    ACCENT,
    ACCENT_TINT,
    INK,
    PAPER,
    SIZE,
    SMALL,
    SOFT,
    Picture,
    listed,
    number,
    text,
    text_width,
    wrapped,
)
from .routing import CLASH, THROUGH, Candidates, choose

Pair = tuple[Hashable, Hashable]
"""(u, z): a node and an observation read there."""

LEADING = 17  # from line to line of a stacked label
GROWTHS = 12  # attempts with ever more space
ROOM = 13  # kept free around a node, for arrow heads
NOWHERE = (10**6, 10**6, 10**6, 10**6)  # the box of a label without text
SAMPLES = np.linspace(0, 1, 25)
BENDS = ((0.16, 0), (-0.16, 0), (0.0, 4), (0.34, 10), (-0.34, 10), (0.6, 30), (-0.6, 30), (0.95, 60), (-0.95, 60))
ALONG = ((0.5, 0), (0.43, 2), (0.57, 2), (0.36, 5), (0.64, 5), (0.29, 9), (0.71, 9), (0.22, 14), (0.78, 14))


@dataclass(frozen=True)
class _Nodes:
    """The nodes as they are drawn: circles, or wider with straight sides where their text needs it."""

    centres: np.ndarray
    half_width: float
    radius: float

    def distances(self, boxes: np.ndarray) -> np.ndarray:
        """How far each box (left, top, right, bottom) is from the axis of each node."""
        reach, (x, y) = self.half_width - self.radius, self.centres.T
        left, top, right, bottom = (boxes[..., None, side] for side in range(4))
        aside = np.maximum(0, np.maximum(left - x - reach, x - reach - right))
        above = np.maximum(0, np.maximum(top - y, y - bottom))
        return np.hypot(aside, above)


@dataclass(frozen=True)
class _Edge:
    """All that leads from u to v, by position; `loud` tells which lines are highlighted."""

    u: int
    v: int
    lines: tuple[str, ...]
    loud: tuple[bool, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the label."""
        return max(text_width(line, SIZE, bold=True) for line in self.lines) + 4, LEADING * len(self.lines)


def machine_figure(machine: MealyRewardMachine, *, meanings: Mapping[Hashable, str] | None = None,
                   places: Mapping[Hashable, Place] | None = None, highlight_nodes: Collection[Hashable] = (),
                   highlight: Collection[Pair] = (), every_loop: bool = False, title: str = "",
                   alt: str | None = None) -> Picture:
    """The machine as a diagram.

    `meanings` adds a word to nodes; `places` gives each node's (column, row) instead of the automatic layout;
    `highlight` is a collection of pairs (u, z). Pairs that stay and pay as null does are left out and the caption says
    so, unless they are highlighted or `every_loop` is set.

    >>> from mrmlib import domains
    >>> machine_figure(domains.treasure_machine()).alt[:67]
    'Reward machine with 6 nodes, start u0: u0 to u1 on m paying 10, u1 '
    """
    for u, z in highlight:
        machine.step(u, z)  # raises where there is no such pair
    edges, hidden = _edges(machine, set(highlight), every_loop)
    names = [(str(u), str((meanings or {}).get(u, ""))) for u in machine.nodes]
    start = machine.nodes.index(machine.initial)
    if places is None:
        grid = positions(len(names), start, [(edge.u, edge.v) for edge in edges])
    elif missing := [u for u in machine.nodes if u not in places]:
        raise ModelError(f"the node {missing[0]!r} has no place")
    else:
        grid = [places[u] for u in machine.nodes]
    nodes, boxes, curves = _drawn(grid, names, start, edges)
    body = "".join(arrow(curve, *((ACCENT, 2.4) if any(edge.loud) else (INK, 1.3)))
                   for edge, curve in zip(edges, curves, strict=False)) + arrow(curves[-1])
    body += "".join(map(_label, edges, boxes))
    body += "".join(_node(nodes, i, names[i], u in highlight_nodes) for i, u in enumerate(machine.nodes))
    return _framed(body, _extent(nodes, curves, boxes), title, _caption(machine, hidden),
                   _described(machine, edges) if alt is None else alt)


def walked(machine: MealyRewardMachine, word: Word) -> tuple[Pair, ...]:
    """The pairs (u, z) that a word walks along, to be highlighted.

    >>> from mrmlib import domains
    >>> walked(domains.treasure_machine(), ("m", "g", "t"))
    (('u0', 'm'), ('u1', 'g'), ('u3', 't'))
    """
    u, pairs = machine.initial, []
    for z in word:
        pairs.append((u, z))
        u, _ = machine.step(u, z)
    return tuple(pairs)


def _edges(machine: MealyRewardMachine, loud: set[Pair], every_loop: bool) -> tuple[list[_Edge], bool]:
    """The edges to draw, parallel ones merged, and whether some pairs are not drawn."""
    merged: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    hidden = False
    for (u, z), (v, r) in machine.transitions.items():
        if (v, r) == (u, machine.null_reward) and not every_loop and (u, z) not in loud:
            hidden = True
        else:
            ends = machine.nodes.index(u), machine.nodes.index(v)
            merged.setdefault(ends, []).append((f"{z} | {r:g}", (u, z) in loud))
    return [_Edge(*ends, *zip(*labels, strict=True)) for ends, labels in merged.items()], hidden


def _drawn(grid: list[Place], names: list[tuple[str, str]], start: int,
           edges: list[_Edge]) -> tuple[_Nodes, list[np.ndarray], list[np.ndarray]]:
    """The nodes, a label box for each edge, and a curve for each edge and the start arrow.

    Nodes are as far apart as the labels need: the drawing grows until no label clashes.
    """
    needed = max(max(text_width(name, SIZE, bold=True), text_width(meaning, SMALL)) for name, meaning in names)
    radius = 25.0 if any(meaning for _, meaning in names) else 20.0
    half_width = max(radius, needed / 2 + 8)
    wide, high = (max((edge.size[axis] for edge in edges), default=0.0) for axis in (0, 1))
    unit = np.array([2 * half_width + wide + 84, 2 * radius + high + 80]) * max(1.0, (len(edges) / 16) ** 0.4)
    for growth in range(GROWTHS):
        nodes = _Nodes(_whole(np.array(grid) * unit * 1.2**growth), half_width, radius)
        ways = [_loops(nodes, edge) if edge.u == edge.v else _arcs(nodes, edge) for edge in edges]
        ways.append(_arrivals(nodes, start))
        chosen, free = choose([candidates for candidates, _ in ways])
        if free:
            break
    picked = [(candidates.boxes[i], curves[candidates.curve[i]])
              for (candidates, curves), i in zip(ways, chosen, strict=True)]
    return nodes, [box for box, _ in picked[:-1]], [curve for _, curve in picked]


def _ways(nodes: _Nodes, ends: set[int], curves: list[np.ndarray], curve: list[int], boxes: list,
          penalty: list[int]) -> tuple[Candidates, list[np.ndarray]]:
    """The candidates, with what it costs them to run over nodes, and their curves."""
    lines, boxes = _whole([on_curve(one, SAMPLES) for one in curves]), _whole(boxes)
    foreign = [w for w in range(len(nodes.centres)) if w not in ends]
    through = (nodes.distances(lines[..., [0, 1, 0, 1]]) < nodes.radius + 6)[..., foreign].any(1).sum(1)
    on_node = (nodes.distances(boxes) < nodes.radius + ROOM).sum(1)
    return Candidates(lines, np.array(curve), boxes,
                      np.array(penalty) + THROUGH * through[curve] + CLASH * on_node), curves


def _whole(values: Any) -> np.ndarray:
    """Whole pixels; rounded twice, so that the last bit of a half does not decide."""
    return np.rint(np.round(values, 3)).astype(np.int32)


def _arcs(nodes: _Nodes, edge: _Edge) -> tuple[Candidates, list[np.ndarray]]:
    """The ways to draw an edge between two nodes: how much it bends, and where on it the label is."""
    a, b = nodes.centres[[edge.u, edge.v]].astype(float)
    across = np.array([a[1] - b[1], b[0] - a[0]])
    curves, curve, boxes, penalty = [], [], [], []
    for i, (bend, cost) in enumerate(BENDS):
        control = (a + b) / 2 + bend * across
        curves.append(_outside(nodes, edge, np.array([a, (a + 2 * control) / 3, (b + 2 * control) / 3, b])))
        curve += [i] * len(ALONG)
        boxes += [_box_around(middle, edge.size) for middle in on_curve(curves[-1], [t for t, _ in ALONG])]
        penalty += [cost + extra for _, extra in ALONG]
    return _ways(nodes, {edge.u, edge.v}, curves, curve, boxes, penalty)


def _loops(nodes: _Nodes, edge: _Edge) -> tuple[Candidates, list[np.ndarray]]:
    """The ways to draw a loop: in which direction it leaves its node; the label lies beyond it."""
    curves, boxes, penalty = [], [], []
    for i in range(16):
        angle = (i - 4) * math.pi / 8  # upwards first
        foot, out = _foot(nodes, edge.u, angle)
        reach = [foot + (nodes.radius + 50) * _direction(angle + turn) for turn in (-0.55, 0.55)]
        curves.append(_outside(nodes, edge, np.array([foot, *reach, foot])))
        tip = on_curve(curves[-1], [0.5])[0]
        boxes.append(_box_around(tip + out * (np.abs(out) @ edge.size / 2 + 4), edge.size))
        penalty.append(0 if i in (0, 8) else 6 if i in (4, 12) else 10)
    return _ways(nodes, {edge.u}, curves, list(range(16)), boxes, penalty)


def _arrivals(nodes: _Nodes, start: int) -> tuple[Candidates, list[np.ndarray]]:
    """The ways to draw the arrow that points at the start node."""
    curves = []
    for i in range(8):
        foot, out = _foot(nodes, start, math.pi + i * math.pi / 4)  # from the left first
        curves.append(straight(foot + (nodes.radius + 36) * out, foot + (nodes.radius + 2) * out))
    return _ways(nodes, {start}, curves, list(range(8)), [NOWHERE] * 8, [3 * i for i in range(8)])


def _direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])


def _foot(nodes: _Nodes, u: int, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """The point on a node's axis from which something leaves it at that angle, and the direction."""
    out = _direction(angle)
    return nodes.centres[u] + np.array([(nodes.half_width - nodes.radius) * out[0], 0.0]), out


def _outside(nodes: _Nodes, edge: _Edge, curve: np.ndarray) -> np.ndarray:
    """The part of a curve that lies outside the nodes it joins."""
    times = np.linspace(0, 1, 400)
    distance = nodes.distances(on_curve(curve, times)[:, [0, 1, 0, 1]])
    free = np.flatnonzero((distance[:, [edge.u, edge.v]] > nodes.radius + 2).all(axis=1))
    return part(curve, times[free[0]], times[free[-1]]) if len(free) else curve


def _box_around(centre: np.ndarray, size: tuple[float, float]) -> tuple[float, ...]:
    (x, y), (width, height) = centre, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _label(edge: _Edge, box: np.ndarray) -> str:
    """The stacked lines of an edge on a white plate."""
    left, top, right, bottom = box.tolist()
    plate = f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="{PAPER}"/>'
    return plate + "".join(
        text((left + right) / 2, top + LEADING * i + 13, line, colour=ACCENT if loud else INK, bold=loud)
        for i, (line, loud) in enumerate(zip(edge.lines, edge.loud, strict=True)))


def _node(nodes: _Nodes, u: int, name: tuple[str, str], loud: bool) -> str:
    (x, y), (label, meaning) = nodes.centres[u].tolist(), name
    stroke, width, fill = (ACCENT, 3, ACCENT_TINT) if loud else (INK, 1.6, "#eef3f8")
    shape = (f'<rect x="{number(x - nodes.half_width)}" y="{number(y - nodes.radius)}" '
             f'width="{number(2 * nodes.half_width)}" height="{number(2 * nodes.radius)}" '
             f'rx="{number(nodes.radius)}" fill="{fill}" stroke="{stroke}" stroke-width="{width}"/>')
    if meaning:
        return shape + text(x, y - 3, label, bold=True) + text(x, y + 13, meaning, SMALL, colour=SOFT)
    return shape + text(x, y + 5, label, bold=True)


def _extent(nodes: _Nodes, curves: list[np.ndarray], boxes: list[np.ndarray]) -> tuple[float, float, float, float]:
    """The box around everything drawn."""
    reach = np.array([nodes.half_width, nodes.radius])
    everything = np.concatenate([nodes.centres - reach, nodes.centres + reach, *(box.reshape(2, 2) for box in boxes),
                                 *(on_curve(curve, SAMPLES) for curve in curves)])
    return (*(everything.min(axis=0) - 12), *(everything.max(axis=0) + 12))


def _framed(body: str, extent: tuple[float, ...], title: str, caption: str, alt: str) -> Picture:
    """The drawing with its title above and its caption below."""
    left, top, right, bottom = map(float, extent)
    above = 30 if title else 0
    width = max(right - left, 300.0, 24 + text_width(title, 15, bold=True))
    height = above + bottom - top
    lines = wrapped(caption, width - 24)
    shift = f"translate({number((width - right + left) / 2 - left)} {number(above - top)})"
    whole = f'<g transform="{shift}">{body}</g>'
    if title:
        whole += text(12, 22, title, 15, anchor="start", bold=True)
    whole += "".join(text(12, height + 14 + 16 * i, line, SMALL, "start", SOFT) for i, line in enumerate(lines))
    return Picture(whole, round(width), round(height + 16 * len(lines) + 8), alt)


def _caption(machine: MealyRewardMachine, hidden: bool) -> str:
    """What the drawing leaves out; null is no part of it, unless it is a letter like any other."""
    pay = f"{machine.null_reward:g}"
    if NULL in machine.observations:
        return f"Not drawn: observations that stay at their node and pay {pay}." if hidden else ""
    return f"null stays at its node and pays {pay}" + ("; so do the observations not drawn." if hidden else ".")


def _described(machine: MealyRewardMachine, edges: list[_Edge]) -> str:
    parts = []
    for edge in edges:
        for line in edge.lines:
            z, r = line.rsplit(" | ", 1)
            parts.append(f"{machine.nodes[edge.u]} to {machine.nodes[edge.v]} on {z} paying {r}")
    size = "1 node" if len(machine.nodes) == 1 else f"{len(machine.nodes)} nodes"
    return f"Reward machine with {size}, start {machine.initial}: {listed(parts) or 'every observation stays'}"
