"""The discrimination tree, beyond the paper: a second learner, for when every query costs actions in the world.

An inner node of the tree holds a suffix, its *discriminator*; its branches are what that suffix was paid. A leaf holds
a node of H, the word of which went that way. The word u·z of a transition is *sifted* down the tree to the node that z
leads to from u. Two things keep the queries few and short:

- A discriminator that extends the one above it makes one query do for both: a word is asked with the longest extension
  below, the *probe*, and what it shows beyond is not lost (an adaptive distinguishing sequence, grown on demand).
- Counter-examples only show which transition is wrong. The new node gets its discriminator from the tree itself, as in
  TTT (Isberner, Howar & Steffen 2014), and its access word is the shortest there is.
"""

from array import array
from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

import numpy as np

from .counterexample import wrong_transition
from .learner import Learner, Questions
from .store import ROOT, Letters, Place, Store

Outcome = tuple[float, ...]


@dataclass(slots=True, eq=False)
class _TreeNode:
    """A leaf with its states and the transitions that lead there; once it is split, an inner node with branches.

    The first state is a node of H. Others are known to differ from it, but no discriminator says so yet.
    """

    parent: "_TreeNode | None" = None
    outcome: Outcome | None = None  # by which it hangs from its parent
    depth: int = 0
    states: list["_State"] = field(default_factory=list)
    incoming: list[tuple["_State", int]] = field(default_factory=list)
    discriminator: Letters | None = None
    probe: Letters = ()
    branches: dict[Outcome, "_TreeNode"] = field(default_factory=dict)

    def branch(self, outcome: Outcome) -> "_TreeNode":
        """The node below for an outcome; a new leaf if it is the first of its kind."""
        if outcome not in self.branches:
            self.branches[outcome] = _TreeNode(self, outcome, self.depth + 1)
        return self.branches[outcome]


@dataclass(slots=True, eq=False)
class _State:
    """The place of a word, its leaf, where its letters lead, in H and in the store, its number as a node of H."""

    place: Place
    leaf: _TreeNode
    targets: list[_TreeNode]
    places: list[Place | None]  # None until a letter has been asked
    number: int = -1


