"""A lesson with a teacher who knows a machine, one who errs, and one who contradicts."""

import pytest
from hypothesis import given

from mrmlib import MrmError, NondeterminismError, QueryError
from mrmlib.widgets.play.lesson import Lesson
from tests.random_models import machines


def teach(lesson, machine):
    """Answer rightly until the hypothesis is right, then say so."""
    while not lesson.accepted:
        if lesson.question is not None:
            lesson.answer(machine.rewards(lesson.question))
        elif (word := lesson.hypothesis.difference(machine)) is not None:
            lesson.object(word, machine.rewards(word))
        else:
            lesson.accept()


@given(machines())
def test_a_teacher_who_answers_rightly_is_understood(machine):
    lesson = Lesson(machine.observations, machine.null_reward)
    teach(lesson, machine)
    assert lesson.hypothesis.equivalent(machine)
    assert len(lesson.hypothesis.nodes) == len(machine.minimal().nodes)


@given(machines())
def test_taking_back_leads_through_the_same_questions_backwards(machine):
    lesson, asked = Lesson(machine.observations), []
    while lesson.question is not None:
        asked.append(lesson.question)
        lesson.answer(machine.rewards(lesson.question))
    for question in reversed(asked):
        lesson.take_back()
        assert lesson.question == question
    with pytest.raises(QueryError, match="no answer to take back"):
        lesson.take_back()


def test_a_contradictory_answer_is_refused_and_changes_nothing():
    lesson = Lesson(["a", "b"])
    lesson.answer((0.0, 1.0))
    question = lesson.question
    assert lesson.known(question) == (0.0,)
    with pytest.raises(NondeterminismError, match=r"was paid \(0.0,\) before and \(5.0,\) now"):
        lesson.answer((5.0, 1.0))
    assert lesson.question == question
    assert lesson.score()["questions answered"] == 1


def test_an_answer_of_the_wrong_length_is_refused():
    lesson = Lesson(["a", "b"])
    with pytest.raises(QueryError, match="has 1 rewards"):
        lesson.answer((1.0,))
    assert not lesson.answers


def test_what_is_no_counter_example_is_refused():
    lesson = Lesson(["a"])
    lesson.answer((1.0, 1.0))
    with pytest.raises(QueryError, match="is no counter-example"):
        lesson.object(("a",), (1.0,))
    with pytest.raises(NondeterminismError):
        lesson.object(("a",), (2.0,))
    assert len(lesson.hypothesis.nodes) == 1


def test_yes_may_be_said_only_of_a_hypothesis_and_be_taken_back():
    lesson = Lesson(["a"])
    with pytest.raises(QueryError, match="no hypothesis yet"):
        lesson.accept()
    lesson.answer((1.0, 1.0))
    lesson.accept()
    lesson.take_back()
    assert not lesson.accepted
    assert len(lesson.answers) == 1


@pytest.mark.parametrize("letters", [[], ["a", "a"]])
def test_observations_are_some_and_distinct(letters):
    with pytest.raises(MrmError, match=r"at least one|twice|distinct"):
        Lesson(letters)
