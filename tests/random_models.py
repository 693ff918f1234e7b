"""Random machines and worlds: from a numpy generator where a count is wanted, from Hypothesis where a property is."""

import numpy as np
from hypothesis import strategies as st

import mrmlib as mrm

LETTERS = ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")


def random_machine(rng, nodes=4, letters=2, rewards=(0.0, 1.0, 2.0), null_reward=0.0):
    """A machine with that many declared nodes (fewer may be reachable or distinct)."""
    names = [f"n{i}" for i in range(nodes)]
    return mrm.MealyRewardMachine(
        {(u, z): (names[rng.integers(nodes)], float(rng.choice(rewards))) for u in names for z in LETTERS[:letters]},
        names[0], null_reward)


def random_minimal_machine(rng, nodes=4, letters=2, rewards=(0.0, 1.0, 2.0), null_reward=0.0, tries=200):
    """A minimal machine with exactly that many nodes."""
    for _ in range(tries):
        machine = random_machine(rng, nodes, letters, rewards, null_reward).minimal()
        if len(machine.nodes) == nodes:
            return machine
    raise AssertionError(f"no minimal machine with {nodes} nodes over {letters} letters in {tries} tries")


def random_row(rng, states, branching):
    targets = rng.choice(len(states), size=min(branching, len(states)), replace=False)
    weights = rng.integers(1, 5, size=len(targets))
    return {states[t]: w / weights.sum() for t, w in zip(targets, weights.tolist(), strict=True)}


def random_nrmdp(rng, states=6, actions=2, branching=2, connected=True):
    """A random nrMDP; connected: the last action is a cycle through all states, so all of them can be reached again."""
    names, moves = list(range(states)), [f"a{i}" for i in range(actions)]

    def row(s, a):
        if connected and a == moves[-1]:
            return {(s + 1) % states: 1.0}
        return random_row(rng, names, int(rng.integers(1, branching + 1)))

    return mrm.NRMDP(names, moves, row, 0)


def random_mdp(rng, states=6, actions=2, branching=2, connected=True, rewards=(-1.0, 0.0, 1.0, 3.0)):
    model = random_nrmdp(rng, states, actions, branching, connected)
    return mrm.MDP(model.states, model.actions, model.successors, model.initial,
                   lambda s, a, t: float(rng.choice(rewards)))


def random_labelling(rng, mdp, letters=2, null=0.4):
    """Each (action, state) shows null with that probability, else one of the letters."""
    return mrm.Labelling({(a, s): str(rng.choice(LETTERS[:letters]))
                          for a in mdp.actions for s in mdp.states if rng.random() >= null}, LETTERS[:letters])


def random_grid(rng, size, walls=0.0, one_way=0.0, slips=0.0, stuck=0.0, marks=4):
    """(M, λ) of walking a square grid: a part of its cells is walls, a part of its steps leads one way only."""
    cells = [(column, row) for row in range(size) for column in range(size) if rng.random() >= walls] or [(0, 0)]
    places = [cells[i] for i in rng.choice(len(cells), size=min(marks + 1, len(cells)), replace=False)]
    seen = {cell: LETTERS[i % 2] for i, cell in enumerate(places[1:])}
    grid = mrm.domains.Grid(tuple(cells), places[0], seen)
    mdp, labelling = mrm.domains.walk(grid, 1.0 - slips - stuck, slips)
    doors = {(cell, grid.neighbour(cell, move)) for cell in cells for move in grid.moves if rng.random() < one_way}

    def row(s, a):
        outcomes = {}
        for t, p in mdp.successors(s, a).items():
            t = (s[0], False) if (s[0], t[0]) in doors else t
            outcomes[t] = outcomes.get(t, 0.0) + p
        return outcomes

    return (mrm.NRMDP(mdp.states, mdp.actions, row, mdp.initial) if doors else mdp), labelling


@st.composite
def machines(draw, max_nodes=5, max_letters=3):
    nodes = draw(st.integers(1, max_nodes))
    letters = LETTERS[:draw(st.integers(1, max_letters))]
    rewards = st.sampled_from([0.0, 1.0, -1.0, 0.1])
    return mrm.MealyRewardMachine(
        {(u, z): (draw(st.integers(0, nodes - 1)), draw(rewards)) for u in range(nodes) for z in letters},
        0, draw(rewards))


@st.composite
def nrmdps(draw, max_states=5, max_actions=2):
    states = range(draw(st.integers(1, max_states)))
    actions = [f"a{i}" for i in range(draw(st.integers(1, max_actions)))]

    def row():
        weights = draw(st.dictionaries(st.sampled_from(states), st.integers(1, 4), min_size=1, max_size=3))
        return {t: w / sum(weights.values()) for t, w in weights.items()}

    return mrm.NRMDP(states, actions, {(s, a): row() for s in states for a in actions}, 0)


@st.composite
def worlds(draw, max_states=5, max_actions=2, max_nodes=4, max_letters=2):
    """(M, λ, machine) that fit together."""
    mdp, machine = draw(nrmdps(max_states, max_actions)), draw(machines(max_nodes, max_letters))
    seen = st.sampled_from((mrm.NULL, *machine.observations))
    return mdp, mrm.Labelling({(a, s): draw(seen) for a in mdp.actions for s in mdp.states},
                              machine.observations), machine


def rng(seed):
    return np.random.default_rng(seed)
