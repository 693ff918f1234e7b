"""The paper's claims, one test each, in the paper's order and named as the claim."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib import domains
from tests.finite_memory import (
    Strategy,
    chain_discounted_sum,
    chain_mean_payoff,
    finite_memory_strategies,
    histories,
    lived_chain,
    memoryless_strategies,
    product_chain,
)
from tests.random_models import machines, worlds

# ---- §4 Modelling non-Markovian rewards: the running example


def test_after_m_then_j1_then_j2_the_rewards_are_10_then_60_and_then_0():
    assert domains.treasure_machine(c=0.0).rewards(("m", "j1", "j2")) == (10, 60, 0)


def test_the_sequence_m_g_t_j2_receives_10_25_90_35():
    assert domains.treasure_machine(c=0.0).rewards(("m", "g", "t", "j2")) == (10, 25, 90, 35)


@pytest.mark.parametrize("helper", ["e", "g"])
@pytest.mark.parametrize("jeweller", ["j1", "j2"])
def test_the_agent_can_continue_once_it_has_the_map(helper, jeweller):
    """Restock, more treasure, sell, and so on: every round pays as the first one did, without another map."""
    once = domains.treasure_machine(c=0.0).rewards(("m", *(helper, "t", jeweller) * 3))[1:]
    assert all(r > 0 for r in once)
    assert once[:3] == once[3:6] == once[6:]


def test_equipment_and_treasure_are_worth_more_after_the_map():
    machine = domains.treasure_machine(c=0.0)
    assert machine.rewards(("e", "t", "j1")) == (0, 0, 0)
    assert machine.rewards(("m", "e", "t", "j1"))[1:] > (0, 0, 0)


def test_the_map_can_be_received_again_only_after_a_reset():
    """Sold, it is gone: every word of four letters then pays nothing; a reset goes back to the start node."""
    machine = domains.treasure_machine(c=0.0)
    for word in product(machine.observations, repeat=4):
        assert not any(machine.rewards(("m", "j1", *word))[2:])
    assert machine.rewards(("m",)) == (10,)


def test_the_reward_is_not_markovian():
    """The same last step, from (9, 2) north to the jeweller at (9, 1), pays 60 with the map and 0 without."""
    domain = domains.treasure_map(apf=1.0, c=0.0)

    def paid(moves):
        history = [domain.mdp.initial]
        for move in moves:
            history += [move, *domain.mdp.successors(history[-1], move)]
        assert history[-3:] == [((9, 2), True), "n", ((9, 1), True)]
        return domain.machine.history_rewards(tuple(history), domain.labelling)[-1]

    assert paid("nnnneeeennnn") == 60  # by way of m at (5, 5)
    assert paid("eeeennnnnnnn") == 0


def test_blank_cells_contain_null_and_pay_c():
    domain = domains.treasure_map(apf=1.0, c=-1.0)
    blank = [s for s in domain.mdp.states if s[0] not in domain.grid.marks]
    assert len(blank) == 2 * (81 - 6)
    assert {domain.labelling(a, s) for a in domain.mdp.actions for s in blank} == {mrm.NULL}
    assert {domain.machine.step(u, mrm.NULL) for u in domain.machine.nodes} == {(u, -1.0) for u in domain.machine.nodes}


@given(machines())
def test_with_null_in_the_alphabet_every_node_has_a_self_loop_that_pays_c(machine):
    """The two agents: one reads null as a letter, one skips it; told apart by nothing but the alphabet."""
    lettered = machine.with_null_as_letter()
    assert lettered.observations == (*machine.observations, mrm.NULL)
    assert all(lettered.step(u, mrm.NULL) == (u, machine.null_reward) for u in lettered.nodes)
    for word in product((*machine.observations, mrm.NULL), repeat=3):
        assert lettered.rewards(word) == machine.rewards(word)


# ---- §4 Mealy reward machines, traces, strategies


def test_z_is_observed_in_the_state_reached_via_the_action():
    """One step street –go→ shop: λ(go, shop) is read, not λ(go, street)."""
    lam = mrm.Labelling({("go", "shop"): "bread", ("go", "street"): "rain"}, ["bread", "rain"])
    assert mrm.InteractionTrace("street", (("go", "shop", 0.0),)).observations(lam) == ("bread",)


@pytest.mark.parametrize("k", range(4))
def test_an_interaction_trace_s0_to_r_k_plus_1_has_k_plus_1_rewards_and_as_many_observations(k):
    """The paper prints z1 … zk; k + 1 actions are observed k + 1 times."""
    trace = mrm.InteractionTrace("s0", tuple((f"a{i}", f"s{i + 1}", float(i + 1)) for i in range(k + 1)))
    assert trace.rewards == tuple(float(i) for i in range(1, k + 2))
    assert len(trace.observations(lambda a, s: s)) == k + 1
    assert trace.history == ("s0", *(part for i in range(k + 1) for part in (f"a{i}", f"s{i + 1}")))


@given(worlds(), st.data())
def test_delta_star_assigns_rewards_to_a_history_step_by_step(world, data):
    mdp, labelling, machine = world
    strategy = data.draw(finite_memory_strategies(mdp.states, mdp.actions))
    for history in histories(mdp, strategy, 3):
        u, paid = machine.initial, []
        for a, s in zip(history[1::2], history[2::2], strict=True):
            u, r = machine.step(u, labelling(a, s))
            paid.append(r)
        assert machine.history_rewards(history, labelling) == tuple(paid)


def test_discounted_sum_and_mean_payoff_of_a_reward_trace():
    """dSum: 10/2 + 60/4 + 0/8 = 20 at γ = 1/2; MP: 70/3."""
    assert mrm.discounted_sum((10.0, 60.0, 0.0), 0.5) == 20
    assert mrm.mean_payoff((10.0, 60.0, 0.0)) == 70 / 3


# ---- §4 The product


def lowered(rho, machine, labelling):
    """The strategy for M that plays as ρ does in P: the nodes follow from the states, since ρ names the actions."""

    def pi(states):
        u, pairs = machine.initial, [(states[0], machine.initial)]
        for s in states[1:]:
            u, _ = machine.step(u, labelling(rho(pairs), s))
            pairs.append((s, u))
        return rho(pairs)

    return pi


def lifted(pi):
    """The strategy π^P for P that plays as π does on the first half of each pair."""
    return lambda pairs: pi([s for s, _ in pairs])


@given(worlds(), st.data())
def test_the_strategies_in_m_and_p_are_in_bijection(world, data):
    """Lifting and lowering undo each other on whatever a strategy can live through.

    (On all of (S × U)*, sequences with impossible nodes included, P has more strategies; none of them can be told
    apart by playing.)
    """
    mdp, labelling, machine = world
    product_ = mrm.product(mdp, labelling, machine)
    pi = data.draw(finite_memory_strategies(mdp.states, mdp.actions))
    there_and_back = lowered(lifted(pi), machine, labelling)
    for history in histories(mdp, pi, 4):
        assert there_and_back(history[::2]) == pi(history[::2])

    rho = data.draw(finite_memory_strategies(product_.states, mdp.actions))
    there_and_back = lifted(lowered(rho, machine, labelling))
    lived = histories(product_, rho, 4)
    for history in lived:
        assert there_and_back(history[::2]) == rho(history[::2])
    in_m = histories(mdp, lowered(rho, machine, labelling), 4)
    projected = {tuple(part if i % 2 else part[0] for i, part in enumerate(history)): p for history, p in lived.items()}
    assert projected == in_m  # one history of M for each of P, with the same probability


@given(worlds(), st.data())
def test_proposition_1_over_finitely_many_actions(world, data):
    """E over all histories of M, paid by δ*_r, equals E in P, where rewards are immediate."""
    mdp, labelling, machine = world
    pi = data.draw(finite_memory_strategies(mdp.states, mdp.actions))
    product_ = mrm.product(mdp, labelling, machine)
    in_m, in_p = histories(mdp, pi, 5), histories(product_, lifted(pi), 5)

    def immediate(history):
        return [product_.reward(*history[i:i + 3]) for i in range(0, len(history) - 2, 2)]

    for utility in (lambda rewards: mrm.discounted_sum(rewards, 0.9), mrm.mean_payoff):
        expected = sum(p * utility(machine.history_rewards(h, labelling)) for h, p in in_m.items())
        # At most 3^5 histories with sums of at most 5: rounding stays below 1e-13.
        assert sum(p * utility(immediate(h)) for h, p in in_p.items()) == pytest.approx(expected, abs=1e-12)


@given(worlds(), st.data(), st.floats(0.05, 0.99))
def test_proposition_1(world, data, gamma):
    """For ever: M with the machine and the strategy's memory beside it, against the product under the same strategy."""
    mdp, labelling, machine = world
    pi = data.draw(finite_memory_strategies(mdp.states, mdp.actions))
    in_m, in_p = lived_chain(mdp, labelling, machine, pi), product_chain(mrm.product(mdp, labelling, machine), pi)
    # Rewards of at most 1, so sums of at most 100: two linear solves of up to 60 states agree to 1e-11.
    assert chain_discounted_sum(*in_p, gamma) == pytest.approx(chain_discounted_sum(*in_m, gamma), abs=1e-9)
    assert chain_mean_payoff(*in_p) == pytest.approx(chain_mean_payoff(*in_m), abs=1e-9)


