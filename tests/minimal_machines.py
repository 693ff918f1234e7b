"""Random minimal machines of every size, also over one letter, and teachers with long counter-examples."""

import numpy as np

import mrmlib as mrm
from mrmlib.teacher import MachineTeacher
from tests.random_models import LETTERS


def minimal_machine(rng, nodes, letters, rewards=(0.0, 1.0, 2.0), null_reward=0.0):
    """A minimal machine with exactly that many nodes, every one of them reached by construction.

    Node v > 0 is entered by a free pair (u, z) with u < v. Random rewards rarely leave two nodes alike; over one letter
    they do, so there a reward of its own marks the last node and the way to it tells all the others apart.
    """
    while True:
        targets = rng.integers(nodes, size=(nodes, letters))
        free = []
        for v in range(1, nodes):
            free += [(v - 1, z) for z in range(letters)]
            u, z = free.pop(int(rng.integers(len(free))))
            targets[u, z] = v
        pays = rng.choice(rewards, size=(nodes, letters))
        if letters == 1:
            pays[-1] = max(rewards) + 1.0
        machine = mrm.MealyRewardMachine.of_arrays(range(nodes), LETTERS[:letters], 0, null_reward, targets, pays)
        if len(machine.minimal().nodes) == nodes:
            return machine.minimal()


class LongWinded(MachineTeacher):
    """Its counter-examples are random words of `length` letters, or shortest ones padded to that length."""

    def __init__(self, machine, seed, length=100):
        super().__init__(machine)
        self.rng, self.length = np.random.default_rng(seed), length

    def counterexample(self, hypothesis):
        word = super().counterexample(hypothesis)
        if word is None:
            return None
        letters, machine = self.machine.observations, self.machine
        words = [tuple(letters[z] for z in draw) for draw in self.rng.integers(len(letters), size=(50, self.length))]
        padded = word + words[0][len(word):]
        return next((w for w in words if machine.rewards(w) != hypothesis.rewards(w)), padded)
