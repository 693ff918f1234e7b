"""An MDP in the language of PRISM, which PRISM and Storm read: states become numbers, names become identifiers.

The text holds the states that can be reached. It has one integer variable, `state`, a command for each state and
action, and comments that say which name stands behind each number and each identifier. PRISM pays for a state and an
action, an MDP for a step s –a→ t: the reward structure "paid" holds the expected rewards R(a, s), which leaves every
expected value as it is (expected sums, discounted sums and mean payoffs, not the distribution of what is paid).

A label is a set of states. λ(a, s) also looks at the action, so that an observation is no label; what was observed
becomes one in a product, whose states remember the machine's node: each node u has the label "node_u" there. The
machines of `watch` turn "this has happened" into a node.

Storm tries every command in every state of such a text: 5,000 states take it a quarter of a minute, and twice as many
four times as long or more. Its own format, in `drn`, is read in proportion to its length.
"""

import re
from collections.abc import Hashable, Iterable, Mapping
from itertools import count, product

import numpy as np

from ..errors import ModelError
from ..names import Pairs, Subset
from ..nrmdp import MDP, NRMDP

Labels = Mapping[str, Iterable[Hashable]]
"""For each label the states that carry it."""

REWARDS = "paid"
LONGEST = 40  # letters of an identifier; the comments hold the whole name
_WORDS = """
    A bool ceil clock const ctmc C deadlock double dtmc E endinit endinvariant endmodule endobservables endplayer
    endrewards endsystem false filter floor formula func F global G I idtmc imdp init int invariant label log ma max mdp
    min mod module multi nondeterministic observable observables of P Pmax Pmin player pomdp popta pow prob
    probabilistic pta R rate rewards Rmax Rmin round S smg state stochastic system true U W world X
"""
RESERVED = frozenset(_WORDS.split())
"""Words that PRISM or Storm reserves, the two labels that they define, and the two names that the text itself uses."""


def to_prism(mdp: NRMDP, labels: Labels | None = None) -> str:
    """The model as a PRISM file. A product's nodes are labelled without being asked.

    >>> coin = MDP(["heads", "tails"], ["flip!"], lambda s, a: {"heads": 0.5, "tails": 0.5}, "tails",
    ...            lambda s, a, t: 3.0 if t == "heads" else 0.0)
    >>> print(to_prism(coin, labels={"won": ["heads"]}))
    mdp
    <BLANKLINE>
    // action flip_ is 'flip!'
    // state 0 is 'heads'
    // state 1 is 'tails'
    <BLANKLINE>
    module world
      state : [0..1] init 1;
      [flip_] state=0 -> 0.5:(state'=0) + 0.5:(state'=1);
      [flip_] state=1 -> 0.5:(state'=0) + 0.5:(state'=1);
    endmodule
    <BLANKLINE>
    rewards "paid"
      true : 0;
      [flip_] state=0 : 1.5;
      [flip_] state=1 : 1.5;
    endrewards
    <BLANKLINE>
    label "won" = state=0;
    <BLANKLINE>
    """
    model, carriers = labelled(mdp, labels)
    actions = identifiers(model.actions)
    pairs = list(product(range(len(model.states)), actions))
    lines = ["mdp", "", *legend(model, actions), "", "module world",
             f"  state : [0..{len(model.states) - 1}] init {model.states.index(model.initial)};"]
    for (s, action), row in zip(pairs, rows(model), strict=True):
        lines.append(f"  [{action}] state={s} -> {' + '.join(f'''{p!r}:(state'={t})''' for t, p in row)};")
    lines += ["endmodule", ""]
    if isinstance(model, MDP):
        lines += [f'rewards "{REWARDS}"', "  true : 0;"]  # Storm refuses a structure without any entry
        lines += [f"  [{action}] state={s} : {r!r};"
                  for (s, action), r in zip(pairs, model.expected_rewards.tolist(), strict=True) if r]
        lines += ["endrewards", ""]
    lines += [f'label "{label}" = {"|".join(f"state={s}" for s in where) or "false"};'
              for label, where in carriers.items()]
    return "\n".join(lines) + "\n"


