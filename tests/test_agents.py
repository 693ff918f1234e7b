"""What both agents share: events and their sum, what they may touch, interrupts, saving and going on."""

import json
from collections import Counter
from itertools import pairwise

import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import ApproximateAgent, AsPublished, OptimalAgent, Run, events
from mrmlib.experience.lived import RandomExploration
from mrmlib.tree import DiscriminationTree

from .agent_worlds import Proxy, random_world, world_of

AGENTS = {"optimal": lambda world, **settings: OptimalAgent(world.mdp, world.labelling, max_nodes=5, **settings),
          "approximate": lambda world, **settings: ApproximateAgent(  # queries are lived optimally, to save time
              world.mdp, world.labelling, explore=None, **settings),
          "as published": lambda world, **settings: ApproximateAgent(
              world.mdp, world.labelling, explore=None, epoch_starts=world.epoch_starts, reading=AsPublished(),
              **settings)}


@pytest.fixture(params=AGENTS)
def make(request):
    return AGENTS[request.param]


@pytest.fixture(scope="module")
def line():
    return domains.assembly()


def counts(run):
    """A run without what no clock and no saving keeps."""
    kept = {name: value for name, value in vars(run).items() if not name.endswith("_seconds")}
    return {name: value for name, value in kept.items() if name not in ("solution", "store")}


def test_an_agent_touches_nothing_but_reset_and_step(make, line):
    proxy, environment = Proxy(world_of(line, 1)), world_of(line, 1)
    run = make(line).run(proxy, exploitation_actions=60)
    assert run.machine.equivalent(line.machine)
    assert counts(run) == counts(make(line).run(environment, exploitation_actions=60))
    assert (proxy.actions, proxy.resets) == (environment.actions, environment.resets)


def test_every_action_and_every_reset_is_accounted_for(make, line):
    environment = world_of(line, 2)
    run = make(line).run(environment, exploitation_actions=300)
    assert run.learning_actions + run.exploitation_actions == environment.actions
    assert run.attempts + run.epochs == environment.resets
    assert run.exploitation_actions == 300


def test_a_run_is_the_sum_of_its_events(make, line):
    lived = list(make(line).watched(world_of(line, 3), 100, every_action=True))
    kinds, run = Counter(type(event).__name__ for event, _ in lived), lived[-1][1]
    assert kinds["QueryPosed"] == kinds["Answered"] == run.queries
    assert kinds["Attempted"] == run.attempts
    assert kinds["EpochBegun"] == kinds["EpochEnded"] == run.epochs
    assert kinds["Acted"] == run.exploitation_actions == 100
    assert kinds["HypothesisBuilt"] == run.hypotheses
    assert kinds["NullPaid"] == kinds["Ended"] == 1
    acted = [event for event, _ in lived if isinstance(event, events.Acted)]
    assert sum(event.reward for event in acted) == run.total_reward
    assert all(one.reached == two.state for one, two in pairwise(acted)) or run.epochs > 1
    attempts = [event for event, _ in lived if isinstance(event, events.Attempted)]
    assert sum(event.reward for event in attempts) == run.learning_reward
    assert run.store.rewards(attempts[-1].observed) is not None


def test_a_life_without_every_action_is_the_same_life(make, line):
    quiet, loud = (list(make(line).watched(world_of(line, 4), 80, every_action=every))[-1][1]
                   for every in (False, True))
    assert counts(quiet) == counts(loud)


def test_the_same_seed_gives_the_same_run(make, line):
    first, again = (make(line).run(world_of(line, 5), 50, seed=7) for _ in range(2))
    assert counts(first) == counts(again)


@pytest.mark.parametrize("fails_at", [0, 1, 300])
def test_an_interrupt_while_learning_keeps_everything_learnt(make, line, fails_at):
    proxy = Proxy(world_of(line, 6), fails_at)
    run = make(line).run(proxy)
    assert run.outcome == "interrupted"
    assert run.machine is None
    assert run.learning_actions == fails_at
    assert (run.exploitation_actions, run.attempts) == (0, proxy.resets)
    assert all(line.machine.rewards(word) == paid for word, paid in run.store.words())