class DiscriminationTree(Learner):
    """A discrimination-tree learner, query by query.

    >>> tree = DiscriminationTree(["a", "b"])
    >>> while not tree.is_complete:
    ...     word = tree.next_query()
    ...     tree.resolve(word, tuple(1.0 if z == "b" else 0.0 for z in word))
    >>> tree.hypothesis().rewards(("b", "a"))
    (1.0, 0.0)
    """

    def __init__(self, observations: Iterable[Hashable], *, store: Store | None = None) -> None:
        super().__init__(observations, store=store)
        self._open: deque[tuple[_State, int]] = deque()  # transitions that have to be sifted
        self._size, self._moves, self._pays = 0, array("i"), array("d")  # H, node by node
        self._root = _TreeNode()
        self.start = self._add_state(ROOT, self._root)
        self._begin(self._start())

    def access(self, node: _State) -> Place:
        """The place of the word that stands for a node of H."""
        return node.place

    def step(self, node: _State, letter: int) -> tuple[_State, float]:
        """The node that H goes to, and what it pays."""
        return node.targets[letter].states[0], node.places[letter].rewards[-1]

    def _start(self) -> Questions:
        """Sift the open transitions to leaves, from where they led before; an outcome never seen is a new node of H."""
        store = self.store
        while self._open:
            state, z = self._open.popleft()
            place, node, probe = state.places[z] or store.after(state.place, z), state.targets[z], ()
            while (suffix := node.discriminator) is not None:
                if probe[:len(suffix)] != suffix:
                    probe, shown = suffix, place and store.paid(place.node, suffix)
                    if shown is None:
                        probe = node.probe
                        shown = (yield place, probe) if place else (yield state.place, (z, *probe))[1:]
                        place = place or store.after(state.place, z)
                outcome = shown[:len(suffix)]
                node = node.branches.get(outcome) or node.branch(outcome)
                if node.discriminator is None and not node.states:
                    self._add_state(place, node)
            if place is None:  # the tree is a single leaf
                yield state.place, (z,)
                place = store.after(state.place, z)
            self._settle(state, z, node, place)
            if probe and probe != node.parent.discriminator:  # beyond the discriminators it may tell them apart
                expected = store.paid(node.states[0].place.node, probe)
                if expected is not None and expected != shown:
                    yield from self._split(node, probe[:_first_difference(expected, shown) + 1])

    def _refine(self, letters: Letters) -> Questions:
        """Correct transitions until H pays rightly for a word.

        A new state shares its leaf with another until a discriminator is found. If H pays the same for both, there is
        none, but then the suffix that tells them apart shows one more wrong transition, which is corrected first.
        """
        while wrong := self.contradiction(letters):
            pending = [(yield from self._new_state(self.start, wrong))]
            while pending:
                state, suffix = pending[-1]
                if state.leaf is self._root and len(suffix) == 1:  # no shorter discriminator, and none above to extend
                    yield from self._split(self._root, suffix)
                yield from self._start()
                other = state.leaf.states[0]
                if other is state:
                    pending.pop()
                elif discriminator := (yield from self._discriminator(state, other)):
                    yield from self._split(state.leaf, discriminator)
                elif misled := (yield from self._misled((other, state), suffix)):
                    pending.append((yield from self._new_state(*misled)))
                else:  # it moved to a leaf whose state it does not differ from
                    self._drop(pending.pop()[0])

    def _add_state(self, place: Place, leaf: _TreeNode) -> _State:
        letters = range(len(self.observations))
        state = _State(place, leaf, [self._root] * len(letters), [None] * len(letters))
        leaf.states.append(state)
        self._open += [(state, z) for z in letters]
        if leaf.states[0] is state:
            self._enrol(state)
        return state

    def _enrol(self, state: _State) -> None:
        """Make a state a node of H."""
        state.number, self._size = self._size, self._size + 1
        for target, place in zip(state.targets, state.places, strict=True):
            known = place and target.states
            self._moves.append(target.states[0].number if known else 0)
            self._pays.append(place.rewards[-1] if known else 0.0)

    def _drop(self, state: _State) -> None:
        """Forget a state that is not a node of H."""
        state.leaf.states.remove(state)
        for target in state.targets:
            target.incoming = [(source, z) for source, z in target.incoming if source is not state]

    def _settle(self, state: _State, z: int, leaf: _TreeNode, place: Place) -> None:
        """Let a transition lead to a leaf, and to a place."""
        leaf.incoming.append((state, z))
        state.targets[z], state.places[z] = leaf, place
        if state.number >= 0:
            here = state.number * len(state.targets) + z
            self._moves[here], self._pays[here] = leaf.states[0].number, place.rewards[-1]

    def _split(self, leaf: _TreeNode, discriminator: Letters) -> Questions:
        """Turn a leaf into an inner node: its states move to the branches, its transitions are open again."""
        states, leaf.states = leaf.states, []
        self._open += leaf.incoming
        leaf.incoming, leaf.discriminator = [], discriminator
        node = leaf
        while node is not None and discriminator[:len(node.discriminator)] == node.discriminator:
            node.probe = max(node.probe, discriminator, key=len)
            node = node.parent
        for state in states:
            state.leaf = leaf.branch((yield from self._ask(state.place, discriminator)))
            state.leaf.states.append(state)
            if state.number < 0 and state.leaf.states[0] is state:
                self._enrol(state)

    def _ask(self, place: Place, suffix: Letters) -> Questions:
        """What is paid for `suffix` after a word."""
        return self.store.paid(place.node, suffix) or (yield place, suffix)

    def _new_state(self, start: _State, wrong: Letters) -> Questions:
        """A state for where a transition ought to lead that H takes wrongly in a word, and a suffix that shows it.

        Of all transitions to the same leaf that the suffix shows to be wrong, the one with the shortest word is taken.
        """
        state, z, suffix = yield from wrong_transition(self, wrong, start)
        leaf = state.targets[z]
        expected = yield from self._ask(leaf.states[0].place, suffix)
        length = len(state.place.word)
        shorter = [transition for transition in leaf.incoming if len(transition[0].place.word) < length]
        for source, letter in sorted(shorter, key=lambda transition: len(transition[0].place.word)):
            if (yield from self._ask(source.places[letter], suffix)) != expected:
                state, z = source, letter
                break
        return self._add_state(state.places[z], leaf), suffix

    def _misled(self, states: tuple[_State, ...], suffix: Letters) -> Questions:
        """The first of the states for which H pays `suffix` wrongly, and as much of the suffix as shows it."""
        for state in states:
            yield from self._ask(state.place, suffix)
            if wrong := self.contradiction(suffix, state):
                return state, wrong
        return None

    def _discriminator(self, one: _State, two: _State) -> Questions:
        """A suffix that tells two states of a leaf apart, or None if H pays the same for both.

        Best is one that extends the probe above them. H may be wrong about that, so it is tried; about what follows a
        single letter it is not.
        """
        if above := one.leaf.parent:
            longer = self._telling(one, two, above.probe)
            if longer and (yield from self._ask(one.place, longer)) != (yield from self._ask(two.place, longer)):
                return longer
        short = [self._telling(one, two, (z,)) for z in range(len(self.observations))]
        return min(filter(None, short), key=len, default=None)

    def _telling(self, one: _State, two: _State, word: Letters) -> Letters | None:
        """The shortest suffix along `word`, or beyond it, that H pays differently for from two states."""
        for i, z in enumerate(word):
            (one, left), (two, right) = self.step(one, z), self.step(two, z)
            if left != right:
                return word[:i + 1]
        if one is two:
            return None
        fork, left, right = _fork(one.leaf, two.leaf)
        return word + fork.discriminator[:_first_difference(left, right) + 1]

    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        shape = self._size, len(self.observations)
        return np.array(self._moves).reshape(shape), np.array(self._pays).reshape(shape)


def _fork(one: _TreeNode, two: _TreeNode) -> tuple[_TreeNode, Outcome, Outcome]:
    """The inner node at which the ways to two leaves part, and the outcomes by which they do."""
    while one.parent is not two.parent:
        if one.depth >= two.depth:
            one = one.parent
        else:
            two = two.parent
    return one.parent, one.outcome, two.outcome


def _first_difference(one: Outcome, two: Outcome) -> int:
    """Where two outcomes of the same suffix differ first."""
    return next(i for i, (left, right) in enumerate(zip(one, two, strict=True)) if left != right)
