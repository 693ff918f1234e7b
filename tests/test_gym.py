"""Gymnasium both ways: tables of dynamics as worlds, domains as environments, and what stays hidden in them."""

import re
import warnings
from math import fsum

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from gymnasium.envs.toy_text.taxi import TaxiEnv
from gymnasium.utils.env_checker import check_env

import mrmlib as mrm
from mrmlib import domains
from mrmlib.interop import gym
from mrmlib.interop.gym import OVER, MachineEnv, PaidByMachine, WithNode, from_gymnasium, register_domains
from mrmlib.nrmdp import START

WAYS = ("w", "s", "e", "n")  # FrozenLake's 0 1 2 3


def nothing_seen(env, **settings):
    return from_gymnasium(env, {}, [], **settings)[0]


@pytest.fixture
def own_registries(monkeypatch):
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(domains.domain, "_registry", dict(domains.registry()))
    kept = dict(gymnasium.registry)
    yield
    gymnasium.registry.clear()
    gymnasium.registry.update(kept)


# ---- from a table of dynamics


@pytest.mark.parametrize(("env", "settings"), [
    (FrozenLakeEnv(is_slippery=True), {}), (FrozenLakeEnv(map_name="8x8"), {}), (CliffWalkingEnv(), {}),
    (TaxiEnv(), {"initial": 314}),
], ids=["lake", "large_lake", "cliff", "taxi"])
def test_every_step_that_an_episode_can_make_has_the_probability_of_the_table(env, settings):
    mdp = nothing_seen(env, **settings)
    ongoing = [mdp.initial]
    for s in ongoing:
        for a in mdp.actions:
            row = env.P[s][a]
            assert mdp.successors(s, a) == pytest.approx(
                {int(t): fsum(p for p, u, *_ in row if u == t) for _, t, *_ in row}, rel=1e-12)
            for _, t, _, ended in row:
                if ended:
                    assert all(mdp.successors(int(t), b) == {OVER: 1.0} for b in mdp.actions)
                elif int(t) not in ongoing:
                    ongoing.append(int(t))
    assert all(mdp.successors(OVER, a) == {OVER: 1.0} for a in mdp.actions)
    assert len(ongoing) > 10


def test_the_lake_ends_at_its_holes_and_its_goal():
    """SFFF / FHFH / FFFH / HFFG, row by row: the holes are 5, 7, 11, 12, the goal is 15."""
    mdp = nothing_seen(FrozenLakeEnv(is_slippery=False), actions=WAYS)
    assert list(mdp.states) == [*range(16), OVER]
    assert mdp.initial == 0
    assert [s for s in mdp.states if mdp.successors(s, "n") == {OVER: 1.0}] == [5, 7, 11, 12, 15, OVER]
    assert mdp.successors(0, "s") == {4: 1.0}
    assert mdp.successors(0, "n") == {0: 1.0}


def test_a_letter_is_seen_once_at_the_end_and_nothing_after_it():
    mdp, labelling = from_gymnasium(FrozenLakeEnv(is_slippery=False), lambda a, s: "gift" if s == 15 else mrm.NULL,
                                    ["gift"])
    assert labelling(2, 15) == "gift"
    assert labelling(2, OVER) == mrm.NULL
    assert mrm.executable(mdp, labelling, ("gift",))
    assert not mrm.executable(mdp, labelling, ("gift", "gift"))


def test_a_start_that_is_drawn_is_drawn_in_m_unless_it_is_chosen():
    env = TaxiEnv()
    mdp = nothing_seen(env)
    assert mdp.initial == START
    for a in mdp.actions:
        drawn = np.flatnonzero(env.initial_state_distrib)
        assert mdp.successors(START, a) == {s: pytest.approx(1 / 300) for s in drawn}
    assert list(mdp.states) == [*range(500), OVER, START]
    assert nothing_seen(env, initial=231).initial == 231
    with pytest.raises(mrm.ModelError, match="initial state 500 is not a state"):
        nothing_seen(TaxiEnv(), initial=500)


class Told(gymnasium.Env):
    """A table that a test made up."""

    def __init__(self, table, starts=None):
        self.P, self.action_space = table, gymnasium.spaces.Discrete(1)
        if starts is not None:
            self.initial_state_distrib = starts