def test_the_printed_product_reward_would_make_proposition_1_false():
    """s0 → s1 → s2 → s0 … shows a, b, null; the machine pays 1 for a at u, and b leads back to u.

    Lived: 1, 0, 0, 1, 0, 0, …: mean 1/3, discounted sum γ/(1 − γ³) = 4/7 at γ = 1/2. The printed δr(u, λ(a, s)) reads
    the state *left* at a node that has moved on: at (s1, v) it pays δr(v, a) = 0, at (s2, u) δr(u, b) = 0, for ever 0.
    """
    ring = mrm.NRMDP([0, 1, 2], ["go"], lambda s, a: {(s + 1) % 3: 1.0}, 0)
    lam = mrm.Labelling({("go", 1): "a", ("go", 2): "b"}, "ab")
    machine = mrm.MealyRewardMachine({("u", "a"): ("v", 1.0), ("u", "b"): ("u", 0.0),
                                      ("v", "a"): ("v", 0.0), ("v", "b"): ("u", 0.0)}, "u")
    right = mrm.product(ring, lam, machine)
    printed = mrm.MDP(right.states, right.actions, right.successors, right.initial,
                      lambda pair, a, _: machine.step(pair[1], lam(a, pair[0]))[1])
    go = Strategy({(0, s): 0 for s in ring.states}, ("go",))
    lived = lived_chain(ring, lam, machine, go)
    for model, mean, discounted in ((right, 1 / 3, 4 / 7), (printed, 0, 0)):
        assert chain_mean_payoff(*product_chain(model, go)) == pytest.approx(mean, abs=1e-12)
        assert chain_discounted_sum(*product_chain(model, go), 0.5) == pytest.approx(discounted, abs=1e-12)
    assert chain_mean_payoff(*lived) == pytest.approx(1 / 3, abs=1e-12)
    assert chain_discounted_sum(*lived, 0.5) == pytest.approx(4 / 7, abs=1e-12)


