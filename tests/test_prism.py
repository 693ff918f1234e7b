"""PRISM files: Storm reads them, finds the model that was written, and no name breaks them."""

import re
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop.prism import RESERVED, identifiers, labelled, to_prism
from mrmlib.interop.watch import watch

from .random_models import nrmdps, random_mdp, worlds

stormpy = pytest.importorskip("stormpy")

READ = 1e-14  # Storm's reader of digits is off by a last bit or two
ITERATED = 2e-6  # Storm is content with a relative error of 1e-6


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Storm's model of a PRISM text, with all that the text says."""
    file = tmp_path_factory.mktemp("prism") / "model.prism"

    def build(text):
        file.write_text(text, encoding="utf-8")
        program = stormpy.parse_prism_program(file)
        return stormpy.build_model(program, options=stormpy.BuilderOptions(build_full=True))

    return build


def numbers(model):
    """Which of our positions each of Storm's states is: it numbers them as it finds them."""
    valuations = model.state_valuations
    return valuations.get_values_states(next(iter(valuations.get_all_variables())))


def value(model, formula):
    return stormpy.model_checking(model, stormpy.parse_property(formula)).get_value(model.initial_states[0])


@given(worlds())
def test_storm_reads_the_product_that_was_written(read, world):
    product = mrm.product(*world).reachable()
    model, words = read(to_prism(product)), identifiers(product.actions)
    place = numbers(model)
    assert sorted(place) == list(range(len(product.states)))
    assert place[model.initial_states[0]] == product.states.index(product.initial)
    assert (model.nr_choices, model.nr_transitions) == (len(product.starts) - 1, len(product.targets))
    structure = model.reward_models["paid"]
    paid = structure.state_action_rewards if structure.has_state_action_rewards else [0.0] * model.nr_choices
    for state in model.states:
        name = product.states[place[state.id]]
        assert f"node_{name[1]}" in state.labels
        for choice in state.actions:
            row = model.nondeterministic_choice_indices[state.id] + choice.id
            (word,) = model.choice_labeling.get_labels_of_choice(row)
            action = product.actions[words.index(word)]
            assert {product.states[place[step.column]]: step.value for step in choice.transitions} == pytest.approx(
                product.successors(name, action), rel=READ)
            assert paid[row] == pytest.approx(product.expected_reward(name, action), rel=READ, abs=READ)


@given(nrmdps())
def test_every_probability_is_written_with_digits_that_read_back_to_the_same_bits(mdp):
    mdp = mdp.reachable()
    written = [{int(t): float(p) for p, t in re.findall(r"([0-9.e-]+):\(state'=(\d+)\)", line)}
               for line in to_prism(mdp).splitlines() if "->" in line]
    rows = zip(mdp.starts, mdp.starts[1:], strict=False)
    assert written == [dict(zip(mdp.targets[i:j].tolist(), mdp.probabilities[i:j].tolist(), strict=True))
                       for i, j in rows]


def test_rows_whose_digits_do_not_quite_sum_to_one_are_read(read):
    """0.1 + 0.2 + 0.7, ten tenths, three thirds, and one that is nearly certain."""
    weights = [(0.1, 0.2, 0.7), (0.1,) * 10, (1 / 3,) * 3, (1e-300, 1.0 - 1e-13, 1e-13)]
    mdp = mrm.NRMDP(range(10), "abcd", lambda s, a: dict(enumerate(weights["abcd".index(a)])), 0)
    assert read(to_prism(mdp)).nr_transitions == 10 * (3 + 10 + 3 + 3)


@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(apf=0.75), mrm.domains.treasure_map(c=0.0),
                                    mrm.domains.cookie()], ids=lambda domain: domain.name)
def test_storm_finds_the_mean_payoff_of_a_written_domain(read, domain):
    model = read(to_prism(domain.product))
    reachable = domain.product.reachable()
    assert (model.nr_states, model.nr_transitions) == (len(reachable.states), len(reachable.targets))
    solution = mrm.solve_mean_payoff(domain.product)
    assert value(model, 'R{"paid"}max=? [ LRA ]') == pytest.approx(solution.value, rel=ITERATED)


@pytest.mark.parametrize(("domain", "pairs", "chances"), [
    (mrm.domains.cookie(), [("u2", "red_crum"), ("u3", "blu_crum")], {7: 0.0, 8: 1.0}),
    (mrm.domains.make("assembly"), [("u4", "ship")], {6: 0.0, 7: 0.9**7, 8: 1.7 * 0.9**7}),
], ids=["cookie", "assembly"])
def test_storm_finds_how_likely_a_step_is_within_so_many_actions(read, domain, pairs, chances):
    """A cookie takes two moves, a push, four moves and a bite, whichever room it is in: 8 actions.

    A pack is shipped after 7 moves if it is sealed hot: all of 7 succeed, or 7 or 8 of 8: 0.9⁸ + 8·0.1·0.9⁷.
    """
    product = mrm.product(domain.mdp, domain.labelling, watch(domain.machine, pairs))
    model = read(to_prism(product))
    for n, chance in chances.items():
        assert value(model, f'Pmax=? [ F<={n} "node_seen" ]') == pytest.approx(chance, abs=1e-12)
        assert mrm.solve_finite(product, n).value == pytest.approx(chance, abs=1e-12)


