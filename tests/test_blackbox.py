"""Black boxes: what they refuse, and that learners find the exact machine in Gymnasium's environments."""

import gymnasium
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.envs.toy_text.taxi import TaxiEnv

import mrmlib as mrm
from mrmlib import domains
from mrmlib.conformance.testers import up_to
from mrmlib.interop.blackbox import BlackBox
from mrmlib.interop.gym import OVER, MachineEnv, PaidByMachine, from_gymnasium
from mrmlib.nrmdp import START

WAYS = ("w", "s", "e", "n")


def gatherer():
    """Berries, then wood, then the hut: three nodes; a hut with berries alone pays less."""
    deals = {("u0", "berry"): ("u1", 1.0), ("u1", "wood"): ("u2", 2.0), ("u1", "hut"): ("u1", 3.0),
             ("u2", "hut"): ("u2", 10.0)}
    return mrm.MealyRewardMachine({(u, z): deals.get((u, z), (u, 0.0)) for u in ("u0", "u1", "u2")
                                   for z in ("berry", "wood", "hut")}, "u0")


def lake_world(slippery=False):
    """SFFF / FHFH / FFFH / HFFG with berries in 6, wood in 9 and 13, and a hut at the goal."""
    env, seen = FrozenLakeEnv(is_slippery=slippery), {6: "berry", 9: "wood", 13: "wood", 15: "hut"}
    mdp, labelling = from_gymnasium(env, lambda a, s: seen.get(s, mrm.NULL), ("berry", "wood", "hut"), actions=WAYS)
    return PaidByMachine(env, mdp, labelling, gatherer()), mdp, labelling


def test_the_optimal_agent_learns_the_exact_machine_of_a_registered_environment():
    domain = domains.treasure_map()
    world = BlackBox(MachineEnv(domain), domain.mdp, domain.labelling, seed=1)
    run = mrm.OptimalAgent(domain.mdp, domain.labelling, max_nodes=6).run(world, exploitation_actions=500)
    assert run.machine.equivalent(domain.machine)
    assert world.actions == run.learning_actions + run.exploitation_actions
    assert world.resets == run.attempts + run.epochs


def test_the_approximate_agent_lives_in_a_black_box():
    domain = domains.assembly()
    world = BlackBox(MachineEnv(domain), domain.mdp, domain.labelling, seed=2)
    run = mrm.ApproximateAgent(domain.mdp, domain.labelling, k=3).run(world, exploitation_actions=200, seed=2)
    assert run.machine.equivalent(domain.machine)


def test_learning_from_experience_finds_the_exact_machine():
    domain = domains.assembly()
    world = BlackBox(MachineEnv(domain), domain.mdp, domain.labelling, seed=3)
    experience = mrm.Experience(world, mrm.QueryPlanner(domain.mdp, domain.labelling), seed=3)
    experience.tester = mrm.SuiteTester(experience.rewards, up_to(5, mrm.wp_method))
    result = mrm.learn(experience, domain.labelling.observations)
    assert result.final
    assert result.machine.equivalent(domain.machine)


@pytest.mark.parametrize("slippery", [False, True])
def test_a_machine_on_the_frozen_lake_is_learnt_exactly(slippery):
    env, mdp, labelling = lake_world(slippery)
    run = mrm.OptimalAgent(mdp, labelling, max_nodes=3).run(BlackBox(env, mdp, labelling, seed=4), 300, seed=4)
    assert mrm.distinguish(mdp, labelling, run.machine, gatherer()) is None
    assert "proved: no machine with at most 3 nodes" in run.outcome


def test_experience_on_the_frozen_lake_learns_what_is_executable():
    env, mdp, labelling = lake_world()
    world = BlackBox(env, mdp, labelling, seed=5)
    experience = mrm.Experience(world, mrm.QueryPlanner(mdp, labelling))
    experience.tester = mrm.CompleteTester(mdp, labelling, experience.rewards, 3, experience.store)
    learnt = mrm.learn(experience, labelling.observations, store=experience.store).machine
    assert mrm.distinguish(mdp, labelling, learnt, gatherer()) is None


def test_after_the_end_an_episode_stays_over_until_a_reset():
    env, mdp, labelling = lake_world()
    world = BlackBox(env, mdp, labelling)
    for action in "ese":
        world.step(action)  # into the hole 5, and on
    assert world.step("n") == (OVER, mrm.NULL, 0.0)
    assert (world.actions, world.resets) == (4, 0)
    assert world.reset() == 0
    assert world.step("s") == (4, mrm.NULL, 0.0)


def toll_lake(cells, null_reward=-1.0):
    """The lake of sure steps, where `cells` are seen and pay 1 each, and null pays a toll."""
    env = FrozenLakeEnv(is_slippery=False)
    mdp, labelling = from_gymnasium(env, lambda a, s: "cell" if s in cells else mrm.NULL, ["cell"], actions=WAYS)
    machine = mrm.MealyRewardMachine({("u", "cell"): ("u", 1.0)}, "u", null_reward)
    return PaidByMachine(env, mdp, labelling, machine), mdp, labelling


def test_after_the_end_null_pays_what_the_environment_paid_for_it():
    world = BlackBox(*toll_lake(cells=[]))
    assert [world.step(action)[2] for action in "eses"] == [-1.0] * 4  # in the hole after two


def test_an_agent_that_lingers_after_the_end_does_not_blame_the_environment():
    env, mdp, labelling = toll_lake(cells=[1])
    agent = mrm.OptimalAgent(mdp, labelling, max_nodes=2, explore=mrm.RandomExploration(mdp.actions),
                             episode_actions=30)
    run = agent.run(BlackBox(env, mdp, labelling, seed=1), 50, seed=1)
    assert run.outcome.startswith("proved: ")


