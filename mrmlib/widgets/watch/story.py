"""The story of a life as it is watched: where the agent is, which word it lives and at what cost, what it knows by now.

A story is told by the events of a life and, in between, by every step in the environment.
"""

from collections import deque
from collections.abc import Callable, Hashable
from html import escape
from typing import Any

from ...agents.chronicle import told
from ...agents.events import Acted, Answered, EpochBegun, EpochEnded, Event, HypothesisBuilt, QueryPosed, Run
from ...learner import Learner
from ...machine import MealyRewardMachine
from ...words import NULL, Word

TRAIL = 25  # states that the trail shows
ANSWERS = 12  # words that are listed where a learner has no table of its own


class Attended:
    """An environment that calls `tick` before each action and lets a story know of it after."""

    def __init__(self, environment: Any, story: "Story", tick: Callable[[], None]) -> None:
        self._environment, self._story, self._tick = environment, story, tick

    def reset(self, state: Hashable | None = None, machine: bool = True) -> Hashable:
        """As the environment does; it costs no action."""
        reached = self._environment.reset(state, machine)
        self._story.placed(reached, machine)
        return reached

    def step(self, action: Hashable) -> tuple[Hashable, Hashable, float]:
        """As the environment does."""
        self._tick()
        lived = self._environment.step(action)
        self._story.moved(*lived)
        return lived


class Story:
    """What a watcher sees of a life.

    >>> story = Story()
    >>> story.happened(QueryPosed(("m", "t")), Run())
    >>> story.placed("s0", machine=True)
    >>> story.moved("s1", "m", 10.0)
    >>> story.doing()
    'living <b class="mrm-now">m</b>·t'
    """

    def __init__(self) -> None:
        self.trail: deque[Hashable] = deque(maxlen=TRAIL)
        self.run, self.learner = Run(), None
        self.word: Word = ()
        self.observed: list[Hashable] = []
        self.actions = self.attempts = self.query_actions = 0
        self.epoch_reward, self.last = 0.0, ("", 0.0)
        self.answers: deque[tuple[Word, tuple[float, ...]]] = deque(maxlen=ANSWERS)
        self.milestones: list[str] = []

    @property
    def machine(self) -> MealyRewardMachine | None:
        """The latest hypothesis."""
        return self.run.machine

    def placed(self, state: Hashable, machine: bool) -> None:
        """The agent was reset."""
        self.trail.clear()
        self.trail.append(state)
        self.attempts += 1
        if machine:
            self.observed = []

    def moved(self, state: Hashable, observation: Hashable, reward: float) -> None:
        """The agent took an action."""
        self.trail.append(state)
        self.actions, self.query_actions, self.last = self.actions + 1, self.query_actions + 1, (observation, reward)
        if observation != NULL:
            self.observed.append(observation)

    def happened(self, event: Event, run: Run) -> None:
        """Something happened in the agent's life."""
        self.run = run
        match event:
            case QueryPosed(word=word):
                self.word, self.attempts, self.query_actions, self.observed = word, 0, 0, []
            case Answered(word=word, rewards=rewards):
                self.answers.append((word, rewards))
            case HypothesisBuilt():
                self.word = ()
            case EpochBegun() | EpochEnded():  # what an ended epoch earned is in the sum
                self.word, self.epoch_reward = (), 0.0
            case Acted(reward=reward):
                self.epoch_reward += reward
        if milestone := told(event):
            self.milestones.append(milestone)

    def doing(self) -> str:
        """What the agent does now, as HTML: the word it lives with the letters met so far, or exploiting."""
        if not self.word:
            return "exploiting H" if self.run.epochs else "testing H" if self.machine else "not begun"
        met = 0
        while met < min(len(self.word), len(self.observed)) and self.word[met] == self.observed[met]:
            met += 1
        letters = [escape(str(z)) for z in self.word]
        now, rest = "·".join(letters[:met]), "·".join(letters[met:])
        return "living " + (f'<b class="mrm-now">{now}</b>' if now else "") + ("·" if now and rest else "") + rest

    def costs(self) -> dict[str, Any]:
        """What it took so far, for a table."""
        observation, reward = self.last
        return {
            "last step": f"{observation} pays {reward:g}" if observation else "",
            "this query: actions": self.query_actions if self.word else "",
            "this query: attempts": self.attempts if self.word else "",
            "actions in all": self.actions,
            "queries answered": self.run.queries,
            "counter-examples": self.run.counterexamples,
            "earned by exploiting": f"{self.run.total_reward + self.epoch_reward:g}",
        }


def known(learner: Learner | None, answers: deque[tuple[Word, tuple[float, ...]]]) -> str:
    """What a learner knows, as HTML: its table if it has one, else the latest answers.

    >>> known(None, deque([(("m", "t"), (10.0, -1.0))]))
    '<table><tr><th>word</th><th>paid</th></tr><tr><td>m·t</td><td>10 -1</td></tr></table>'
    """
    if hasattr(learner, "_repr_html_"):
        return learner._repr_html_()
    rows = "".join(f"<tr><td>{escape('·'.join(map(str, word)))}</td><td>{' '.join(f'{r:g}' for r in paid)}</td></tr>"
                   for word, paid in reversed(answers))
    return f"<table><tr><th>word</th><th>paid</th></tr>{rows}</table>"