def test_an_interrupted_attempt_is_remembered_too(make, line):
    """Whenever the interrupt comes, what was seen since the last reset is in the store."""
    unfinished = 0
    for fails_at in range(1, 150, 8):
        environment, seen = world_of(line, 6), []
        honest = environment.reset, environment.step
        environment.reset = lambda *where, reset=honest[0], seen=seen: (seen.clear(), reset(*where))[1]
        environment.step = lambda action, step=honest[1], seen=seen: (seen.append(step(action)), seen[-1])[1]
        run = make(line).run(Proxy(environment, fails_at))
        word = tuple(z for _, z, _ in seen if z != mrm.NULL)
        assert run.store.rewards(word) == line.machine.rewards(word)
        unfinished += bool(word)
    assert unfinished > 3


def test_an_interrupt_while_exploiting_counts_the_epoch_as_far_as_it_went(make, line):
    learning = make(line).run(world_of(line, 7), exploitation_actions=0)
    run = make(line).run(Proxy(world_of(line, 7), fails_at=learning.learning_actions + 33))
    assert run.outcome == "interrupted"
    assert run.exploitation_actions == 33
    assert run.epochs >= 1
    assert run.machine.equivalent(line.machine)
    assert len(run.returns) == run.epochs


@pytest.mark.parametrize("fails_at", [0, 300])
def test_a_saved_run_goes_on_where_it_ended_and_asks_nothing_twice(make, line, fails_at):
    first = make(line).run(Proxy(world_of(line, 8), fails_at))
    saved = Run.from_json(first.to_json())
    assert counts(saved) == counts(first)
    known = {word[:i + 1] for word, _ in saved.store.words() for i in range(len(word))}
    lived = list(make(line).watched(world_of(line, 9), 100, resume=saved))
    posed = [event.word for event, _ in lived if isinstance(event, events.QueryPosed)]
    run = lived[-1][1]
    assert not known & set(posed)
    assert run.machine.equivalent(line.machine)
    assert run.learning_actions > first.learning_actions
    assert run.queries == first.queries + len(posed)
    assert run.exploitation_actions == 100


def test_a_run_that_had_learnt_everything_only_exploits(make, line):
    learnt = make(line).run(world_of(line, 10), exploitation_actions=0)
    store = learnt.store.to_json()
    run = make(line).run(world_of(line, 11), 200, resume=Run.from_json(learnt.to_json()))
    more = run.queries - learnt.queries  # as published, a spurious counter-example asks for prefixes of its word
    assert more == 0 or run.spurious
    assert (run.learning_actions == learnt.learning_actions) == (more == 0)
    assert (run.hypotheses, run.null_reward, run.exploitation_actions) == (1, 0.0, 200)
    make(line).run(world_of(line, 12), 200, resume=learnt)
    assert learnt.store.to_json() == store  # to go on from a run does not change it


def test_a_resumed_run_learns_from_the_counter_examples_of_the_first_before_it_acts():
    """It may come by another way, so something new may be asked; most of the way is known."""
    mdp, labelling, machine = random_world(19)  # many hypotheses, so many counter-examples
    agent = OptimalAgent(mdp, labelling, max_nodes=len(machine.nodes), learner=DiscriminationTree)
    first = agent.run(mrm.Environment(mdp, labelling, machine, 0), 20)
    lived = list(agent.watched(mrm.Environment(mdp, labelling, machine, 1), 40, resume=first))
    run = lived[-1][1]
    assert first.counterexamples > 3
    assert run.counterexamples < first.counterexamples + 4
    assert all(first.store.rewards(event.word) is None for event, _ in lived if isinstance(event, events.QueryPosed))
    assert mrm.distinguish(mdp, labelling, run.machine, machine) is None
    assert run.exploitation_actions == 40


