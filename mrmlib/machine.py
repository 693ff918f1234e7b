"""Mealy reward machines (paper, Def. 1): ⟨U, u0, Z, δu, δr⟩. Nodes are u and v, observations z.

Inside, `node_table[u, z]` is δu and `reward_table[u, z]` is δr, by position. Both have one more column, the last, for
null: it stays at its node and pays c. A labelling's −1 for null indexes just that column.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from html import escape
from typing import Any, Self

import numba
import numpy as np

from . import document
from .errors import FormatError, ModelError, QueryError, finite
from .names import Names
from .words import NULL, Word, observations


class MealyRewardMachine:
    """A machine that reads observations and pays rewards.

    >>> sale = MealyRewardMachine({("u0", "map"): ("u1", 10.0), ("u0", "shop"): ("u0", 0.0),
    ...                            ("u1", "map"): ("u1", 0.0), ("u1", "shop"): ("u0", 60.0)}, "u0")
    >>> sale.rewards(("shop", "map", "shop"))
    (0.0, 10.0, 60.0)
    >>> sale.step("u1", "null")
    ('u1', 0.0)
    """

    nodes: Names
    observations: Names
    initial: Hashable
    null_reward: float
    node_table: np.ndarray
    reward_table: np.ndarray

    def __init__(self, transitions: Mapping[tuple[Hashable, Hashable], tuple[Hashable, float]], initial: Hashable,
                 null_reward: float = 0.0) -> None:
        """`transitions` is {(u, z): (v, r)}, total over its nodes × its observations, which keep their order there."""
        if not isinstance(transitions, Mapping):
            raise ModelError(f"the transitions of a machine are a mapping {{(u, z): (v, r)}}, not {transitions!r}")
        for key in transitions:
            if not (isinstance(key, tuple) and len(key) == 2):
                raise ModelError(f"δ is given for {key!r}, which is not a pair (node, observation)")
        nodes = Names(dict.fromkeys(u for u, _ in transitions), "node")
        letters = Names(dict.fromkeys(z for _, z in transitions), "observation")
        filled = [[_transition(transitions, nodes, u, z) for z in letters] for u in nodes]
        self._fill(nodes, letters, initial, null_reward,
                   np.array([[v for v, _ in row] for row in filled], dtype=np.int32),
                   np.array([[r for _, r in row] for row in filled]))

    @classmethod
    def of_arrays(cls, nodes: Sequence, letters: Sequence, initial: Hashable, null_reward: float,
                  targets: np.ndarray, rewards: np.ndarray) -> Self:
        """The machine with δu and δr given as arrays over nodes × observations; the arrays are not checked."""
        self = cls.__new__(cls)
        self._fill(Names(nodes, "node"), Names(letters, "observation"), initial, null_reward, targets, rewards)
        return self

    def _fill(self, nodes: Names, letters: Names, initial: Hashable, null_reward: float,
              targets: np.ndarray, rewards: np.ndarray) -> None:
        if initial not in nodes:
            raise ModelError(f"the start node {initial!r} is not a node")
        null_reward = finite(null_reward, "the reward of null")
        size = len(nodes)
        tables = (np.column_stack([targets, np.arange(size)]).astype(np.int32),
                  np.column_stack([rewards, np.full(size, null_reward)]))
        for table in tables:
            table.setflags(write=False)
        self.__dict__.update(nodes=nodes, observations=letters, initial=initial, null_reward=null_reward,
                             node_table=tables[0], reward_table=tables[1])

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"a machine is frozen: {name!r} cannot be changed")

    __delattr__ = __setattr__

    def __reduce__(self):  # a pickled array would come back writable
        return self.of_arrays, (self.nodes, self.observations, self.initial, self.null_reward,
                                self.node_table[:, :-1], self.reward_table[:, :-1])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MealyRewardMachine)
            and (self.nodes, self.observations, self.initial) == (other.nodes, other.observations, other.initial)
            and np.array_equal(self.node_table, other.node_table)
            and np.array_equal(self.reward_table, other.reward_table)
        )

    __hash__ = None

    def __repr__(self) -> str:
        return (f"MealyRewardMachine({len(self.nodes)} nodes, {len(self.observations)} observations, "
                f"initial {self.initial!r}, null_reward {self.null_reward})")

    def _repr_html_(self) -> str:
        """The table of δ; a pair that stays at its node and pays as null does is a dot."""
        head = "".join(f"<th>{escape(str(z))}</th>" for z in self.observations)
        body = ""
        for i, u in enumerate(self.nodes):
            cells = zip(self.node_table[i, :-1].tolist(), self.reward_table[i, :-1].tolist(), strict=True)
            body += f"<tr><th>{'→ ' if u == self.initial else ''}{escape(str(u))}</th>" + "".join(
                "<td>·</td>" if (v, r) == (i, self.null_reward) else f"<td>{escape(str(self.nodes[v]))} | {r:g}</td>"
                for v, r in cells) + "</tr>"
        caption = f"δ(u, z) = node | reward; · stays and pays {self.null_reward:g}"
        return f"<table><caption>{caption}</caption><tr><th>node</th>{head}</tr>{body}</table>"

    @property
    def transitions(self) -> dict[tuple[Hashable, Hashable], tuple[Hashable, float]]:
        """δ as the mapping {(u, z): (v, r)} that builds the machine again."""
        return {(u, z): self.step(u, z) for u in self.nodes for z in self.observations}

    def column(self, z: Hashable) -> int:
        """Where z stands in the tables: null, unless it is a letter, in the last column."""
        if z in self.observations:
            return self.observations.index(z)
        if z == NULL:
            return -1
        raise QueryError(f"unknown observation {z!r}: the machine reads {', '.join(map(str, self.observations))}")

    def tables(self, letters: Sequence[Hashable]) -> tuple[np.ndarray, np.ndarray]:
        """δu and δr with one column for each of `letters`, and a last one for null."""
        for z in letters:
            if z not in self.observations and z != NULL:
                raise ModelError(f"the machine does not read {z!r}, but {', '.join(map(str, self.observations))}")
        columns = [self.column(z) for z in letters] + [-1]
        # One memory layout, so that a kernel is compiled once for all machines.
        return np.ascontiguousarray(self.node_table[:, columns]), np.ascontiguousarray(self.reward_table[:, columns])

    def step(self, node: Hashable, z: Hashable) -> tuple[Hashable, float]:
        """(δu(u, z), δr(u, z)); null stays and pays c."""
        u, column = self.nodes.index(node), self.column(z)
        return self.nodes[self.node_table[u, column]], float(self.reward_table[u, column])

    def rewards(self, word: Word, start: Hashable | None = None) -> tuple[float, ...]:
        """δ*_r: what the machine pays, letter by letter, from its start node or from `start`."""
        u = self.nodes.index(self.initial if start is None else start)
        paid = []
        for column in [self.column(z) for z in word]:
            paid.append(float(self.reward_table[u, column]))
            u = self.node_table[u, column]
        return tuple(paid)

    def history_rewards(self, history: tuple[Hashable, ...], labelling: Callable,
                        start: Hashable | None = None) -> tuple[float, ...]:
        """δ*_r of a history s0 a0 s1 …, read through λ: one reward for each action."""
        return self.rewards(observations(history, labelling), start)

    def minimal(self) -> Self:
        """The smallest machine that pays the same for every word; equivalent machines over the same Z give equal ones.

        Its nodes are u0, u1, … in the order in which they are first reached, shorter words and earlier letters first
        (the order of Z counts: machines that list their observations in different orders are never equal).
        """
        part = _partition(self.node_table, self.reward_table)
        block, order = {part[self.nodes.index(self.initial)]: 0}, [self.nodes.index(self.initial)]
        for u in order:  # grows as it is read: breadth first
            for v in self.node_table[u, :-1]:
                if part[v] not in block:
                    block[part[v]] = len(order)
                    order.append(v)
        targets = np.array([[block[part[v]] for v in self.node_table[u, :-1]] for u in order], dtype=np.int32)
        names = [f"u{i}" for i in range(len(order))]
        return self.of_arrays(names, self.observations, "u0", self.null_reward,
                              targets.reshape(len(order), -1), self.reward_table[order, :-1])

    def with_null_as_letter(self) -> Self:
        """The machine as an agent meets it that cannot tell null apart: null is one more letter, stays and pays c.

        >>> MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("u", 2.0)}, "u").with_null_as_letter().observations
        ('a', 'null')
        """
        if NULL in self.observations:
            return self
        return self.of_arrays(self.nodes, (*self.observations, NULL), self.initial, self.null_reward,
                              self.node_table, self.reward_table)

    def difference(self, other: "MealyRewardMachine") -> Word | None:
        """A shortest word over Z for which the two machines pay differently, or None if there is none.

        >>> one = MealyRewardMachine({("u", "a"): ("u", 1.0)}, "u")
        >>> two = MealyRewardMachine({("u", "a"): ("v", 1.0), ("v", "a"): ("v", 2.0)}, "u")
        >>> one.difference(two)
        ('a', 'a')
        """
        if set(self.observations) != set(other.observations):
            raise ModelError(f"machines over different observations: {tuple(self.observations)} "
                             f"and {tuple(other.observations)}")
        letters = _separate(*self.tables(self.observations), self.nodes.index(self.initial),
                            *other.tables(self.observations), other.nodes.index(other.initial))
        return None if letters[0] < 0 else tuple(self.observations[z] for z in letters)

    def equivalent(self, other: "MealyRewardMachine") -> bool:
        """Do the two pay the same for every word, nulls included?"""
        return self.null_reward == other.null_reward and self.difference(other) is None

    def to_json(self) -> str:
        """The machine as a JSON document that `from_json` reads back, bit for bit."""
        cells = np.stack([self.node_table, self.reward_table], axis=-1)[:, :-1]
        return document.dump("machine", {
            "nodes": [document.name_to_json(u) for u in self.nodes],
            "observations": [document.name_to_json(z) for z in self.observations],
            "initial": document.name_to_json(self.initial),
            "null_reward": self.null_reward,
            "transitions": [[[int(v), r] for v, r in row] for row in cells.tolist()],
        })

    @classmethod
    def from_json(cls, text: str, source: str = "text") -> Self:
        """The machine in a JSON document; `source` is what errors call it.

        >>> m = MealyRewardMachine({("u", "a"): ("u", 0.1)}, "u", null_reward=-1.0)
        >>> MealyRewardMachine.from_json(m.to_json()) == m
        True
        """
        return document.load(text, "machine", cls._from_content, source)

    @classmethod
    def _from_content(cls, content: dict[str, Any]) -> Self:
        nodes = document.names_from_json(content["nodes"], "node")
        letters = document.names_from_json(content["observations"], "observation")
        rows = content["transitions"]
        if len(rows) != len(nodes) or any(len(row) != len(letters) for row in rows):
            raise FormatError(f"transitions must have a row for each of {len(nodes)} nodes, "
                              f"with an entry for each of {len(letters)} observations")
        for v, _ in (entry for row in rows for entry in row):
            if type(v) is not int or not 0 <= v < len(nodes):
                raise FormatError(f"a transition leads to {v!r}, which is not a position in nodes")
        return cls({(u, z): (nodes[v], r) for u, row in zip(nodes, rows, strict=True)
                    for z, (v, r) in zip(letters, row, strict=True)},
                   document.name_from_json(content["initial"]), content["null_reward"])


def _transition(transitions: Mapping, nodes: Names, u: Hashable, z: Hashable) -> tuple[int, float]:
    """(δu(u, z), δr(u, z)) by position, checked."""
    if (u, z) not in transitions:
        raise ModelError(f"δ({u!r}, {z!r}) is missing: a machine is total over its nodes and observations")
    try:
        v, r = transitions[u, z]
    except (TypeError, ValueError):
        raise ModelError(f"δ({u!r}, {z!r}) is {transitions[u, z]!r}, not a pair (node, reward)") from None
    if v not in nodes:
        raise ModelError(f"δ({u!r}, {z!r}) leads to {v!r}, which has no transitions of its own")
    return nodes.index(v), finite(r, f"the reward of δ({u!r}, {z!r})")


def _partition(targets: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    """The block of each node in the coarsest partition that pays alike and moves alike (Moore's refinement)."""
    block, count = np.zeros(len(targets), dtype=np.int64), 0
    signature = np.unique(rewards, return_inverse=True)[1].reshape(rewards.shape)
    while True:
        blocks, block = np.unique(signature, axis=0, return_inverse=True)
        block = block.reshape(-1)
        if len(blocks) == count:
            return block
        count, signature = len(blocks), np.column_stack([block, block[targets]])


@numba.njit(cache=True)
def _separate(next_a, pay_a, a, next_b, pay_b, b):
    """The letters of a shortest word on which two machines pay differently; (−1,) if there is none.

    Breadth first over pairs of nodes; `came[pair]` remembers the pair before and the letter that led here. The last
    column is null, which is no letter.
    """
    letters, width = next_a.shape[1] - 1, len(next_b)
    came = np.full(len(next_a) * width, -2, dtype=np.int64)
    queue = np.empty(len(came), dtype=np.int64)
    queue[0], head, tail = a * width + b, 0, 1
    came[queue[0]] = -1
    while head < tail:
        pair = queue[head]
        head += 1
        u, v = pair // width, pair % width
        for z in range(letters):
            if pay_a[u, z] != pay_b[v, z]:
                word = [z]
                while came[pair] >= 0:
                    word.append(came[pair] % letters)
                    pair = came[pair] // letters
                return np.array(word[::-1])
            after = next_a[u, z] * width + next_b[v, z]
            if came[after] == -2:
                came[after] = pair * letters + z
                queue[tail] = after
                tail += 1
    return np.array([-1])