@pytest.mark.parametrize(("env", "settings", "culprit"), [
    (MachineEnv("cookie"), {}, "has no table P"),
    (FrozenLakeEnv(), {"actions": ("left", "right")}, r"2 names for 4 actions: \('left', 'right'\)"),
    (Told({0: {0: [(1.0, 0, 0.0, False)]}}), {}, "does not tell where it begins"),
    (Told({0: {0: [(0.5, 1, 0.0, True), (0.5, 1, 0.0, False)]}, 1: {0: [(1.0, 0, 0.0, False)]}}, [1, 0]), {},
     "ends in 1 and sometimes goes on there"),
    (Told({0: {0: [(0.4, 0, 0.0, False)]}}, [1]), {}, r"T\(0, 0\) sums to 0.4, not 1"),
    (Told({0: {0: [(1.0, 7, 0.0, False)]}, 7: {0: [(1.0, 0, 0.0, False)]}}, [1]), {}, "unknown state 7"),
])
def test_a_table_that_is_no_world_is_refused_by_name(env, settings, culprit):
    with pytest.raises(mrm.ModelError, match=culprit):
        nothing_seen(env, **settings)


@pytest.mark.parametrize("key", [("west", 4), (1, 99), (1, OVER), (4, 1), 4])
def test_a_label_for_no_pair_of_the_table_is_refused_by_name(key):
    with pytest.raises(mrm.ModelError, match=rf"λ is given for {re.escape(repr(key))}, which is not an"):
        from_gymnasium(FrozenLakeEnv(), {key: "x"}, ["x"])
    mdp, _ = from_gymnasium(FrozenLakeEnv(), {(1, 4): "x"}, ["x"])
    if key != (1, OVER):
        machine = mrm.MealyRewardMachine({("u", "x"): ("u", 1.0)}, "u")
        with pytest.raises(mrm.ModelError, match="which is not an"):
            PaidByMachine(FrozenLakeEnv(), mdp, mrm.Labelling({key: "x"}, ["x"]), machine)


def test_a_label_that_is_no_observation_is_refused_by_name():
    with pytest.raises(mrm.ModelError, match=r"λ\(0, 3\) is 'bear'"):
        from_gymnasium(FrozenLakeEnv(), lambda a, s: "bear" if s == 3 else mrm.NULL, ["gift"])


# ---- a domain as an environment