@pytest.mark.parametrize("settings", [{}, {"null_reward": 0.0}])
def test_a_null_that_is_paid_otherwise_than_after_the_end_names_the_setting(settings):
    """The cells 1 and 5 on the way into the hole are seen, so null is made up before the environment shows one."""
    world = BlackBox(*toll_lake(cells=[1, 5]), **settings)
    assert [world.step(action)[2] for action in "ese"] == [1.0, 1.0, 0.0]
    world.reset()
    with pytest.raises(mrm.ModelError, match=r"pays -1.0 for null, but after its end .* 0.0: .* null_reward=-1.0"):
        world.step("s")
    world = BlackBox(*toll_lake(cells=[1, 5]), null_reward=-1.0)
    assert [world.step(action)[2] for action in "ese"] == [1.0, 1.0, -1.0]
    world.reset()
    assert world.step("s") == (4, mrm.NULL, -1.0)


@pytest.mark.parametrize("reward", [None, float("nan"), "much"])
def test_a_reward_that_is_no_number_is_named_with_its_step(reward):
    class Paid(gymnasium.Wrapper):
        def step(self, action):
            observation, _, *rest = self.env.step(action)
            return observation, reward, *rest

    env, mdp, labelling = toll_lake(cells=[4])
    world = BlackBox(Paid(env), mdp, labelling)
    with pytest.raises(mrm.ModelError, match=rf"paid for 'cell' in 4, reached by 's', is {reward!r}, not a finite"):
        world.step("s")


def test_a_black_box_that_draws_its_start_agrees_with_m():
    env = TaxiEnv()
    mdp, labelling = from_gymnasium(env, {}, [])
    world = BlackBox(env, mdp, labelling, seed=0)
    starts = mdp.successors(START, 0)
    drawn = {world.reset() for _ in range(200)}
    assert 100 < len(drawn) <= len(starts) == 300
    assert drawn <= set(starts)
    assert world.actions == 0
    state = world.reset()
    assert world.step(0)[0] in mdp.successors(state, 0)


def test_where_m_goes_on_after_an_end_the_agent_is_told_to_reset():
    env = FrozenLakeEnv(is_slippery=False)
    endless = mrm.NRMDP(range(16), WAYS, lambda s, a: {int(t): p for p, t, *_ in env.P[s][WAYS.index(a)]} if s != 5
                        else {0: 1.0}, 0)
    world = BlackBox(env, endless, mrm.Labelling(lambda a, s: "seen", ["seen"]))
    world.step("e")
    world.step("s")
    with pytest.raises(mrm.QueryError, match="ended in 5, where M goes on by 'n': reset"):
        world.step("n")


def test_an_episode_that_is_cut_off_is_not_mistaken_for_its_end():
    domain = domains.assembly()
    world = BlackBox(gymnasium.wrappers.TimeLimit(MachineEnv(domain), 2), domain.mdp, domain.labelling, seed=0)
    world.step("n")
    world.step("n")
    with pytest.raises(mrm.QueryError, match=r"cut off in .*: reset, or make .* without a limit"):
        world.step("n")
    world.reset()
    world.step("n")


def test_a_step_that_m_does_not_know_is_named():
    """M that holds every action to succeed; the environment gets stuck sooner or later."""
    sure = domains.assembly(precision=1.0)
    world = BlackBox(MachineEnv("assembly", precision=0.5), sure.mdp, sure.labelling, seed=0)

    def walk_up_and_down():
        for _ in range(100):
            world.step("n")
            world.step("s")

    with pytest.raises(mrm.ModelError, match=r"went from .* by '[ns]' to .*, which has probability 0 in M"):
        walk_up_and_down()


def test_a_label_that_the_labelling_does_not_show_is_named():
    domain = domains.assembly(precision=1.0)
    blind = mrm.Labelling({}, domain.labelling.observations)
    world = BlackBox(MachineEnv(domain), domain.mdp, blind)
    world.step("n")
    with pytest.raises(mrm.ModelError, match=r"shows 'weld' in \(\(3, 1\), True\) after 'e', λ 'null'"):
        world.step("e")


def test_a_black_box_begins_in_s0_alone():
    domain = domains.treasure_map()
    world = BlackBox(MachineEnv(domain), domain.mdp, domain.labelling)
    assert world.reset(domain.mdp.initial) == domain.mdp.initial
    with pytest.raises(mrm.QueryError, match=r"cannot be put in \(\(1, 1\), False\)"):
        world.reset(((1, 1), False))
    with pytest.raises(mrm.QueryError, match="its machine cannot be left"):
        world.reset(machine=False)
    with pytest.raises(mrm.ModelError, match="unknown action 'fly'"):
        world.step("fly")
    elsewhere = mrm.NRMDP(domain.mdp.states, domain.mdp.actions, domain.mdp.successors, ((1, 1), False))
    with pytest.raises(mrm.ModelError, match=r"began in \(\(5, 9\), False\), M begins in \(\(1, 1\), False\)"):
        BlackBox(MachineEnv(domain), elsewhere, domain.labelling)


def test_spaces_that_do_not_fit_m_are_refused_by_name():
    domain, other = domains.treasure_map(), domains.cookie()
    with pytest.raises(mrm.ModelError, match=r"the states Discrete\(90\), M has 162"):
        BlackBox(MachineEnv(other), domain.mdp, domain.labelling)
    fewer = mrm.NRMDP(domain.mdp.states, ["n"], domain.mdp.successors, domain.mdp.initial)
    with pytest.raises(mrm.ModelError, match=r"the actions Discrete\(4\), M has 1"):
        BlackBox(MachineEnv(domain), fewer, mrm.Labelling({}, []))
