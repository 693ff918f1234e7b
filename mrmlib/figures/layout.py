"""Where the nodes of a small graph go: in layers from the left or round a circle, whichever tangles less.

Positions are in units of the distance between neighbours, x to the right and y downwards.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, cycle, islice

Place = tuple[float, float]

WORK = 300_000  # pairs of links looked at while untangling, at most


def positions(size: int, start: int, edges: Sequence[tuple[int, int]]) -> list[Place]:
    """A place for each of the nodes 0, 1, …; the start is at the left.

    >>> positions(3, 0, [(0, 1), (1, 2)])
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    """
    links = sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]})
    layers = _layers(size, start, edges)
    ring = [u for layer in layers for u in layer]

    def layered(order: Sequence[int]) -> list[Place]:
        rest, places, x = list(order), {}, 0.0
        for layer in layers:
            column, rest = rest[:len(layer)], rest[len(layer):]
            # Bent where it has links within, so that they do not run through its nodes.
            bend = 0.4 if len(layer) > 2 and any(u in layer and v in layer for u, v in links) else 0.0
            middle = (len(column) - 1) / 2
            places |= {u: (round(x + bend * (1 - ((i - middle) / max(middle, 1)) ** 2), 3), i - middle)
                       for i, u in enumerate(column)}
            x += 1 + bend
        return [places[u] for u in range(size)]

    def circular(order: Sequence[int]) -> list[Place]:
        radius = 0.5 / math.sin(math.pi / max(size, 2))
        turn = {u: math.pi + 2 * math.pi * i / size for i, u in enumerate(order)}
        return [(round(radius * math.cos(turn[u]), 3), round(radius * math.sin(turn[u]), 3)) for u in range(size)]

    swaps_in_layers = [pair for pair in combinations(range(size), 2) if _same_layer(layers, *pair)]
    swaps_on_ring = list(combinations(range(1, size), 2))  # the start keeps its place
    in_layers = _untangled(layered, ring, swaps_in_layers, links)
    on_ring = _untangled(circular, ring, swaps_on_ring, links)
    # Layers show where a machine starts and where it leads: a ring must be clearly better.
    return on_ring if _tangle(on_ring, links) + 9 < _tangle(in_layers, links) else in_layers


def _layers(size: int, start: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The nodes by their distance from the start; those out of reach are a last layer."""
    layers, seen = [[start]], {start}
    while layers[-1]:
        reached = dict.fromkeys(v for u in layers[-1] for w, v in edges if w == u and v not in seen)
        seen.update(reached)
        layers.append(list(reached))
    return [layer for layer in (*layers, [u for u in range(size) if u not in seen]) if layer]


def _same_layer(layers: list[list[int]], i: int, j: int) -> bool:
    """Do the i-th and the j-th node, counted layer by layer, share a layer?"""
    of = [number for number, layer in enumerate(layers) for _ in layer]
    return of[i] == of[j]


def _untangled(place: Callable[[Sequence[int]], list[Place]], order: Sequence[int],
               swaps: Sequence[tuple[int, int]], links: Sequence[tuple[int, int]]) -> list[Place]:
    """The places after swapping nodes as long as that helps, within a bound that only large graphs reach."""
    order, best = list(order), place(order)
    cost, trials, since = _tangle(best, links), WORK // (1 + len(links) ** 2), 0
    for i, j in islice(cycle(swaps), trials):
        order[i], order[j] = order[j], order[i]
        places = place(order)
        tangle = _tangle(places, links)
        if tangle < cost:
            best, cost, since = places, tangle, 0
        else:
            order[i], order[j] = order[j], order[i]
            since += 1
            if since == len(swaps):
                break
    return best


def _tangle(places: Sequence[Place], links: Sequence[tuple[int, int]]) -> int:
    """How hard straight links are to follow: crossings, links through nodes, and length."""
    lines = [(places[u], places[v]) for u, v in links]
    crossings = sum(_cross(*one, *other) for one, other in combinations(lines, 2))
    blocked = sum(_near(places[w], *line) for line, link in zip(lines, links, strict=True)
                  for w in range(len(places)) if w not in link)
    length = sum(math.dist(a, b) for a, b in lines)
    return 10 * crossings + 8 * blocked + round(length)


def _side(a: Place, b: Place, c: Place) -> float:
    """On which side of the line from a to b is c?"""
    return round((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 3)


def _cross(a: Place, b: Place, c: Place, d: Place) -> bool:
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _near(c: Place, a: Place, b: Place) -> bool:
    """Does the link from a to b pass close to c?"""
    along = (c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])
    length = math.dist(a, b)
    return 0 < along < length**2 and abs(_side(a, b, c)) < 0.35 * length
