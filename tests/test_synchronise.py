"""The product M ⊗ MR against its definition, pair by pair and step by step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from tests.random_models import rng, worlds


@given(worlds())
def test_the_product_is_what_the_definition_says(world):
    """T^P((s, u), a, (t, δu(u, λ(a, t)))) = T(s, a, t), which pays δr(u, λ(a, t)): the node left, the state reached."""
    mdp, labelling, machine = world
    product = mrm.product(mdp, labelling, machine)
    assert list(product.states) == [(s, u) for s in mdp.states for u in machine.nodes]
    assert product.actions == mdp.actions
    assert product.initial == (mdp.initial, machine.initial)
    for s, u in product.states:
        for a in mdp.actions:
            steps = {t: machine.step(u, labelling(a, t)) for t in mdp.successors(s, a)}
            assert product.successors((s, u), a) == {(t, steps[t][0]): p for t, p in mdp.successors(s, a).items()}
            assert all(product.reward((s, u), a, (t, v)) == r for t, (v, r) in steps.items())
            expected = sum(p * steps[t][1] for t, p in mdp.successors(s, a).items())
            # A mean of up to three rewards of at most 1, rounded.
            assert product.expected_reward((s, u), a) == pytest.approx(expected, abs=1e-15)


@given(worlds())
def test_the_reachable_product_agrees_with_the_full_one(world):
    full = mrm.product(*world)
    reached = [full.initial]
    for pair in reached:
        reached += dict.fromkeys(t for a in full.actions for t in full.successors(pair, a) if t not in reached)
    trimmed = full.reachable()
    assert list(trimmed.states) == [pair for pair in full.states if pair in reached]
    for pair in trimmed.states:
        for a in full.actions:
            assert trimmed.successors(pair, a) == full.successors(pair, a)
            assert all(trimmed.reward(pair, a, t) == full.reward(pair, a, t) for t in full.successors(pair, a))
    for pair in full.states:
        assert (pair in trimmed.states) == (pair in reached)


@given(worlds(), st.integers(0, 10**6), st.booleans())
def test_a_walk_through_the_product_is_paid_what_the_machine_pays(world, seed, trim):
    """Twenty random steps: the walk's states, read by the machine through λ, are worth what its steps paid."""
    mdp, labelling, machine = world
    product = mrm.product(mdp, labelling, machine)
    product = product.reachable() if trim else product
    generator = rng(seed)
    pair, history, paid = product.initial, [mdp.initial], []
    for _ in range(20):
        action = product.actions[generator.integers(len(product.actions))]
        after = product.sample(pair, action, generator)
        paid.append(product.reward(pair, action, after))
        history += [action, after[0]]
        pair = after
    assert machine.history_rewards(tuple(history), labelling) == tuple(paid)


@given(worlds())
def test_a_machine_that_reads_null_as_a_letter_pays_for_it_in_the_product(world):
    """Null as a letter with the self-loops that null has anyway: the two products are the same."""
    mdp, labelling, machine = world
    lettered = mrm.product(mdp, labelling.with_null_as_letter(), machine.with_null_as_letter())
    assert lettered == mrm.product(mdp, labelling, machine)


@given(worlds())
def test_equivalent_machines_give_products_that_pay_alike(world):
    """Step by step from the start, side by side: the same probabilities and the same rewards."""
    mdp, labelling, machine = world
    one, two = mrm.product(mdp, labelling, machine), mrm.product(mdp, labelling, machine.minimal())
    sides = [(one.initial, two.initial)]
    for x, y in sides:
        for a in mdp.actions:
            left = {t: (p, one.reward(x, a, (t, u))) for (t, u), p in one.successors(x, a).items()}
            right = {t: (p, two.reward(y, a, (t, u))) for (t, u), p in two.successors(y, a).items()}
            assert left == right
            after = zip(one.successors(x, a), two.successors(y, a), strict=True)
            sides += dict.fromkeys(pair for pair in after if pair not in sides)


def test_the_machine_may_read_more_than_lambda_shows_but_not_less():
    street = mrm.NRMDP(["street", "shop"], ["go"], lambda s, a: {"shop": 1.0}, "street")
    machine = mrm.MealyRewardMachine({("u", "cake"): ("u", 2.0), ("u", "bread"): ("u", 1.0)}, "u")
    fed = mrm.product(street, mrm.Labelling({("go", "shop"): "bread"}, ["bread"]), machine)
    assert fed.expected_reward(("street", "u"), "go") == 1.0
    with pytest.raises(mrm.ModelError, match="the machine does not read 'wine', but cake, bread"):
        mrm.product(street, mrm.Labelling({}, ["bread", "wine"]), machine)
    with pytest.raises(mrm.ModelError, match=r"λ\('go', 'shop'\) is 'soap'"):
        mrm.product(street, mrm.Labelling({("go", "shop"): "soap"}, ["bread"]), machine)