@given(worlds(max_states=3, max_nodes=2))
def test_memoryless_strategies_on_the_product_are_sufficient_to_play_optimally(world):
    """The best memoryless strategy of P earns what the best of *all* strategies for M earns, up to the tail.

    All strategies are tried by recursion over the histories of M, paid by δ*_r, for n = 4 actions; what comes after is
    worth at most γ⁵/(1 − γ), 3.5e-5 at γ = 1/8, when rewards are at most 1 (and just that when all are 1).
    """
    mdp, labelling, machine = world
    gamma, actions = 1 / 8, 4

    def best_after(history):
        if len(history) == 2 * actions + 1:
            return mrm.discounted_sum(machine.history_rewards(history, labelling), gamma)
        return max(sum(p * best_after((*history, a, t)) for t, p in mdp.successors(history[-1], a).items())
                   for a in mdp.actions)

    best = max(chain_discounted_sum(*chain, gamma) for chain in memoryless_chains(world))
    assert best == pytest.approx(best_after((mdp.initial,)), abs=gamma**5 / (1 - gamma) + 1e-12, rel=0)


@given(worlds(max_states=3, max_nodes=2), st.data())
def test_no_finite_memory_beats_the_best_memoryless_strategy_on_the_product(world, data):
    pi = data.draw(finite_memory_strategies(world[0].states, world[0].actions))
    best = max(chain_mean_payoff(*chain) for chain in memoryless_chains(world))
    assert chain_mean_payoff(*lived_chain(*world, pi)) <= best + 1e-9  # as exact as the long-run shares


def memoryless_chains(world):
    """The chain of every memoryless strategy on the reachable pairs of M ⊗ MR."""
    mdp = mrm.product(*world).reachable()
    return (product_chain(mdp, strategy, sees=lambda pair: pair)
            for strategy in memoryless_strategies(mdp.states, mdp.actions))


