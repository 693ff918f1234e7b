"""Machines as networkx multigraphs, one edge for each pair of node and observation.

An edge u → v has the attributes `observation` and `reward`. The graph's own attributes are `initial`, `null_reward` and
`observations`, which gives their order; only `initial` must be there to read it.
"""

import networkx as nx

from ..errors import ModelError
from ..machine import MealyRewardMachine
from ..names import Names


def to_multigraph(machine: MealyRewardMachine) -> nx.MultiDiGraph:
    """The machine as a multigraph with its nodes in their order.

    >>> graph = to_multigraph(MealyRewardMachine({("u", "map"): ("u", 10.0)}, "u"))
    >>> list(graph.edges(data=True)), graph.graph["initial"]
    ([('u', 'u', {'observation': 'map', 'reward': 10.0})], 'u')
    """
    if None in machine.nodes:
        raise ModelError("networkx takes no node that is named None")
    graph = nx.MultiDiGraph(initial=machine.initial, null_reward=machine.null_reward,
                            observations=tuple(machine.observations))
    graph.add_nodes_from(machine.nodes)
    for (u, z), (v, r) in machine.transitions.items():
        graph.add_edge(u, v, observation=z, reward=r)
    return graph


def from_multigraph(graph: nx.MultiDiGraph) -> MealyRewardMachine:
    """The machine in a directed graph with these attributes.

    >>> machine = MealyRewardMachine({("u", "map"): ("u", 10.0)}, "u", null_reward=-1.0)
    >>> from_multigraph(to_multigraph(machine)) == machine
    True
    """
    if not graph.is_directed():
        raise ModelError("the graph of a machine is directed")
    if "initial" not in graph.graph:
        raise ModelError("the graph has no attribute 'initial', the start node")
    delta, letters = {}, dict.fromkeys(Names(graph.graph.get("observations", ()), "observation"))
    for u, v, edge in graph.edges(data=True):
        if not {"observation", "reward"} <= edge.keys():
            raise ModelError(f"the edge {u!r} → {v!r} needs the attributes observation and reward, and has {edge}")
        z = edge["observation"]
        if (u, z) in delta:
            raise ModelError(f"a second edge leaves {u!r} with {z!r}")
        delta[u, z] = v, edge["reward"]
        letters.setdefault(z)
    for u in graph:
        for z in letters:
            if (u, z) not in delta:
                raise ModelError(f"no edge leaves {u!r} with {z!r}")
    return MealyRewardMachine({(u, z): delta[u, z] for u in graph for z in letters}, graph.graph["initial"],
                              graph.graph.get("null_reward", 0.0))