@pytest.mark.parametrize(("change", "culprit"), [
    ({"mrmlib": "store"}, "kind 'run'"), ({"store": 3}, "kind 'store'"),
    ({"machine": {"mrmlib": "machine"}}, "version"),
])
def test_a_run_that_does_not_parse_is_refused_by_name(change, culprit):
    content = json.loads(Run(store=mrm.Store("ab")).to_json()) | change
    with pytest.raises(mrm.FormatError, match=culprit):
        Run.from_json(json.dumps(content), "old.json")


def test_a_run_that_lacks_a_count_is_refused_by_name():
    content = json.loads(Run().to_json())
    del content["queries"]
    with pytest.raises(mrm.FormatError, match="a run needs 'queries'"):
        Run.from_json(json.dumps(content))


def test_a_budget_for_queries_ends_a_life_with_what_it_has_learnt(make, line):
    run = make(line, actions=10).run(world_of(line, 13))
    assert run.outcome.startswith("budget spent: ")
    assert run.machine is None
    assert 0 < run.learning_actions <= 10 * (run.queries + 1)


def test_null_that_pays_differently_is_an_error(line):
    fickle = Proxy(world_of(line, 0))
    honest, paid = fickle.step, iter([0.0, -2.0])
    fickle.step = lambda action: (*honest(action)[:2], next(paid))
    with pytest.raises(mrm.NondeterminismError, match=r"null was paid 0.0 before and -2.0 now"):
        AGENTS["optimal"](line).run(fickle)


def test_what_null_pays_is_learnt_even_if_it_is_first_met_in_exploitation(make):
    """One letter, always seen while learning; null comes only by the action that no query needs."""
    mdp = mrm.NRMDP("s", ["see", "wait"], lambda s, a: {"s": 1.0}, "s")
    labelling = mrm.Labelling({("see", "s"): "z"}, ["z"])
    machine = mrm.MealyRewardMachine({("u", "z"): ("u", -5.0)}, "u", null_reward=-1.0)
    world = domains.Domain("wait", mdp, labelling, machine, epoch_starts=("s",))
    run = make(world).run(world_of(world, 0), 30)
    if make is AGENTS["optimal"]:  # null seems to pay 0, so π* waits: it pays -1, which is still best
        assert run.machine.equivalent(machine)
        assert (run.hypotheses, run.total_reward, run.epochs) == (2, -30.0, 2)
    assert run.machine.null_reward == (run.null_reward or 0.0)


def test_where_learning_is_not_free_all_actions_count(make, line):
    for budget in (50, 500, 4000):
        environment = world_of(line, 14)
        run = make(line, free_learning=False).run(environment, budget)
        assert run.learning_actions + run.exploitation_actions == environment.actions == budget
        assert run.outcome.startswith("budget spent") or run.machine is not None
    assert run.exploitation_actions > 0


def test_an_explorer_that_cannot_come_back_gives_up_and_tries_again():
    """Right leads to z, left into a pit without an end; at random, half of the episodes end there."""
    mdp = mrm.NRMDP(["start", "pit", "goal"], ["left", "right"],
                    lambda s, a: {s if s != "start" else "pit" if a == "left" else "goal": 1.0}, "start")
    labelling = mrm.Labelling({("left", "goal"): "z", ("right", "goal"): "z"}, ["z"])
    machine = mrm.MealyRewardMachine({("u", "z"): ("v", 1.0), ("v", "z"): ("v", 2.0)}, "u")
    explore = RandomExploration(mdp.actions)
    for agent in (OptimalAgent(mdp, labelling, max_nodes=2, explore=explore, episode_actions=5),
                  ApproximateAgent(mdp, labelling, explore=explore, episode_actions=5)):
        for seed in range(8):
            run = agent.run(mrm.Environment(mdp, labelling, machine, seed), 30, seed)
            assert run.machine.rewards(("z",)) == (1.0,)
            assert run.learning_actions < 200