def test_we_can_play_optimally_in_m_with_the_memory_required_for_mr():
    """Left and right pay 1, but only in turn. With the node for memory every second action pays: 1/2.

    Without memory the hub has one action, and after the first time it pays nothing: 0.
    """
    hub = mrm.NRMDP(["hub", "left", "right"], ["l", "r"],
                    lambda s, a: {"hub" if s != "hub" else "left" if a == "l" else "right": 1.0}, "hub")
    sides = mrm.Labelling(lambda a, s: mrm.NULL if s == "hub" else s, ["left", "right"])
    in_turn = mrm.MealyRewardMachine({("u", "left"): ("v", 1.0), ("u", "right"): ("u", 0.0),
                                      ("v", "left"): ("v", 0.0), ("v", "right"): ("u", 1.0)}, "u")
    with_memory = max(chain_mean_payoff(*chain) for chain in memoryless_chains((hub, sides, in_turn)))
    without = max(chain_mean_payoff(*lived_chain(hub, sides, in_turn, strategy))
                  for strategy in memoryless_strategies(hub.states, hub.actions))
    assert with_memory == pytest.approx(1 / 2, abs=1e-12)
    assert without == pytest.approx(0, abs=1e-12)


# ---- §6.1 The treasure-map world


def test_if_apf_is_0_9_then_the_agent_gets_stuck_10_percent_of_the_time():
    domain = domains.treasure_map(apf=0.9)
    for (cell, moved), action in product(domain.mdp.states, domain.mdp.actions):
        stuck = domain.mdp.successors((cell, moved), action)[cell, False]
        at_the_edge = domain.grid.neighbour(cell, action) == cell
        assert stuck == pytest.approx(1.0 if at_the_edge else 0.1, abs=1e-15)


def test_the_agent_can_move_north_east_west_and_south_one_cell_per_action():
    mdp = domains.treasure_map(apf=1.0).mdp
    reached = [next(iter(mdp.successors(((5, 5), False), action))) for action in mdp.actions]
    assert mdp.actions == ("n", "e", "w", "s")
    assert reached == [((5, 4), True), ((6, 5), True), ((4, 5), True), ((5, 6), True)]  # row 1 is the northernmost


def test_c_is_minus_1_for_null_and_for_all_self_looping_transitions():
    domain = domains.treasure_map()
    loops = {r for (u, _), (v, r) in domain.machine.transitions.items() if u == v}
    assert loops == {-1.0} == {domain.machine.null_reward}


def test_k_is_6_and_the_best_observation_sequence_earns_275():
    """All 6⁶ words, one by one, against what the domain says is best."""
    machine, (word, total) = domains.treasure_machine(), domains.treasure_map().facts["best_word"]
    best = max(product(machine.observations, repeat=6), key=lambda word: sum(machine.rewards(word)))
    assert best == word
    assert sum(machine.rewards(best)) == total == 275


# ---- §6.2 The cookie domain


def test_the_button_causes_a_cookie_to_appear_randomly_either_in_the_blue_or_red_room():
    mdp = domains.cookie().mdp
    pushed = mdp.successors(((3, 3), None, None), "push_button")
    assert {cookie: p for (_, cookie, _), p in pushed.items()} == {"blue": 0.5, "red": 0.5}


def test_the_agent_gets_1_reward_for_eating_the_cookie():
    """Push at (3, 3), walk to the red room, eat; the cookie is there with probability 1/2."""
    domain = domains.cookie()
    walk = ("e", "e", "push_button", "w", "w", "s", "s", "eat")
    grown = {(domain.mdp.initial,): 1.0}
    for a in walk:
        grown = {(*h, a, t): p * q for h, p in grown.items() for t, q in domain.mdp.successors(h[-1], a).items()}
    totals = {sum(domain.machine.history_rewards(h, domain.labelling)): p for h, p in grown.items()}
    assert totals == {1.0: 0.5, 0.0: 0.5}


def test_all_actions_but_the_button_are_deterministic():
    """The paper says all actions; the button is the exception, which chooses the room."""
    mdp = domains.cookie().mdp
    random = {a for s, a in product(mdp.states, mdp.actions) if len(mdp.successors(s, a)) > 1}
    assert random == {"push_button"}


def test_the_agent_cannot_see_where_the_cookie_is_until_it_is_in_the_same_room():
    domain = domains.cookie()
    for (cell, _, crumbs), action in product(domain.mdp.states, domain.mdp.actions):
        elsewhere = {domain.labelling(action, (cell, other, crumbs)) for other in (None, "blue", "red")}
        room = domain.labelling(action, (cell, None, None))
        assert len(elsewhere) == (2 if room in ("blu", "red") else 1)


