"""A tree drawn from its root at the top: nodes with a few lines of text, edges with a label above the child."""

from collections.abc import Collection, Hashable, Mapping, Sequence

import numpy as np

from ..errors import ModelError
from .bezier import arrow
from .picture import ACCENT, ACCENT_TINT, INK, PAPER, SMALL, SOFT, Picture, listed, number, text, text_width

LEADING, GAP, RISE = 16, 14, 78  # from line to line; between neighbours; from a child's top up to its parent's foot

Point = tuple[float, float]
Edge = tuple[Hashable, str, Hashable]
"""(parent, label, child)"""


def tree_figure(edges: Sequence[Edge], labels: Mapping[Hashable, str] | None = None, *,
                highlight: Collection[Hashable] = (), title: str = "", alt: str | None = None) -> Picture:
    """The tree with these edges, children in the order given.

    `labels` gives a node's text, lines apart by newlines, in place of its name; the edges that lead to highlighted
    nodes are highlighted too.

    >>> tree_figure([("s", "go", "t"), ("s", "wait", "u")]).alt
    'Tree with 3 nodes: s by go to t, s by wait to u'
    """
    children: dict[Hashable, list[tuple[str, Hashable]]] = {}
    for parent, label, child in edges:
        children.setdefault(parent, []).append((str(label), child))
    order = _from_root(edges, children)
    lines = {node: str((labels or {}).get(node, node)).split("\n") for node in order}
    size = {node: (max(text_width(line, SMALL) for line in lines[node]) + 14, LEADING * len(lines[node]) + 10)
            for node in order}
    place, width = _placed(order, children, size)
    top = 34 if title else 8
    body = "".join(_edge(place[parent], size[parent], place[child], label, child in highlight, top)
                   for parent, below in children.items() for label, child in below)
    body += "".join(_node(place[node], size[node], lines[node], node in highlight, top) for node in order)
    if title:
        body += text(12, 22, title, 15, "start", bold=True)
        width = max(width, 24 + text_width(title, 15, bold=True))
    height = top + max(place[node][1] + size[node][1] for node in order) + 8
    shown = listed([f"{parent} by {label} to {child}" for parent, label, child in edges])
    return Picture(body, round(width), round(height), f"Tree with {len(order)} nodes: {shown}" if alt is None else alt)


def _from_root(edges: Sequence[Edge], children: Mapping) -> list[Hashable]:
    """The nodes, parents first; an error if they are no tree."""
    below = [child for *_, child in edges]
    roots = [node for node in children if node not in below]
    order = roots[:1]
    for node in order:  # grows as it is read: breadth first
        order += [child for _, child in children.get(node, ())]
        if len(order) > len(below) + 1:
            break
    if len(roots) != 1 or len(order) != len(below) + 1 or len(set(below)) < len(below):
        raise ModelError(f"the edges are no tree: they have {len(roots)} roots, or a node with two parents")
    return order


def _placed(order: Sequence[Hashable], children: Mapping, size: Mapping) -> tuple[dict[Hashable, Point], float]:
    """The middle of each node's top side, and the width of all: each subtree has a strip of its own."""
    step = {child: label for below in children.values() for label, child in below}
    strip: dict[Hashable, float] = {}
    block: dict[Hashable, float] = {}
    for node in reversed(order):
        block[node] = sum(strip[child] + GAP for _, child in children.get(node, ())) - GAP
        strip[node] = max(size[node][0], text_width(step.get(node, ""), SMALL, bold=True) + 6, block[node])
    left, place = {order[0]: 12.0}, {order[0]: (12 + strip[order[0]] / 2, 0.0)}
    for node in order:
        x, top = left[node] + (strip[node] - block[node]) / 2, place[node][1] + size[node][1] + RISE
        for _, child in children.get(node, ()):
            left[child], place[child] = x, (x + strip[child] / 2, top)
            x += strip[child] + GAP
    return place, strip[order[0]] + 24


def _edge(parent: Point, parent_size: Point, child: Point, label: str, loud: bool, top: float) -> str:
    """A curve that comes down upon the child, its label where it is upright."""
    (x, y), (u, v) = (parent[0], parent[1] + parent_size[1] + top), (child[0], child[1] + top)
    curve = np.array([[x, y], [x, y + 0.45 * RISE], [u, v - 0.95 * RISE], [u, v - 1]])
    colour, width = (ACCENT, 2.4) if loud else (SOFT, 1.2)
    room = text_width(label, SMALL, bold=True) + 4
    plate = f'<rect x="{number(u - room / 2)}" y="{number(v - 34)}" width="{number(room)}" height="16" fill="{PAPER}"/>'
    return arrow(curve, colour, width) + (plate if label else "") + text(
        u, v - 22, label, SMALL, colour=ACCENT if loud else INK, bold=loud)


def _node(place: Point, size: Point, lines: Sequence[str], loud: bool, top: float) -> str:
    (x, y), (width, height) = place, size
    fill, stroke = (ACCENT_TINT, ACCENT) if loud else ("#eef3f8", INK)
    return (f'<rect x="{number(x - width / 2)}" y="{number(y + top)}" width="{number(width)}" '
            f'height="{number(height)}" rx="8" fill="{fill}" stroke="{stroke}"/>'
            + "".join(text(x, y + top + 17 + LEADING * i, line, SMALL) for i, line in enumerate(lines)))
