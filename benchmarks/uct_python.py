"""UCT in plain Python, one idea a line: the second opinion that `mrmlib.mcts.search` must match decision for decision.

It shares no code with the library: names instead of positions, objects instead of arrays, its own SplitMix64.
"""

import math
from bisect import bisect_right
from itertools import accumulate

MASK = 2**64 - 1


class SplitMix64:
    def __init__(self, seed):
        self.counter = int(seed)

    def bits(self):
        self.counter = (self.counter + 0x9E3779B97F4A7C15) & MASK
        z = self.counter
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return (self.bits() >> 32) * n >> 32

    def chance(self):
        return (self.bits() >> 11) * 2.0**-53


class Simulator:
    """Draws successors from a model's T."""

    def __init__(self, mdp):
        self.actions = mdp.actions
        rows = {(s, a): mdp.successors(s, a) for s in mdp.states for a in mdp.actions}
        self.rows = {pair: (list(row), list(accumulate(row.values()))[:-1]) for pair, row in rows.items()}

    def successor(self, state, action, random):
        targets, sums = self.rows[state, action]
        return targets[bisect_right(sums, random.chance())]


class Node:
    def __init__(self, state, actions):
        self.state = state
        self.visits = 0
        self.tries = dict.fromkeys(actions, 0)
        self.means = dict.fromkeys(actions, 0.0)
        self.children = {}

    def select(self, exploration):
        """The first untried action, or else the first with the highest upper confidence bound."""
        for action, tries in self.tries.items():
            if tries == 0:
                return action
        width = exploration * math.sqrt(math.log(self.visits))
        return max(self.tries, key=lambda a: self.means[a] + width * (1 / math.sqrt(self.tries[a])))


def uniform(actions):
    return lambda state, random: actions[random.below(len(actions))]


def search(simulator, pay, rollout, root, settings, random):
    """The root of a new tree; `pay(s, a, t)` is (reward, whether the trajectory stops), `rollout(s, random)` acts."""
    tree = Node(root, simulator.actions)
    for _ in range(settings.trajectories):
        trajectory(tree, simulator, pay, rollout, settings, random)
    return tree


def trajectory(node, simulator, pay, rollout, settings, random):
    path, rewards, in_tree, state = [], [], True, node.state
    for _ in range(settings.depth):
        if in_tree:
            action = node.select(settings.exploration)
            node.visits += 1
            path.append((node, action))
        else:
            action = rollout(state, random)
        target = simulator.successor(state, action, random)
        reward, stop = pay(state, action, target)
        rewards.append(reward)
        state = target
        if in_tree:
            in_tree = (action, target) in node.children
            if not in_tree:
                node.children[action, target] = Node(target, simulator.actions)
            node = node.children[action, target]
        if stop:
            break
    node.visits += 1
    value, weight = 0.0, 1.0
    for reward in rewards[len(path):]:
        value += weight * reward
        weight *= settings.discount
    for (visited, action), reward in zip(reversed(path), reversed(rewards[:len(path)]), strict=True):
        value = reward + settings.discount * value
        visited.tries[action] += 1
        visited.means[action] += (value - visited.means[action]) / visited.tries[action]


def highest_mean(tree):
    return max((a for a in tree.tries if tree.tries[a]), key=tree.means.get)


def most_visits(tree):
    return max(tree.tries, key=tree.tries.get)


def pursuit(lam, x, y, stop_on_target=True):
    """The paper's R(a, s, z), for each z a function of a step."""

    def towards(z):
        def pay(state, action, target):
            seen = lam(action, target)
            if seen == "null":
                return -x, False
            return (y, stop_on_target) if seen == z else (-y, False)

        return pay

    return towards


def trial(mdp, lam, word, starts, budget, x, y, settings, planning, moving):
    """One exploitation trial: live the word again and again, each time from a random start; the actions taken."""
    simulator, towards, rollout, taken = Simulator(mdp), pursuit(lam, x, y), uniform(mdp.actions), []
    while True:
        state = starts[moving.below(len(starts))]
        for z in word:
            observed = None
            while observed != z:
                if len(taken) == budget:
                    return taken
                action = highest_mean(search(simulator, towards(z), rollout, state, settings, planning))
                taken.append(action)
                state = simulator.successor(state, action, moving)
                observed = lam(action, state)
