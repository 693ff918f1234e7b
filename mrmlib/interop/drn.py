"""An MDP in Storm's explicit format, DRN: every state with its labels, every action with what it pays and leads to.

What labels and rewards mean is said in `prism`. Numbers are written with the shortest digits that read back to the same
bits.
"""

from ..nrmdp import MDP, NRMDP
from .prism import REWARDS, Labels, identifiers, labelled, legend, rows


def to_drn(mdp: NRMDP, labels: Labels | None = None, reachable: bool = True) -> str:
    """The model as a DRN file, on the states that can be reached or, if `reachable` is false, on all of them.

    >>> coin = MDP(["heads", "tails"], ["flip!"], lambda s, a: {"heads": 0.5, "tails": 0.5}, "tails",
    ...            lambda s, a, t: 3.0 if t == "heads" else 0.0)
    >>> print(to_drn(coin, labels={"won": ["heads"]}))
    // action flip_ is 'flip!'
    // state 0 is 'heads'
    // state 1 is 'tails'
    @type: MDP
    @parameters
    <BLANKLINE>
    @reward_models
    paid
    @nr_states
    2
    @nr_choices
    2
    @model
    state 0 won
      action flip_ [1.5]
        0 : 0.5
        1 : 0.5
    state 1 init
      action flip_ [1.5]
        0 : 0.5
        1 : 0.5
    <BLANKLINE>
    """
    model, carriers = labelled(mdp, labels, reachable)
    actions = identifiers(model.actions)
    worn = [[] for _ in model.states]
    for label, where in {"init": [model.states.index(model.initial)], **carriers}.items():
        for s in where:
            worn[s].append(label)
    pays = isinstance(model, MDP)
    paid = [f" [{r!r}]" for r in model.expected_rewards.tolist()] if pays else [""] * (len(worn) * len(actions))
    lines = [*legend(model, actions), "@type: MDP", "@parameters", "", "@reward_models", REWARDS if pays else "",
             "@nr_states", str(len(worn)), "@nr_choices", str(len(paid)), "@model"]
    for pair, row in enumerate(rows(model)):
        s, a = divmod(pair, len(actions))
        if a == 0:
            lines.append(" ".join([f"state {s}", *worn[s]]))
        lines.append(f"  action {actions[a]}{paid[pair]}")
        lines += [f"    {t} : {p!r}" for t, p in row]
    return "\n".join(lines) + "\n"
