"""DRN files: Storm reads them as the very model that was written, state by state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.interop.drn import to_drn
from mrmlib.interop.prism import identifiers

from .random_models import worlds

stormpy = pytest.importorskip("stormpy")

READ = 1e-15  # Storm's reader of digits may be off by a last bit


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Storm's model of a DRN text, with the names of its choices."""
    file = tmp_path_factory.mktemp("drn") / "model.drn"
    options = stormpy.io.DirectEncodingParserOptions()
    options.build_choice_labeling = True

    def build(text):
        file.write_text(text, encoding="utf-8")
        return stormpy.build_model_from_drn(file, options=options)

    return build


def same(model, mdp):
    """Is Storm's model ours, with the same numbers for states and choices?"""
    words, pairs = identifiers(mdp.actions), [(s, a) for s in mdp.states for a in mdp.actions]
    assert (model.nr_states, model.nr_choices, model.nr_transitions) == (
        len(mdp.states), len(pairs), len(mdp.targets))
    assert mdp.states[model.initial_states[0]] == mdp.initial
    for row, (s, a) in enumerate(pairs):
        found = {mdp.states[entry.column]: entry.value for entry in model.transition_matrix.get_row(row)}
        assert found == pytest.approx(mdp.successors(s, a), rel=READ)
        assert model.choice_labeling.get_labels_of_choice(row) == {words[mdp.actions.index(a)]}
    return True


@given(worlds(), st.booleans())
def test_storm_reads_the_product_that_was_written(read, world, reachable):
    product = mrm.product(*world)
    model = read(to_drn(product, reachable=reachable))
    product = product.reachable() if reachable else product
    assert same(model, product)
    structure = model.reward_models["paid"]
    paid = structure.state_action_rewards if structure.has_state_action_rewards else [0.0] * model.nr_choices
    assert paid == pytest.approx(product.expected_rewards, rel=READ)
    for i, (_, u) in enumerate(product.states):
        assert model.states[i].labels == {f"node_{u}"} | ({"init"} if product.states[i] == product.initial else set())


@pytest.mark.parametrize("domain", [mrm.domains.treasure_map(apf=apf) for apf in (0.75, 0.85, 0.95, 1.0)]
                         + [mrm.domains.cookie()], ids=lambda domain: domain.name)
def test_storm_finds_the_mean_payoff_of_a_written_domain(read, domain):
    """Storm's default environment is content with a relative error of 1e-6."""
    product = domain.product.reachable()
    model = read(to_drn(domain.product))
    assert (model.nr_states, model.nr_transitions) == (len(product.states), len(product.targets))
    result = stormpy.model_checking(model, stormpy.parse_property('R{"paid"}max=? [ LRA ]'))
    values = [result.get_value(i) for i in range(len(product.states))]
    assert mrm.solve_mean_payoff(product).values.array == pytest.approx(values, rel=2e-6, abs=2e-6)


def test_a_world_without_rewards_is_read_too(read):
    mdp = mrm.domains.cookie().mdp
    model = read(to_drn(mdp))
    assert same(model, mdp.reachable())
    assert not model.reward_models


def test_rows_whose_digits_do_not_quite_sum_to_one_are_read(read):
    weights = [(0.1, 0.2, 0.7), (0.1,) * 10, (1 / 3,) * 3, (1e-300, 1.0 - 1e-13, 1e-13)]
    mdp = mrm.NRMDP(range(10), "abcd", lambda s, a: dict(enumerate(weights["abcd".index(a)])), 0)
    assert same(read(to_drn(mdp)), mdp)


def test_odd_names_stay_in_the_comments(read):
    odd = ['"', "a b", "\n@model\nstate 7", "// y", "é ∞", "[3]", "init", "\u2028", "", "a : 1"]
    mdp = mrm.NRMDP(odd, odd, lambda s, a: dict.fromkeys(odd, 0.1), odd[2])
    assert same(read(to_drn(mdp, labels={"odd": odd[:3]})), mdp)


def test_a_label_of_an_unknown_state_is_refused():
    with pytest.raises(mrm.ModelError, match="the label 'goal' is given to 'nowhere'"):
        to_drn(mrm.domains.cookie().mdp, labels={"goal": ["nowhere"]})
