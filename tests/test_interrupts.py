"""Whatever ends a life, nothing that was lived is lost: real signals, errors of the world, bounds and budgets."""

import random
import signal
import subprocess
import sys
import textwrap

import pytest

import mrmlib as mrm
from mrmlib import domains
from mrmlib.agents import events
from mrmlib.within.candidates import Candidates

from .agent_worlds import Proxy, rare_world, world_of

LIFE = textwrap.dedent("""
    import signal, sys, threading, time, os
    import mrmlib as mrm
    from mrmlib import domains
    world = domains.treasure_map()
    agent = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=7)
    environment = mrm.Environment(world.mdp, world.labelling, world.machine, 1)
    agent.run(mrm.Environment(world.mdp, world.labelling, world.machine, 0), 10)  # compiled
    sent = []

    def interrupt():
        time.sleep(float(sys.argv[1]))
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    run = agent.run(environment, 1_000_000)
    late = time.monotonic() - sent[0]
    assert run.outcome == "interrupted", run.outcome
    assert abs(run.learning_actions + run.exploitation_actions - environment.actions) <= 1, "actions are lost"
    environment = mrm.Environment(world.mdp, world.labelling, world.machine, 2)
    again = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6).run(
        environment, 10, resume=mrm.Run.from_json(run.to_json()))
    assert again.machine.equivalent(world.machine)
    for word, paid in run.store.words():
        assert paid == world.machine.rewards(word)
    print(late)
""")


def test_an_interrupt_by_a_real_signal_is_answered_within_a_second_and_the_run_goes_on_from_there(count):
    """At random moments of learning, testing (a bound of 7 keeps the solver busy) and playing."""
    moments = random.Random(0)
    for _ in range(count(2, 20)):
        moment = moments.uniform(0.0, 4.0)
        child = subprocess.run([sys.executable, "-c", LIFE, str(moment)], capture_output=True, text=True, check=False)
        assert child.returncode == 0, child.stderr
        assert float(child.stdout) < 5, f"at {moment}"  # a second on an idle machine; this one may be busy


PIGEONS = textwrap.dedent("""
    import os, signal, threading, time
    from mrmlib.within.candidates import Candidates

    def interrupt():
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)

    pigeons = Candidates(nodes=12, letters=1)
    trails = [pigeons.one_of(pigeons.trail()) for _ in range(13)]
    for k in range(12):
        for i in range(13):
            for j in range(i):
                pigeons.add([-trails[i][k], -trails[j][k]])
    threading.Thread(target=interrupt, daemon=True).start()
    try:
        pigeons.find()
    except KeyboardInterrupt:
        print("interrupted")
    try:
        pigeons.find(seconds=0.2)
    except TimeoutError as error:
        print(error)
""")


def test_the_solver_can_be_interrupted_and_asked_again():
    child = subprocess.run([sys.executable, "-c", PIGEONS], capture_output=True, text=True, check=True, timeout=60)
    assert child.stdout.splitlines() == ["interrupted", "no answer within None conflicts and 0.2 seconds"]


def test_an_interrupt_between_two_events_reaches_the_life():
    world, seen = domains.treasure_map(), []

    def see(event, run):
        seen.append(event)
        if len(seen) == 50:
            signal.raise_signal(signal.SIGINT)

    life = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6).life(world_of(world, 0))
    *_, (last, run) = events.summed(life.events(), life.begun, see)
    assert last == events.Ended("interrupted")
    assert run.learning_actions == life.environment.actions
    answered = [event for i, event in enumerate(seen) if isinstance(event, events.Answered) and i != 50]  # told twice
    assert run.queries == len(answered)


class Faulty(Proxy):
    """A world that breaks at some step, as worlds do."""

    def __init__(self, environment, fails_at, error):
        super().__init__(environment)
        step = self.step

        def failing(action):
            if self.actions == fails_at:
                raise error
            return step(action)

        self.step = failing


@pytest.mark.parametrize("fails_at", [0, 500, 6000], ids=["at once", "in learning", "in play"])
def test_an_error_of_the_world_carries_the_run_and_it_resumes(fails_at):
    world = domains.treasure_map()
    agent = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6)
    broken = Faulty(world_of(world, 0), fails_at, OSError("the robot fell over"))
    with pytest.raises(OSError, match="fell over") as caught:
        agent.run(broken, 2000)
    run = caught.value.run
    assert run.outcome == "stopped by OSError: the robot fell over"
    assert run.learning_actions + run.exploitation_actions == fails_at
    again = agent.run(world_of(world, 1), 100, resume=mrm.Run.from_json(run.to_json()))
    assert again.machine.equivalent(world.machine)
    assert again.learning_actions + again.exploitation_actions >= fails_at


def test_a_world_that_pays_a_word_differently_the_second_time_is_told_with_the_run():
    mdp, labelling, machine = rare_world()
    environment, odd = mrm.Environment(mdp, labelling, machine, 0), Proxy(mrm.Environment(mdp, labelling, machine, 0))
    odd.step = lambda action: (lambda s, z, r: (s, z, r + (z == "bread" and environment.actions > 30)))(
        *environment.step(action))
    odd.reset = environment.reset
    with pytest.raises(mrm.NondeterminismError) as caught:
        mrm.OptimalAgent(mdp, labelling, max_nodes=4).run(odd, 500)
    assert caught.value.run.learning_actions > 0
    assert caught.value.run.outcome.startswith("stopped by NondeterminismError: ")
    assert len(caught.value.run.store) > 0


def test_time_for_a_question_can_be_limited_and_then_nothing_is_called_proved():
    mdp, labelling, machine = rare_world()
    run = mrm.OptimalAgent(mdp, labelling, max_nodes=7, conflicts=1).run(mrm.Environment(mdp, labelling, machine, 0), 5)
    assert not run.bound
    assert run.outcome.startswith("not proved: H was tested with ")


def test_a_formula_that_takes_too_long_is_given_up():
    hard = Candidates(nodes=12, letters=1)
    trails = [hard.one_of(hard.trail()) for _ in range(13)]
    for k in range(12):
        for i in range(13):
            for j in range(i):
                hard.add([-trails[i][k], -trails[j][k]])
    with pytest.raises(TimeoutError, match=r"0\.1 seconds"):
        hard.find(seconds=0.1)


def test_a_line_tells_what_the_agent_is_doing(capsys):
    world = domains.treasure_map()
    mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6).run(world_of(world, 0), 100, progress=True)
    lines = capsys.readouterr().err
    assert "learning · " in lines
    assert "H has 6 nodes, proved for ≤ 6" in lines