def test_with_the_button_pushed_in_the_yellow_room_yel_bd_is_returned_else_yel():
    domain = domains.cookie()
    for cell, action in product([(3, 3), (4, 3)], domain.mdp.actions):
        assert domain.labelling(action, (cell, None, None)) == ("yel_bd" if action == "push_button" else "yel")


def test_null_is_returned_in_the_passage_between_the_rooms():
    domain = domains.cookie()
    passage = {s[0] for s, a in product(domain.mdp.states, domain.mdp.actions) if domain.labelling(a, s) == mrm.NULL}
    assert passage == {(1, 2), (1, 3), (1, 4), (2, 3)}


# §3 and §5: learning, testing, and the guarantees


@pytest.mark.parametrize("make", [domains.treasure_map, domains.cookie], ids=lambda make: make.__name__)
def test_a_machine_can_be_learnt_by_membership_and_equivalence_queries(make):
    domain = make()
    result = mrm.learn(mrm.MachineTeacher(domain.machine), domain.machine.observations)
    assert result.machine.equivalent(domain.machine)
    assert result.equivalence_queries <= domain.facts["nodes"]


def test_a_counter_example_distinguishes_the_hypothesis_from_the_machine():
    """Printed M(σ′) ≠ H(σ); it is the same word on both sides."""
    machine = domains.treasure_machine()
    wrong = mrm.MealyRewardMachine(machine.transitions | {("u3", "t"): ("u4", 91.0)}, "u0", -1.0)
    word = mrm.MachineTeacher(machine).counterexample(wrong)
    assert machine.rewards(word) != wrong.rewards(word)


def test_a_finite_and_complete_test_suite_exists_if_the_number_of_nodes_is_bounded():
    """Every machine that differs from the cookie machine in one transition is told from it by the suite for 4 nodes."""
    machine = domains.cookie_machine()
    suite = list(mrm.wp_method(machine))
    for (u, z), (v, r) in product(machine.transitions, product(machine.nodes, (0.0, 1.0))):
        other = mrm.MealyRewardMachine(machine.transitions | {(u, z): (v, r)}, "u0")
        differs = machine.difference(other) is not None
        assert any(machine.rewards(word) != other.rewards(word) for word in suite) == differs


def test_a_sequence_that_does_not_exist_in_m_may_be_given_an_arbitrary_reward():
    """No first observation is yel_bd, so any answer will do."""
    domain = domains.cookie()
    for constant in (0.0, -7.0):
        environment = mrm.Environment(domain.mdp, domain.labelling, domain.machine, seed=0)
        experience = mrm.Experience(environment, mrm.QueryPlanner(domain.mdp, domain.labelling), constant=constant)
        assert experience.rewards(("yel_bd",)) == (constant,)
    assert not mrm.executable(domain.mdp, domain.labelling, ("yel_bd",))


def test_repeating_succeeds_with_probability_one_but_not_with_certainty():
    """Where the cookie appears after a push is a coin: the best strategy sees it in red in half of all episodes."""
    domain = domains.cookie()
    word = ("yel", "yel_bd", "red_cook")
    strategy = mrm.query_strategy(domain.mdp, domain.labelling, word, "probability")
    assert strategy.probability == pytest.approx(0.5)  # the button decides
    assert 1 - (1 - strategy.probability) ** 50 < 1


def test_a_hypothesis_that_is_right_for_everything_executable_gives_an_optimal_strategy():
    domain = domains.cookie()
    smallest = mrm.minimal_within(domain.mdp, domain.labelling, domain.machine)
    assert len(smallest.nodes) < len(domain.machine.nodes)
    optimum = mrm.solve_mean_payoff(mrm.product(domain.mdp, domain.labelling, smallest))
    assert optimum.value == pytest.approx(domain.facts["optimal_mean_payoff"], abs=1e-9)


def test_the_best_observation_sequence_is_not_guaranteed_to_be_optimal():
    """The paper says so: m·g·t·j2·g·t earns most, but the loop e, t, j1 earns more per action."""
    domain = domains.treasure_map(apf=1.0)
    lengths = [mrm.query_strategy(domain.mdp, domain.labelling, word, "actions").expected_actions
               for word in (("m", "g", "t", "j2", "g", "t"), ("m", "e", "t", "j1", "e", "t", "j1"))]
    earned = [sum(domain.machine.rewards(word)) for word in
              (("m", "g", "t", "j2", "g", "t"), ("m", "e", "t", "j1", "e", "t", "j1"))]
    assert earned[0] / lengths[0] < earned[1] / lengths[1]
