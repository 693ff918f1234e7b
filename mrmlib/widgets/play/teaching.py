"""Be the teacher: think of a machine, answer what L* asks about it, and tell whether its hypothesis is right."""

from collections.abc import Callable
from html import escape

import ipywidgets

from ...errors import MrmError
from ...words import Word
from ..complaint import Complaint
from ..panel import button, figures_table, part, row
from .lesson import Lesson
from .scoreboard import drawn, paid, soft, spelt
from .typed import APART, typed_answer, typed_reward, typed_rewards

FIELD = {"style": {"description_width": "6.5em"}, "layout": {"width": "330px"}}


class BeTheTeacher(ipywidgets.VBox):
    """A question, a field for the answer, the table that fills and the hypothesis that comes of it.

    >>> teacher = BeTheTeacher()
    >>> teacher.letters.value = "a"
    >>> teacher.begin.click()
    >>> teacher.answer.value = "1 1"
    >>> teacher.say_rewards.click()
    >>> len(teacher.lesson.hypothesis.nodes)
    1
    >>> teacher.objection.value = "a a a -> 1 1 1"
    >>> teacher.object.click()
    >>> "is no counter-example" in teacher.objection_error.value
    True
    """

    def __init__(self) -> None:
        self.lesson: Lesson | None = None
        self.question, self.table, self.machine, self.score = (ipywidgets.HTML() for _ in range(4))
        self.letters_error, self.answer_error, self.objection_error = Complaint(), Complaint(), Complaint()
        self.table.add_class("mrm-scroll").layout.max_height = "330px"
        super().__init__([self._settings(), row(
            ipywidgets.VBox([self._answering(), self._judging()], layout={"width": "360px"}),
            part("What L* knows", self.table, width="270px"),
            ipywidgets.VBox([part("The hypothesis H", self.machine), part("What it took", self.score)],
                            layout={"width": "350px"}))])
        self._show()

    def _settings(self) -> ipywidgets.Widget:
        self.letters = ipywidgets.Text("a b", description="observations", **FIELD,
                                       tooltip="What your machine reads; names apart by spaces")
        self.c = ipywidgets.Text("0", description="null pays", **FIELD, tooltip="The reward c of the null observation")
        self.begin = button("Begin", "play", "L* asks its first question; an earlier lesson is forgotten", self._begin,
                            "primary")
        return ipywidgets.VBox([row(self.letters, self.c, self.begin), self.letters_error])

    def _answering(self) -> ipywidgets.Widget:
        self.answer = ipywidgets.Text(description="rewards", placeholder="one for each letter, such as 0 1", **FIELD,
                                      tooltip="What your machine pays for each letter of the word")
        self.say_rewards = button("Answer", "check", "Tell L* these rewards", self._answer, "primary")
        on_enter(self.answer, self._answer)
        self.back = button("Take back", "undo", "Forget the last thing you said", self._take_back)
        return part("L* asks", self.question, self.answer, self.answer_error, row(self.say_rewards, self.back))

    def _judging(self) -> ipywidgets.Widget:
        self.accept = button("Yes, that's it", "check", "H is your machine: the lesson ends", self._accept, "primary")
        self.objection = ipywidgets.Text(description="no, for", placeholder="a word and its rewards: a b -> 0 1",
                                         **FIELD, tooltip="A word for which H does not pay what your machine pays")
        self.object = button("No", "times", "Give this word as a counter-example", self._object)
        on_enter(self.objection, self._object)
        return part("Is H your machine?", row(self.accept), self.objection, self.objection_error, row(self.object))

    def _begin(self) -> None:
        def begin() -> None:
            letters = [name for name in APART.split(self.letters.value) if name]
            self.lesson = Lesson(letters, typed_reward(self.c.value) or 0.0)

        self._try(begin, self.letters_error)

    def _answer(self) -> None:
        self._try(lambda: self.lesson.answer(typed_rewards(self.answer.value)), self.answer_error, self.answer)

    def _object(self) -> None:
        self._try(lambda: self.lesson.object(*typed_answer(self.objection.value, self.lesson.observations)),
                  self.objection_error, self.objection)

    def _accept(self) -> None:
        self._try(lambda: self.lesson.accept(), self.objection_error)

    def _take_back(self) -> None:
        self._try(lambda: self.lesson.take_back(), self.answer_error)

    def _try(self, action: Callable[[], None], error: Complaint, field: ipywidgets.Text | None = None) -> None:
        """Do it, clear the field and show what came of it; or show beside the field why it cannot be done."""
        for message in (self.letters_error, self.answer_error, self.objection_error):
            message.say()
        try:
            action()
        except MrmError as caught:
            error.say(str(caught))
            return
        if field is not None:
            field.value = ""
        self._show()

    def _show(self) -> None:
        """How the lesson stands; what cannot be done now is disabled."""
        lesson = self.lesson
        asking = lesson is not None and lesson.question is not None
        judging = lesson is not None and lesson.hypothesis is not None and not lesson.accepted
        for control, usable in ((self.answer, asking), (self.say_rewards, asking), (self.accept, judging),
                                (self.objection, judging), (self.object, judging),
                                (self.back, lesson is not None and bool(lesson.answers))):
            control.disabled = not usable
        self.question.value = asked(lesson)
        self.table.value = soft("empty") if lesson is None else lesson.table._repr_html_()
        self.score.value = "" if lesson is None else figures_table(lesson.score())
        self.machine.value = (soft("none while there is a question") if lesson is None or lesson.hypothesis is None
                              else drawn(lesson.hypothesis))


def on_enter(field: ipywidgets.Text, do: Callable[[], None]) -> None:
    """Do it when Enter is pressed in the field.

    >>> field = ipywidgets.Text("a word")
    >>> on_enter(field, lambda: print(field.value))
    >>> field._handle_custom_msg({"event": "submit"}, [])
    a word
    """
    field.on_msg(lambda _, message, __: message.get("event") == "submit" and do())


def asked(lesson: Lesson | None) -> str:
    """What L* wants to know now, as HTML.

    >>> asked(Lesson(["a"]))
    '<div>What does your machine pay for <b class="mrm-now">a·a</b>?</div>'
    """
    if lesson is None:
        return soft("Think of a machine with two or three nodes, name its observations, and press Begin.")
    if lesson.accepted:
        return f"<div>Learnt: a machine with {len(lesson.hypothesis.nodes)} nodes.</div>"
    if lesson.question is None:
        return "<div>Nothing: it has a hypothesis. Is it right?</div>"
    return (f'<div>What does your machine pay for <b class="mrm-now">{escape(spelt(lesson.question))}</b>?</div>'
            + _reminder(lesson, lesson.question))


def _reminder(lesson: Lesson, word: Word) -> str:
    """What earlier answers have said of its beginning."""
    known = lesson.known(word)
    return soft(f"You said that {spelt(word[:len(known)])} is paid {paid(known)}.") if known else ""
