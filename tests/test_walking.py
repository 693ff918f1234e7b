"""Learning by walking: the exact machine and few equivalence queries, with reset, step and counters alone."""

import itertools

import pytest

import mrmlib as mrm
from mrmlib.environment import Environment
from mrmlib.experience.querying import QueryPlanner
from mrmlib.experience.walking import Explanations, learn_by_walking
from mrmlib.store import Store
from mrmlib.teacher import Counting, MachineTeacher
from tests.proxy import Proxy
from tests.random_models import random_minimal_machine, rng


def walk_in(world, seed=0, **settings):
    """(the walk, the environment, the store, the teacher that was asked)."""
    environment = Proxy(Environment(world.mdp, world.labelling, world.machine, seed))
    store, teacher = Store(world.labelling.observations), Counting(MachineTeacher(world.machine))
    planner = QueryPlanner(world.mdp, world.labelling)
    return learn_by_walking(environment, planner, teacher, store, **settings), environment, store, teacher


def yard(machine):
    """Two or three things on a small grid where every word can be lived."""
    letters = tuple(machine.observations)
    grid = mrm.domains.Grid.from_map("a . b\n. * .\n. . c" if len(letters) == 3 else "a . b\n. * .")
    mdp, labelling = mrm.domains.walk(grid, precision=0.8)
    return mrm.domains.Domain("yard", mdp, labelling, machine, grid)


@pytest.mark.parametrize("apf", [0.75, 0.95])
def test_the_treasure_map_is_learnt_exactly_in_fewer_actions_than_by_queries(apf):
    """The tree learner with optimal queries takes about 2700/APF actions."""
    world = mrm.domains.treasure_map(apf)
    walk, environment, store, teacher = walk_in(world)
    assert walk.final
    assert walk.machine.equivalent(world.machine)
    assert len(walk.machine.nodes) == 6
    assert walk.actions < 2000 / apf
    assert (walk.actions, walk.resets) == (environment.actions, environment.resets)
    assert walk.equivalence_queries == teacher.equivalence_queries <= 6
    assert all(world.machine.rewards(word) == rewards for word, rewards in store.words())


def test_random_machines_are_learnt_exactly_with_no_more_equivalence_queries_than_nodes(count):
    for seed in range(count(15, 150)):
        nodes, letters, rivals = 1 + seed % 5, 2 + seed % 2, 1 + seed % 3
        machine = random_minimal_machine(rng(seed), nodes, letters, null_reward=-1.0, tries=2000)
        walk = walk_in(yard(machine), seed, rivals=rivals)[0]
        assert walk.final
        assert walk.machine.equivalent(machine)
        assert len(walk.machine.nodes) == nodes
        assert walk.equivalence_queries <= nodes


def test_the_same_seed_gives_the_same_walk():
    machine = random_minimal_machine(rng(3), 4, 3)
    assert walk_in(yard(machine), 1)[0].actions == walk_in(yard(machine), 1)[0].actions


def test_what_the_store_knows_is_not_walked_again():
    machine = random_minimal_machine(rng(3), 3, 2)
    world = yard(machine)
    first, _, store, teacher = walk_in(world)
    environment = Environment(world.mdp, world.labelling, machine, 5)
    again = learn_by_walking(environment, QueryPlanner(world.mdp, world.labelling), teacher, store)
    assert again.machine.equivalent(machine)
    assert (again.actions, again.equivalence_queries) == (0, 1)
    assert first.actions > 0


def test_a_walk_ends_when_its_actions_are_spent():
    walk, environment, _, _ = walk_in(mrm.domains.treasure_map(), actions=100)
    assert not walk.final
    assert walk.actions == environment.actions == 100


def test_a_world_that_cannot_tell_two_machines_apart_is_refused():
    """a b a b … is all there is to see: nothing tells what b would pay at the start."""
    mdp = mrm.NRMDP("st", ["go"], lambda s, a: {"t" if s == "s" else "s": 1.0}, "s")
    labelling = mrm.Labelling({("go", "t"): "a", ("go", "s"): "b"}, "ab")
    machine = mrm.MealyRewardMachine({("u", "a"): ("v", 1.0), ("u", "b"): ("u", 2.0),
                                      ("v", "a"): ("v", 3.0), ("v", "b"): ("u", 4.0)}, "u")
    with pytest.raises(mrm.ModelError, match="cannot be told apart"):
        walk_in(mrm.domains.Domain("ring", mdp, labelling, machine))


def test_explanations_are_all_the_machines_there_are():
    """One letter, two nodes, a·a paid 1, 2: u0 –a/1→ u1 and u1 –a/2→ either. All machines with two nodes are tried."""
    store = Store("a")
    store.record(("a", "a"), (1.0, 2.0))
    found = Explanations(2, store).some(10)
    by_hand = [[[1], [back]] for back in (0, 1)]
    assert sorted(targets for targets, _ in found) == by_hand
    assert all(rewards == [[1.0], [2.0]] for _, rewards in found)


def test_explanations_pay_as_the_store_and_leave_open_what_was_not_tried(count):
    for seed in range(count(20, 200)):
        chance = rng(seed)
        machine, store = random_minimal_machine(chance, 3, 2), Store("ab")
        for _ in range(3):
            word = tuple(map(str, chance.choice(["a", "b"], size=4)))
            store.record(word, machine.rewards(word))
        found = next(some for n in itertools.count(1) if (some := Explanations(n, store).some(4)))
        assert len({str(targets) for targets, _ in found}) == len(found)
        for targets, rewards in found:
            for word, paid in store.words():
                u = 0
                for z, r in zip(store.letters(word), paid, strict=True):
                    assert rewards[u][z] == r
                    u = targets[u][z]


@pytest.mark.parametrize(("size", "nodes", "marks"), [
    (10, 3, {(0, 0): "a", (9, 0): "b", (0, 9): "c", (9, 9): "d"}),
    (30, 2, {(15, 29): "a", (0, 0): "b"}),
], ids=["corners", "south and corner"])
def test_a_slippery_grid_does_not_stall_the_walker(size, nodes, marks, count):
    """A move slips to each side with 0.1; the walks take some hundred actions."""
    cells = tuple((column, row) for row in range(size) for column in range(size))
    grid = mrm.domains.Grid(cells, (size // 2, size // 2), marks)
    mdp, labelling = mrm.domains.walk(grid, precision=0.8, sideways=0.2)
    for seed in (3, 8)[:count(2, 0)] or range(10):
        machine = random_minimal_machine(rng(seed), nodes, len(marks))
        walk = walk_in(mrm.domains.Domain("slippery", mdp, labelling, machine, grid), seed, actions=5000)[0]
        assert walk.final
        assert walk.machine.equivalent(machine)
