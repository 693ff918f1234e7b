"""Worlds for agents to live in, and a proxy that shows them nothing but what an agent may touch."""

import mrmlib as mrm

from .random_models import random_labelling, random_minimal_machine, random_nrmdp, rng


def random_world(seed):
    """(M, λ, machine): every other M is strongly connected, machines have 2 to 8 nodes."""
    g = rng(seed)
    mdp = random_nrmdp(g, states=int(g.integers(3, 9)), connected=seed % 2 == 1)
    letters = int(g.integers(2, 4))
    labelling = random_labelling(g, mdp, letters)
    return mdp, labelling, random_minimal_machine(g, 2 + seed % 7, letters, null_reward=float(g.integers(-1, 2)))


class Proxy:
    """An environment of which only reset, step and the counters can be seen; at step `fails_at` the user interrupts."""

    __slots__ = ("actions", "reset", "resets", "step")

    def __init__(self, environment, fails_at=None):
        self.actions, self.resets = 0, 0

        def reset(state=None, machine=True):
            self.resets += 1
            return environment.reset(state, machine)

        def step(action):
            if self.actions == fails_at:
                raise KeyboardInterrupt
            self.actions += 1
            return environment.step(action)

        self.reset, self.step = reset, step


def world_of(domain, seed):
    return mrm.Environment(domain.mdp, domain.labelling, domain.machine, seed)


RARE_LETTERS = 4


def rare_world():
    """A shop where every fourth bread pays 100, every other one 1; rain pays nothing. It is easily overlooked."""
    mdp = mrm.NRMDP(["street", "shop"], ["go", "stay"],
                    lambda s, a: {s: 1.0} if a == "stay" else {"shop" if s == "street" else "street": 1.0}, "street")
    labelling = mrm.Labelling({("go", "shop"): "bread", ("stay", "street"): "rain"}, ["bread", "rain"])
    transitions = {}
    for u in range(RARE_LETTERS):
        transitions[u, "bread"] = ((u + 1) % RARE_LETTERS, 100.0 if u == RARE_LETTERS - 1 else 1.0)
        transitions[u, "rain"] = (u, 0.0)
    return mdp, labelling, mrm.MealyRewardMachine(transitions, 0)
