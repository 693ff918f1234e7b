"""Work in the background: it can be paused, stepped, paced and stopped, and its drawings never queue up."""

import threading
import time

import pytest

from mrmlib.widgets.background import FRAMES, UNSEEN, Background, Stopped


def until(condition, seconds=5.0):
    """Wait for what must come soon."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.002)


class Counting:
    """Work that counts its steps for ever."""

    steps = 0

    def __call__(self, tick):
        while True:
            tick()
            self.steps += 1


@pytest.fixture
def work():
    return Counting()


@pytest.fixture
def background():
    made = Background(draw=lambda: None)
    yield made
    made.stop()


def test_work_runs_in_a_thread_of_its_own_and_stops_at_its_next_tick(background, work):
    background.start(work)
    until(lambda: work.steps > 100)
    assert background.state == "running"
    began = time.monotonic()
    background.stop()
    assert time.monotonic() - began < 0.5
    assert background.state == "idle"
    at_rest = work.steps
    time.sleep(0.02)
    assert work.steps == at_rest


def test_paused_work_takes_exactly_the_steps_that_are_asked_for(background, work):
    background.start(work, paused=True)
    for number in range(1, 4):
        background.step()
        until(lambda number=number: work.steps == number)
    time.sleep(0.02)
    assert (work.steps, background.state) == (3, "paused")
    background.resume()
    until(lambda: work.steps > 100)
    background.pause()
    until(lambda: background.state == "paused")
    time.sleep(0.02)
    at_rest = work.steps
    time.sleep(0.02)
    assert work.steps == at_rest


def test_paced_work_is_no_faster_than_asked_and_still_stops_at_once(background, work):
    background.pace(2)
    background.start(work)
    time.sleep(0.7)
    assert 0 < work.steps <= 2
    began = time.monotonic()
    background.stop()
    assert time.monotonic() - began < 0.3, "it waited for the next step"


def test_a_new_start_ends_what_was_under_way(background, work):
    other = Counting()
    background.start(other)
    until(lambda: other.steps)
    background.start(work)
    until(lambda: work.steps)
    at_rest = other.steps
    time.sleep(0.02)
    assert other.steps == at_rest
    assert sum(thread.name == "mrmlib background" for thread in threading.enumerate()) == 1


def test_drawings_are_limited_in_number_and_wait_until_the_last_one_was_seen(work):
    drawn, looked = [], [True]
    background = Background(lambda: drawn.append(time.monotonic()), seen=lambda: looked[0])
    background.start(work)
    time.sleep(0.5)
    assert 2 < len(drawn) <= 0.5 * FRAMES + 2
    looked[0] = False
    time.sleep(0.05)
    before = len(drawn)
    time.sleep(UNSEEN / 2)
    assert len(drawn) <= before + 1, "drawings queue up while nobody looks"
    time.sleep(UNSEEN)
    assert before < len(drawn) <= before + 3
    background.stop()


def test_the_end_is_drawn_and_told_with_the_error_that_caused_it():
    told, drawn = [], []
    background = Background(lambda: drawn.append(1), told.append)
    background.start(lambda tick: 1 / 0)
    background.wait()
    background.start(lambda tick: tick())
    background.wait()
    assert [type(error) for error in told] == [ZeroDivisionError, type(None)]
    assert len(drawn) >= 2


def test_stopping_is_no_error_for_who_asked_and_an_interrupt_for_the_work():
    told, caught = [], []
    background = Background(lambda: None, told.append)

    def work(tick):
        try:
            while True:
                tick()
        except KeyboardInterrupt as interrupt:
            caught.append(interrupt)
            raise

    background.start(work)
    until(lambda: background.state == "running")
    background.stop()
    assert told == [None]
    assert isinstance(caught[0], Stopped)


def test_the_work_may_stop_itself_without_waiting_for_itself(background):
    def work(tick):
        background.stop()
        tick()

    background.start(work)
    background.wait(5)
    assert background.state == "idle"