def test_every_domain_is_made_by_its_name_and_passes_the_checker(own_registries):
    @domains.register
    def corner_shop(c=0.0):
        mdp, labelling = domains.walk(domains.Grid.from_map("* bread"))
        machine = mrm.MealyRewardMachine({("u", "bread"): ("u", 1.0)}, "u", c)
        return domains.Domain("corner_shop", mdp, labelling, machine)

    names = register_domains()
    assert register_domains() == names
    assert {"mrmlib/treasure_map-v0", "mrmlib/cookie-v0", "mrmlib/assembly-v0", "mrmlib/corner_shop-v0"} <= set(names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in names:
            check_env(gymnasium.make(name).unwrapped)
    env = gymnasium.make("mrmlib/corner_shop-v0", c=-2.0)
    env.reset(seed=0)
    assert env.step(3)[1] == -2.0


def test_an_episode_is_what_an_environment_of_ours_lives():
    domain = domains.treasure_map(apf=0.75)
    env, own = MachineEnv(domain), mrm.Environment(domain.mdp, domain.labelling, domain.machine,
                                                    np.random.default_rng(5))
    observation, info = env.reset(seed=5)
    assert (domain.mdp.states[observation], info) == (own.reset(), {"label": mrm.NULL})
    for action in np.random.default_rng(0).integers(4, size=500):
        observation, reward, terminated, truncated, info = env.step(action)
        assert (domain.mdp.states[observation], info["label"], reward) == own.step(domain.mdp.actions[action])
        assert set(info) == {"label"}
        assert not terminated
        assert not truncated


def test_a_seed_gives_the_episode_again_and_no_seed_goes_on():
    env = MachineEnv("cookie")

    def episode(seed):
        env.reset(seed=seed)
        env.action_space.seed(0)
        return [env.step(env.action_space.sample())[0] for _ in range(300)]

    first, second = episode(3), episode(None)
    assert episode(3) == first
    assert second != first
    assert episode(None) == second


def test_make_cuts_episodes_off(own_registries):
    register_domains()
    env = gymnasium.make("mrmlib/assembly-v0", max_episode_steps=5)
    env.reset(seed=0)
    assert [env.step(0)[3] for _ in range(5)] == [False] * 4 + [True]


def test_no_public_path_leads_to_the_machine(own_registries):
    """Whatever can be reached by public names, a few steps deep, is no machine and has none."""
    register_domains()
    lake = FrozenLakeEnv()
    world = from_gymnasium(lake, {(1, 4): "shore"}, ["shore"])
    paid = PaidByMachine(lake, *world, mrm.MealyRewardMachine({("u", "shore"): ("u", 5.0)}, "u"))
    for env in (gymnasium.make("mrmlib/treasure_map-v0"), paid):
        env.reset(seed=0)
        found = [env, env.step(0)[4]]
        for thing in found[:]:
            found += [getattr(thing, name) for name in dir(thing) if not name.startswith("_")]
        for thing in found:
            assert not isinstance(thing, mrm.MealyRewardMachine | domains.Domain | mrm.Environment)
            assert not any(isinstance(part, mrm.MealyRewardMachine) for part in getattr(thing, "__dict__", {}).values())


@pytest.mark.parametrize("action", [4, -1, "n"])
def test_an_action_that_there_is_not_is_refused(action):
    env = MachineEnv("treasure_map")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    with pytest.raises(mrm.QueryError, match=f"unknown action {action!r}: there are 4"):
        env.step(action)


def test_settings_go_to_a_name_only():
    with pytest.raises(mrm.ModelError, match="'cookie' is made already: it takes no apf"):
        MachineEnv(domains.cookie(), apf=0.5)


# ---- the wrappers


def test_with_the_node_the_reward_is_markovian():
    """What a step pays is a function of (state, node), action and state reached; of the state alone it is not."""
    domain = domains.treasure_map()
    env = WithNode(MachineEnv(domain), domain.machine)
    (state, node), _ = env.reset(seed=1)
    assert env.observation_space.contains((state, node))
    paid, without_node = {}, {}
    env.action_space.seed(1)
    for step in range(20_000):
        if step % 500 == 0:
            (state, node), _ = env.reset()
        action = env.action_space.sample()
        after, reward, *_ = env.step(action)
        assert env.observation_space.contains(after)
        paid.setdefault((state, node, action, after[0]), set()).add(reward)
        without_node.setdefault((state, action, after[0]), set()).add(reward)
        state, node = after
    assert all(len(rewards) == 1 for rewards in paid.values())
    assert any(len(rewards) > 1 for rewards in without_node.values())


def test_a_machine_needs_labels_to_read():
    env = WithNode(FrozenLakeEnv(), mrm.MealyRewardMachine({("u", "a"): ("u", 0.0)}, "u"))
    env.reset(seed=0)
    with pytest.raises(mrm.QueryError, match="gives no label"):
        env.step(0)


def test_a_machine_pays_in_an_environment_of_gymnasiums():
    """Down, down, right: the shore (4) is entered once and pays 5, then the wood (9) pays 7 because of it."""
    lake = FrozenLakeEnv(is_slippery=False)
    seen = {4: "shore", 9: "wood"}
    mdp, labelling = from_gymnasium(lake, lambda a, s: seen.get(s, mrm.NULL), ["shore", "wood"])
    machine = mrm.MealyRewardMachine({("u", "shore"): ("v", 5.0), ("u", "wood"): ("u", 0.0),
                                      ("v", "shore"): ("v", 0.0), ("v", "wood"): ("v", 7.0)}, "u", -1.0)
    env = PaidByMachine(lake, mdp, labelling, machine)
    for _ in range(2):  # the second time after a reset of everything
        assert env.reset(seed=0)[1]["label"] == mrm.NULL
        lived = [env.step(action) for action in (1, 1, 2, 0)]
        assert [step[1] for step in lived] == [5.0, -1.0, 7.0, -1.0]
        assert [step[4]["label"] for step in lived] == ["shore", mrm.NULL, "wood", mrm.NULL]
    with pytest.raises(mrm.ModelError, match="does not read 'shore'"):
        PaidByMachine(lake, mdp, labelling, mrm.MealyRewardMachine({("u", "cake"): ("u", 0.0)}, "u"))


def test_a_loaded_domain_has_a_name_that_gymnasium_takes(own_registries):
    domains.load("mrmlib.domains.assembly:assembly")
    name = "mrmlib/mrmlib.domains.assembly.assembly-v0"
    assert name in gym.register_domains()
    assert gymnasium.make(name).action_space.n == 4