def labelled(mdp: NRMDP, labels: Labels | None = None, reachable: bool = True) -> tuple[NRMDP, dict[str, list[int]]]:
    """The model as it is handed over, and for each label the positions of the states that carry it.

    >>> trap = NRMDP("abc", ["go"], lambda s, a: {"c": 1.0}, "a")
    >>> labelled(trap, {"end": "bc"})
    (NRMDP(2 states, 1 actions, 2 transitions, initial 'a'), {'end': [1]})
    >>> labelled(trap, {"end": "d"})
    Traceback (most recent call last):
    mrmlib.errors.ModelError: the label 'end' is given to 'd', which is not a state
    """
    model = mdp.reachable() if reachable else mdp
    carriers = _nodes(model)
    for label, states in (labels or {}).items():
        if not (isinstance(label, str) and re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", label)):
            raise ModelError(f"the label {label!r} is not made of letters a–z, digits and underscores, no digit first")
        if label in RESERVED:
            raise ModelError(f"the label {label!r} is a reserved word of PRISM")
        if label in carriers:
            raise ModelError(f"the label {label!r} is that of a node of the machine already")
        states = tuple(states)
        for s in states:
            if s not in mdp.states:
                raise ModelError(f"the label {label!r} is given to {s!r}, which is not a state")
        carriers[label] = sorted({model.states.index(s) for s in states if s in model.states})
    return model, carriers


def _nodes(model: NRMDP) -> dict[str, list[int]]:
    """The labels of a product: for each node the states that are in it."""
    states, positions = model.states, np.arange(len(model.states))
    if isinstance(states, Subset):
        states, positions = states.whole, states.positions
    if not isinstance(states, Pairs):
        return {}
    names = identifiers(f"node_{u}" for u in states.right)
    return {name: np.flatnonzero(positions % len(names) == u).tolist() for u, name in enumerate(names)}


def identifiers(names: Iterable[Hashable]) -> list[str]:
    """For each name an identifier of its own, as close to the name as PRISM allows.

    >>> identifiers(["north", "go north", "go-north", "F", 7, "7"])
    ['north', 'go_north', 'go_north_2', 'F_2', '_7', '_7_2']
    """
    taken: dict[str, None] = {}
    for name in names:
        plain = re.sub("[^A-Za-z0-9_]", "_", str(name))[:LONGEST]
        plain = plain if re.match("[A-Za-z_]", plain) else f"_{plain}"
        tries = (plain if i == 1 else f"{plain}_{i}" for i in count(1))
        taken[next(word for word in tries if word not in RESERVED and word not in taken)] = None
    return list(taken)


def legend(model: NRMDP, actions: list[str]) -> list[str]:
    """Comments that tell the names of actions and states; a name cannot leave its line.

    >>> legend(NRMDP(["a\\nb"], ["go!"], lambda s, a: {s: 1.0}, "a\\nb"), ["go_"])
    ["// action go_ is 'go!'", "// state 0 is 'a\\\\nb'"]
    """
    named = [*((f"action {word}", a) for word, a in zip(actions, model.actions, strict=True)),
             *((f"state {i}", s) for i, s in enumerate(model.states))]
    return [f"// {what} is {_printable(repr(name))}" for what, name in named]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def rows(model: NRMDP) -> Iterable[list[tuple[int, float]]]:
    """The successors of each pair (s, a) and their probabilities, by position, which increases in a row.

    >>> list(rows(NRMDP("st", ["go"], lambda s, a: {"t": 0.75, "s": 0.25}, "s")))
    [[(0, 0.25), (1, 0.75)], [(0, 0.25), (1, 0.75)]]
    """
    entries = list(zip(model.targets.tolist(), model.probabilities.tolist(), strict=True))
    return (sorted(entries[i:j]) for i, j in zip(model.starts, model.starts[1:], strict=False))
