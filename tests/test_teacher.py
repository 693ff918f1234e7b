"""Teachers: the one that knows, and those that count, remember and bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mrmlib as mrm
from mrmlib.store import Store
from mrmlib.teacher import Bounded, BudgetError, Counting, MachineTeacher, Remembering
from tests.random_models import machines

DELTA = {("u", "a"): ("v", 1.0), ("u", "b"): ("u", 0.0), ("v", "a"): ("v", 2.0), ("v", "b"): ("u", 3.0)}


@pytest.fixture
def hidden():
    return mrm.MealyRewardMachine(DELTA, "u", null_reward=-1.0)


class Fickle(MachineTeacher):
    """Pays one more every time."""

    times = 0

    def rewards(self, word):
        self.times += 1
        return tuple(r + self.times for r in super().rewards(word))


@given(machines(), st.lists(st.sampled_from("abcnull"), max_size=6))
def test_an_agent_that_cannot_recognise_null_is_taught_the_machine_with_null_as_a_letter(machine, draws):
    letters = (*machine.observations, mrm.NULL)
    word = tuple(letters[ord(z) % len(letters)] for z in draws)
    teacher, seen = MachineTeacher(machine), machine.with_null_as_letter()
    assert seen.observations == letters
    assert teacher.rewards(word) == seen.rewards(word) == machine.rewards(word)
    assert teacher.counterexample(seen) is None
    assert teacher.counterexample(seen.minimal()) is None


def test_null_that_moves_is_a_counterexample(hidden):
    wrong = mrm.MealyRewardMachine(hidden.transitions | {("u", mrm.NULL): ("v", -1.0), ("v", mrm.NULL): ("v", -1.0)},
                                   "u")
    word = MachineTeacher(hidden).counterexample(wrong)
    assert len(word) == 2
    assert word[0] == mrm.NULL
    assert hidden.rewards(word) != wrong.rewards(word)


def test_a_machine_with_null_as_a_letter_already_is_itself(hidden):
    seen = hidden.with_null_as_letter()
    assert seen.with_null_as_letter() is seen


def test_a_hypothesis_over_other_letters_is_an_error(hidden):
    with pytest.raises(mrm.ModelError, match="different observations"):
        MachineTeacher(hidden).counterexample(mrm.MealyRewardMachine({("u", "z"): ("u", 0.0)}, "u"))


def test_one_who_remembers_words_leaves_hypotheses_to_the_teacher(hidden):
    wrong = mrm.MealyRewardMachine(hidden.transitions | {("v", "b"): ("u", 0.0)}, "u")
    remembering = Remembering(MachineTeacher(hidden), Store("ab"))
    assert remembering.counterexample(wrong) == MachineTeacher(hidden).counterexample(wrong) == ("a", "b")
    assert remembering.counterexample(hidden) is None
    assert remembering.null_reward == -1.0


def test_counting_counts_words_letters_and_hypotheses(hidden):
    teacher = Counting(MachineTeacher(hidden))
    teacher.rewards(("a", "b")), teacher.rewards(("a",))
    assert teacher.counterexample(hidden) is None
    assert (teacher.membership_queries, teacher.symbols, teacher.equivalence_queries) == (2, 3, 1)


def test_a_remembering_teacher_asks_neither_a_word_nor_its_prefix_twice(hidden):
    counting = Counting(MachineTeacher(hidden))
    teacher = Remembering(counting, Store("ab"))
    assert teacher.rewards(("a", "b", "a")) == hidden.rewards(("a", "b", "a"))
    assert teacher.rewards(("a", "b")) == hidden.rewards(("a", "b"))
    assert counting.membership_queries == 1
    assert teacher.null_reward == -1.0


def test_a_teacher_that_contradicts_itself_is_found_out(hidden):
    teacher = Remembering(Fickle(hidden), Store("ab"))
    teacher.rewards(("a",))
    with pytest.raises(mrm.NondeterminismError, match=r"\('a',\) was paid \(2.0,\) before and \(3.0,\) now"):
        teacher.rewards(("a", "b"))
    assert teacher.rewards(("a",)) == (2.0,)


@pytest.mark.parametrize(("bounds", "spent"), [({"queries": 1}, "1 queries"), ({"symbols": 3}, "3 symbols")])
def test_a_bounded_teacher_says_when_the_budget_is_spent(hidden, bounds, spent):
    teacher = Bounded(MachineTeacher(hidden), **bounds)
    teacher.rewards(("a", "b"))
    with pytest.raises(BudgetError, match=spent):
        teacher.rewards(("b", "b"))
    assert (teacher.membership_queries, teacher.symbols) == (1, 2)
