"""Strategies with finite memory and what they earn, in plain dictionaries: a second opinion on the product.

A strategy π : S* → A is an automaton that reads the states, the current one included, and names the action to play.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import product

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Strategy:
    """Memory m, from 0 on, becomes read[m, s] in state s; then play[m] is the action."""

    read: dict
    play: tuple

    def __call__(self, states):
        return self.play[reduce(lambda m, s: self.read[m, s], states, 0)]


@st.composite
def finite_memory_strategies(draw, states, actions, max_memory=3):
    memory = range(draw(st.integers(1, max_memory)))
    return Strategy({(m, s): draw(st.sampled_from(memory)) for m in memory for s in states},
                    tuple(draw(st.sampled_from(actions)) for _ in memory))


def memoryless_strategies(states, actions):
    """Every strategy that looks at the current state alone; its memory is the action to play now."""
    for chosen in product(range(len(actions)), repeat=len(states)):
        yield Strategy({(m, s): a for s, a in zip(states, chosen, strict=True) for m in range(len(actions))},
                       tuple(actions))


def histories(mdp, strategy, actions):
    """{(s0, a0, s1, …): probability}: every history of that many actions that the strategy can live in M."""
    grown = {(mdp.initial,): 1.0}
    for _ in range(actions):
        grown = {(*history, a, t): p * q for history, p in grown.items() for a in [strategy(history[::2])]
                 for t, q in mdp.successors(history[-1], a).items()}
    return grown


def chain(start, step):
    """The Markov chain that grows from `start` by step(x) = {(y, reward): probability}: its matrix and mean rewards."""
    order = [start]
    rows = []
    for x in order:  # grows as it is read
        rows.append(step(x))
        order += [y for y in dict.fromkeys(y for y, _ in rows[-1]) if y not in order]
    matrix = np.zeros((len(order), len(order)))
    for i, row in enumerate(rows):
        for (y, _), p in row.items():
            matrix[i, order.index(y)] += p
    return matrix, np.array([sum(p * r for (_, r), p in row.items()) for row in rows])


def chain_discounted_sum(matrix, rewards, gamma):
    """E(dSum) from the first state: v = γ(r + Pv)."""
    return np.linalg.solve(np.eye(len(matrix)) - gamma * matrix, gamma * rewards)[0]


def chain_mean_payoff(matrix, rewards):
    """E(MP) from the first state, for chains with any number of classes and periods.

    Waiting half of the time changes no long-run share but ends every period, so the powers converge.
    """
    lazy = (matrix + np.eye(len(matrix))) / 2
    for _ in range(50):
        lazy = lazy @ lazy
        lazy /= lazy.sum(axis=1, keepdims=True)  # rounding would grow with every squaring
    return lazy[0] @ rewards


def lived_chain(mdp, labelling, machine, strategy):
    """M with the machine and the strategy's memory walking along beside it: states (s, u, m)."""

    def step(x):
        s, u, m = x
        a = strategy.play[m]
        lived = {}
        for t, p in mdp.successors(s, a).items():
            v, r = machine.step(u, labelling(a, t))
            lived[(t, v, strategy.read[m, t]), r] = p
        return lived

    return chain((mdp.initial, machine.initial, strategy.read[0, mdp.initial]), step)


def product_chain(mdp, strategy, sees=lambda pair: pair[0]):
    """The product under a strategy, which sees the first half of each pair: states ((s, u), m)."""

    def step(x):
        pair, m = x
        a = strategy.play[m]
        return {((after, strategy.read[m, sees(after)]), mdp.reward(pair, a, after)): p
                for after, p in mdp.successors(pair, a).items()}

    return chain((mdp.initial, strategy.read[0, sees(mdp.initial)]), step)
