"""Components: against networkx, and against the definition of end components over all sets of states."""

from itertools import chain, combinations, pairwise

import networkx
import numpy as np

from mrmlib.solve.components import closed, components, end_components, reach
from mrmlib.solve.twins import without_twins

from .random_models import random_mdp


def graph(rng, size, edges):
    """A random graph, as (begin, end, targets) and for networkx."""
    targets = [sorted(rng.choice(size, int(rng.integers(0, edges + 1)), replace=False).tolist()) for _ in range(size)]
    ends = np.cumsum([len(row) for row in targets])
    arrays = ends - [len(row) for row in targets], ends, np.array(list(chain.from_iterable(targets)), dtype=np.int32)
    return arrays, networkx.DiGraph(dict(enumerate(targets)))


def test_components_are_those_of_networkx_with_sinks_first(count):
    for i in range(count(200, 2000)):
        rng = np.random.default_rng([1, i])
        size = int(rng.integers(1, 30))
        arrays, reference = graph(rng, size, min(size, 3))
        cut = rng.random(size) < 0.2 * (i % 2)
        reference.remove_edges_from([(s, t) for s, t in reference.edges if cut[t]])
        order, bounds, label = components(*arrays, cut)
        found = [set(order[a:b].tolist()) for a, b in pairwise(bounds)]
        assert sorted(map(sorted, found)) == sorted(map(sorted, networkx.strongly_connected_components(reference)))
        assert all(s in found[label[s]] for s in range(size))
        assert all(label[s] >= label[t] for s, t in reference.edges)  # an edge leads to a component found before
        if not cut.any():
            leaving = {label[s] for s, t in reference.edges if label[s] != label[t]}
            assert set(np.flatnonzero(~closed(*arrays, label)).tolist()) == leaving


def is_end_component(mdp, states):
    """Is there, for each state, an action that stays, such that the staying actions connect all states?"""
    stay = {s: [mdp.successors(s, a).keys() for a in mdp.actions if mdp.successors(s, a).keys() <= states]
            for s in states}
    edges = networkx.DiGraph([(s, t) for s in states for row in stay[s] for t in row])
    return all(stay.values()) and networkx.is_strongly_connected(edges)


def test_end_components_are_the_maximal_sets_that_can_be_stayed_in_and_connect(count):
    """By the definition: of all sets of states that are end components, the maximal ones."""
    for i in range(count(40, 400)):
        rng = np.random.default_rng([2, i])
        mdp = random_mdp(rng, 6, branching=3, connected=False)
        model, _, place = without_twins(mdp)
        inside, component = end_components(model)
        subsets = [set(c) for n in range(1, 7) for c in combinations(mdp.states, n) if is_end_component(mdp, set(c))]
        maximal = [c for c in subsets if not any(c < other for other in subsets)]
        # A twin that no action of its component leads to has left it; the first of its twins stands for it.
        first = {int(p): s for s, p in reversed(list(zip(mdp.states, place, strict=True)))}
        found = [{first[p] for p in np.flatnonzero(component == c)} for c in range(component.max() + 1)]
        reduced = {frozenset(first[place[s]] for s in c) for c in maximal}
        assert {frozenset(c) for c in found} == reduced
        owners = model.owners
        for row in np.flatnonzero(inside):
            assert set(component[model.targets[model.starts[row]:model.starts[row + 1]]]) == {component[owners[row]]}


def test_after_reach_every_state_can_come_to_the_goal_and_good_rows_are_kept(count):
    for i in range(count(50, 500)):
        rng = np.random.default_rng([3, i])
        model, _, _ = without_twins(random_mdp(rng, 10, connected=True))
        size = len(model.choices) - 1
        policy, goal = rng.integers(model.choices[:-1], model.choices[1:]), np.arange(size) == rng.integers(size)
        before = policy.copy()

        def steps(rows, model=model):
            return networkx.DiGraph([(s, int(t)) for s, row in enumerate(rows)
                                     for t in model.targets[model.starts[row]:model.starts[row + 1]]])

        reach(model, goal, policy)
        aim = int(np.flatnonzero(goal)[0])
        assert networkx.ancestors(steps(policy), aim) | {aim} == set(range(size))
        assert all(policy[s] == before[s] for s in networkx.ancestors(steps(before), aim) | {aim})
