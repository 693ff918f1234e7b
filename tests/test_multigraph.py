"""networkx multigraphs: machines come back unchanged, and what is no machine is refused by name."""

import networkx as nx
import pytest
from hypothesis import given

import mrmlib as mrm
from mrmlib.interop.multigraph import from_multigraph, to_multigraph
from tests.odd_machines import assert_unchanged, odd_machines


@given(odd_machines())
def test_a_machine_with_odd_names_comes_back_unchanged(machine):
    assert_unchanged(from_multigraph(to_multigraph(machine)), machine)


def test_the_graph_has_an_edge_for_each_node_and_observation():
    machine = mrm.domains.treasure_map().machine
    graph = to_multigraph(machine)
    assert graph.number_of_edges() == len(machine.nodes) * len(machine.observations)
    for u, v, edge in graph.edges(data=True):
        assert machine.step(u, edge["observation"]) == (v, edge["reward"])
    reached = nx.descendants(graph, machine.initial) | {machine.initial}
    assert reached == set(machine.nodes)


def test_a_plain_directed_graph_will_do():
    graph = nx.DiGraph(initial="u")
    graph.add_edge("u", "v", observation="z", reward=1)
    graph.add_edge("v", "v", observation="z", reward=2)
    machine = from_multigraph(graph)
    assert (machine.rewards(("z", "z")), machine.null_reward) == ((1.0, 2.0), 0.0)


def graph_of(*edges, kind=nx.MultiDiGraph, **attributes):
    graph = kind(**attributes)
    for u, v, attributes in edges:
        graph.add_edge(u, v, **attributes)
    return graph


Z = {"observation": "z", "reward": 1.0}


@pytest.mark.parametrize(("graph", "culprit"), [
    (graph_of(("u", "u", Z)), "no attribute 'initial'"),
    (graph_of(("u", "u", Z), initial="w"), "the start node 'w' is not a node"),
    (graph_of(("u", "u", Z), initial="u", kind=nx.MultiGraph), "the graph of a machine is directed"),
    (graph_of(("u", "v", Z), initial="u"), "no edge leaves 'v' with 'z'"),
    (graph_of(("u", "u", Z), ("u", "v", Z), initial="u"), "a second edge leaves 'u' with 'z'"),
    (graph_of(("u", "u", Z), initial="u", observations=("y",)), "no edge leaves 'u' with 'y'"),
    (graph_of(("u", "u", {"reward": 1.0}), initial="u"), "'u' → 'u' needs the attributes observation"),
    (graph_of(("u", "u", Z | {"reward": "1"}), initial="u"), "the reward of δ('u', 'z') is '1'"),
    (graph_of(("u", "u", Z), initial="u", null_reward=None), "the reward of null is None"),
])
def test_what_is_no_machine_is_refused_by_name(graph, culprit):
    with pytest.raises(mrm.ModelError) as raised:
        from_multigraph(graph)
    assert culprit in str(raised.value)


def test_a_node_that_networkx_does_not_take_is_refused():
    with pytest.raises(mrm.ModelError, match="no node that is named None"):
        to_multigraph(mrm.MealyRewardMachine({(None, "z"): (None, 1.0)}, None))
