"""Be the teacher, driven by its fields and buttons; no browser."""

import pytest

from mrmlib import MealyRewardMachine
from mrmlib.widgets.play.teaching import BeTheTeacher

SWITCH = MealyRewardMachine({("off", "a"): ("on", 0.0), ("off", "b"): ("off", 0.0),
                             ("on", "a"): ("off", 0.0), ("on", "b"): ("on", 1.0)}, "off", null_reward=-1.0)


@pytest.fixture
def teacher():
    made = BeTheTeacher()
    made.c.value = "-1"
    return made


def said(rewards):
    return " ".join(f"{reward:g}" for reward in rewards)


def answer_all(teacher, machine):
    while teacher.lesson.question is not None:
        teacher.answer.value = said(machine.rewards(teacher.lesson.question))
        teacher.say_rewards.click()
        assert teacher.answer.value == ""


def test_nothing_can_be_said_before_the_lesson_begins(teacher):
    assert all(control.disabled for control in (teacher.answer, teacher.say_rewards, teacher.accept, teacher.objection,
                                                teacher.object, teacher.back))


def test_the_pupil_learns_the_machine_that_the_teacher_has_in_mind(teacher):
    teacher.begin.click()
    assert "What does your machine pay for" in teacher.question.value
    assert "?" in teacher.table.value
    assert teacher.accept.disabled
    answer_all(teacher, SWITCH)
    assert not teacher.accept.disabled
    assert teacher.lesson.hypothesis.equivalent(SWITCH)
    assert "<svg" in teacher.machine.value
    teacher.accept.click()
    assert "Learnt: a machine with 2 nodes" in teacher.question.value
    assert teacher.accept.disabled


def test_a_counter_example_brings_new_questions(teacher):
    """Pays 1 for the third a only: two answers of a·a say nothing of it."""
    late = MealyRewardMachine({("x", "a"): ("y", 0.0), ("y", "a"): ("z", 0.0), ("z", "a"): ("z", 1.0)}, "x")
    teacher.letters.value = "a"
    teacher.begin.click()
    answer_all(teacher, late)
    assert len(teacher.lesson.hypothesis.nodes) == 1
    teacher.objection.value = "a a a -> 0 0 1"
    teacher.object.click()
    assert "<svg" not in teacher.machine.value
    answer_all(teacher, late)
    assert teacher.lesson.hypothesis.difference(late) is None


def test_enter_answers_as_the_button_does(teacher):
    teacher.begin.click()
    teacher.answer.value = "0 0"
    teacher.answer._handle_custom_msg({"event": "submit"}, [])
    assert len(teacher.lesson.answers) == 1


@pytest.mark.parametrize(("text", "complaint"), [("0", "has 1 rewards"), ("0 x", "&#x27;x&#x27; is not a number"),
                                                 ("5 0", "before and (5.0,) now"), ("", "has 0 rewards")])
def test_a_wrong_answer_is_refused_beside_its_field_and_can_be_mended(teacher, text, complaint):
    teacher.begin.click()
    teacher.answer.value = "0 0"
    teacher.say_rewards.click()
    question = teacher.question.value
    teacher.answer.value = text
    teacher.say_rewards.click()
    assert complaint in teacher.answer_error.value
    assert teacher.question.value == question
    assert teacher.answer.value == text
    answer_all(teacher, SWITCH)
    assert teacher.answer_error.value == ""


def test_what_was_said_can_be_taken_back(teacher):
    teacher.begin.click()
    question = teacher.question.value
    teacher.answer.value = "9 9"
    teacher.say_rewards.click()
    teacher.back.click()
    assert teacher.question.value == question
    assert teacher.back.disabled
    answer_all(teacher, SWITCH)
    assert teacher.lesson.hypothesis.equivalent(SWITCH)


@pytest.mark.parametrize(("letters", "c"), [("", "0"), ("a a", "0"), ("a", "much")])
def test_a_lesson_without_sense_does_not_begin(teacher, letters, c):
    teacher.letters.value, teacher.c.value = letters, c
    teacher.begin.click()
    assert teacher.lesson is None
    assert "mrm-wrong" in teacher.letters_error.value


def test_every_control_says_what_it_is_for(teacher):
    controls = (teacher.letters, teacher.c, teacher.begin, teacher.answer, teacher.say_rewards, teacher.back,
                teacher.accept, teacher.objection, teacher.object)
    assert all(control.tooltip for control in controls)
