"""Storm, the model checker, asked about an MDP: any question of temporal logic, and second opinions on `solve`.

The model is handed over as arrays, bit for bit, through stormpy, which is imported only when it is needed. What labels
and the rewards "paid" mean is said in `prism`. An answer is as good as Storm's defaults: exact but for rounding where
the question is bounded by a number of steps, else to a relative 1e-6, and to 1e-4 for several objectives at once.
"""

import re
from typing import Any

import numpy as np

from ..errors import ModelError, QueryError
from ..names import ByName
from ..nrmdp import MDP, NRMDP
from ..words import check_discount
from .prism import REWARDS, Labels, identifiers, labelled


def to_storm(mdp: NRMDP, labels: Labels | None = None, reachable: bool = True) -> Any:
    """The model as a sparse MDP of stormpy; its state i is the i-th reachable one, or the i-th of all.

    >>> coin = NRMDP(["heads", "tails"], ["flip", "keep"],
    ...              lambda s, a: {"heads": 0.5, "tails": 0.5} if a == "flip" else {s: 1.0}, "heads")
    >>> model = to_storm(coin, labels={"lost": ["tails"]})
    >>> model.nr_states, model.nr_choices, model.nr_transitions, model.states[1].labels
    (2, 4, 6, {'lost'})
    """
    import stormpy

    model, carriers = labelled(mdp, labels, reachable)
    states, actions = len(model.states), len(model.actions)
    rows = np.repeat(np.arange(states * actions), np.diff(model.starts))
    order = np.lexsort([model.targets, rows])  # Storm wants the entries of a row in order
    builder = stormpy.datastructures.SparseMatrixBuilder[float](
        rows=states * actions, columns=states, entries=len(rows), has_custom_row_grouping=True, row_groups=states)
    builder.add_next_values(rows.tolist(), model.targets[order].tolist(), model.probabilities[order].tolist(),
                            list(range(0, states * actions, actions)))
    labelling = stormpy.models.StateLabeling(states)
    for label, where in {"init": [model.states.index(model.initial)], **carriers}.items():
        labelling.add_label(label)
        labelling.set_states(label, stormpy.datastructures.BitVector(states, where))
    choices = stormpy.models.ChoiceLabeling(states * actions)
    for a, action in enumerate(identifiers(model.actions)):
        choices.add_label(action)
        chosen = list(range(a, states * actions, actions))
        choices.set_choices(action, stormpy.datastructures.BitVector(states * actions, chosen))
    rewards = {REWARDS: stormpy.models.SparseRewardModel[float](
        optional_state_action_reward_vector=model.expected_rewards.tolist())} if isinstance(model, MDP) else {}
    parts = stormpy.models.SparseModelComponents[float](
        transition_matrix=builder.build(), state_labeling=labelling, reward_models=rewards)
    parts.choice_labeling = choices
    return stormpy.models.SparseMdp[float](parts)


def ask(mdp: NRMDP, formula: str, labels: Labels | None = None) -> float | bool:
    """Storm's answer to a property in PRISM's syntax, at the initial state: a number, or a truth value.

    Pmax=? [ … ] asks for the best strategy; P>=0.9 [ … ] asks whether every strategy is that good. A long-run average
    of rewards that is exactly 0 is out of Storm's reach: ask `solve_mean_payoff`.

    >>> coin = NRMDP(["heads", "tails"], ["flip", "keep"],
    ...              lambda s, a: {"heads": 0.5, "tails": 0.5} if a == "flip" else {s: 1.0}, "heads")
    >>> ask(coin, 'Pmax=? [ F<=3 "lost" ]', labels={"lost": ["tails"]})
    0.875
    >>> ask(coin, 'P>=0.9 [ F<=3 "lost" ]', labels={"lost": ["tails"]})
    False
    """
    model = to_storm(mdp, labels)
    result = check(model, formula)
    start = model.initial_states[0]
    if result.is_explicit_quantitative_check_result():
        return result.get_value(start)
    if result.is_explicit_qualitative_check_result():
        return result[start]
    raise QueryError(f"Storm answers {formula!r} with a curve of trade-offs, not with a number or a truth value")


def check(model: Any, formula: str) -> Any:
    """Storm's own result for one property of a model that was handed over.

    >>> coin = to_storm(NRMDP("s", ["stay"], lambda s, a: {"s": 1.0}, "s"))
    >>> check(coin, 'Pmax=? [ F "gone" ]')
    Traceback (most recent call last):
    mrmlib.errors.QueryError: Storm cannot answer 'Pmax=? [ F "gone" ]': The property refers to unknown label 'gone'.
    """
    import stormpy

    level = stormpy.developer.get_log_level()
    stormpy.developer.set_log_level(stormpy.developer.LogLevel.OFF)  # what goes wrong is raised, not also printed
    try:
        result = stormpy.model_checking(model, stormpy.parse_property(formula))
    except (RuntimeError, stormpy.exceptions.StormError) as error:
        reason = re.sub(r"^(\w+Exception: )+", "", str(error).strip())  # the names of Storm's own classes say little
        raise QueryError(f"Storm cannot answer {formula!r}: {reason}") from None
    finally:
        stormpy.developer.set_log_level(level)
    if result is None:
        raise QueryError(f"Storm cannot answer {formula!r}: stormpy has no form for its result")
    return result


def solve_mean_payoff(mdp: MDP) -> ByName:
    """The largest expected mean payoff of every state, by Storm, to 1e-6 of the largest reward.

    Storm iterates to a relative precision and never ends where the value is 0. Every reward is therefore raised by the
    same amount, until all are at least 1, and the values lowered again.

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s",
    ...           lambda s, a, t: 2.0 if s == t == "t" else 1.0)
    >>> round(solve_mean_payoff(mdp)["s"], 5)
    2.0
    """
    _paying(mdp)
    raised = 1.0 - min(0.0, float(mdp.rewards.min()))
    positive = MDP.of_arrays(mdp.states, mdp.actions, mdp.initial, mdp.starts, mdp.targets, mdp.probabilities,
                             mdp.rewards + raised)
    return ByName(mdp.states, _values(positive, "LRA") - raised)


def solve_discounted(mdp: MDP, gamma: float) -> ByName:
    """The largest expected discounted sum of every state, by Storm; it is the paper's, γ times Storm's own.

    >>> mdp = MDP("st", ["stay", "go"], lambda s, a: {s if a == "stay" else "t": 1.0}, "s",
    ...           lambda s, a, t: 1.0 if s == t == "t" else 0.0)
    >>> round(solve_discounted(mdp, 0.5)["s"], 5)
    0.5
    """
    check_discount(gamma)
    _paying(mdp)
    return ByName(mdp.states, gamma * _values(mdp, f"Cdiscount={gamma!r}"))


def _values(mdp: MDP, total: str) -> np.ndarray:
    result = check(to_storm(mdp, reachable=False), f'R{{"{REWARDS}"}}max=? [ {total} ]')
    return np.array(result.get_value_vector())


def _paying(mdp: NRMDP) -> None:
    if not isinstance(mdp, MDP):
        raise ModelError(f"{mdp!r} pays nothing: an MDP with rewards is wanted")