def test_a_world_without_rewards_has_no_reward_structure(read):
    mdp = mrm.NRMDP("st", ["go"], lambda s, a: {"t": 1.0}, "s")
    assert "rewards" not in to_prism(mdp)
    assert not read(to_prism(mdp)).reward_models


def test_a_model_that_never_pays_still_has_its_reward_structure(read):
    mdp = mrm.MDP("s", ["go"], lambda s, a: {"s": 1.0}, "s", lambda s, a, t: 0.0)
    assert value(read(to_prism(mdp)), 'R{"paid"}max=? [ C<=3 ]') == 0.0


ODD = ('"', "\n", "x\nendmodule", "// y", "é", "∞", "init", "F", "true", "state", "world", "s'=1", "\\", "\u2028", "")
names = st.text(max_size=6) | st.integers() | st.sampled_from(ODD)


@given(st.lists(names, min_size=1, max_size=4, unique_by=lambda name: (type(name), name)),
       st.lists(names, min_size=1, max_size=3, unique_by=lambda name: (type(name), name)))
def test_no_name_of_a_state_action_or_node_breaks_the_file(read, states, actions):
    mdp = mrm.NRMDP(states, actions, lambda s, a: dict.fromkeys(states, 1 / len(states)), states[0])
    machine = mrm.MealyRewardMachine({(u, "z"): (states[0], 1.0) for u in states}, states[-1])
    product = mrm.product(mdp, mrm.Labelling({(actions[0], states[0]): "z"}, ["z"]), machine).reachable()
    model = read(to_prism(product, labels={"mine": [product.initial]}))
    assert (model.nr_states, model.nr_transitions) == (len(product.states), len(product.targets))
    assert len(model.choice_labeling.get_labels()) == len(actions)
    assert len(model.labeling.get_labels()) == len(states) + 3  # a label for each node, init, deadlock and mine


class Shouting:
    def __repr__(self):
        return "loud\nendmodule\r\n\u2028module x"


def test_a_name_that_prints_itself_over_several_lines_stays_in_its_comment():
    loud = Shouting()
    text = to_prism(mrm.NRMDP([loud], ["go"], lambda s, a: {s: 1.0}, loud))
    assert "// state 0 is loud\\nendmodule\\r\\n\\u2028module x" in text.splitlines()
    assert text.count("\nendmodule") == 1


@given(st.lists(names | st.floats(-inf, inf), max_size=8))
def test_identifiers_are_distinct_well_formed_and_not_reserved(given_names):
    words = identifiers(given_names)
    assert len(set(words)) == len(words) == len(given_names)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", word) for word in words)
    assert not RESERVED & set(words)


def test_names_that_are_identifiers_already_are_kept():
    assert identifiers(["n", "e", "w", "s", "push_button"]) == ["n", "e", "w", "s", "push_button"]


def test_storm_accepts_an_action_of_any_name_that_prism_reserves(read):
    words = sorted(RESERVED)
    mdp = mrm.NRMDP([0], words, lambda s, a: {0: 1.0}, 0)
    assert read(to_prism(mdp)).choice_labeling.get_labels() == {f"{word}_2" for word in words}


def test_a_label_is_given_to_the_reachable_ones_among_its_states():
    mdp = mrm.NRMDP("abc", ["go"], lambda s, a: {"c": 1.0}, "a")
    assert 'label "some" = state=0|state=1;' in to_prism(mdp, {"some": "cba"})
    assert 'label "none" = false;' in to_prism(mdp, {"none": ["b"]})
    assert labelled(mdp, {"all": "abc"}, reachable=False)[1] == {"all": [0, 1, 2]}


@pytest.mark.parametrize(("labels", "message"), [
    ({"goal": ["s", "nowhere"]}, "the label 'goal' is given to 'nowhere', which is not a state"),
    ({"goal": [["s"]]}, r"the label 'goal' is given to \['s'\], which is not a state"),
    ({"the goal": ["s"]}, "the label 'the goal' is not made of"),
    ({'goal" = true; //': ["s"]}, "is not made of"),
    ({"goal\n": ["s"]}, r"the label 'goal\\n' is not made of"),
    ({"ziél": ["s"]}, "the label 'ziél' is not made of"),
    ({"2nd": ["s"]}, "no digit first"),
    ({"": ["s"]}, "the label '' is not made of"),
    ({7: ["s"]}, "the label 7 is not made of"),
    ({"init": ["s"]}, "the label 'init' is a reserved word"),
    ({"F": ["s"]}, "the label 'F' is a reserved word"),
])
def test_a_label_that_does_not_fit_is_refused_by_name(labels, message):
    mdp = mrm.NRMDP("st", ["go"], lambda s, a: {"t": 1.0}, "s")
    with pytest.raises(mrm.ModelError, match=message):
        to_prism(mdp, labels)


def test_a_label_that_a_node_has_already_is_refused():
    product = mrm.domains.cookie().product
    with pytest.raises(mrm.ModelError, match="the label 'node_u0' is that of a node"):
        to_prism(product, {"node_u0": [product.initial]})


def test_the_same_model_is_always_written_the_same():
    one, two = (random_mdp(np.random.default_rng(5)) for _ in range(2))
    assert to_prism(one) == to_prism(two)
