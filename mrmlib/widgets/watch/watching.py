"""Watch it learn: an agent in a world, its table filling and its machine growing, as fast as one can follow."""

import inspect
import time
from collections.abc import Callable
from functools import partial
from html import escape
from math import inf

import ipywidgets

from ...agents import Agent, OptimalAgent
from ...agents.events import summed
from ...domains import Domain, make, registry
from ...environment import Environment
from ...experiment.lives import EXPLORATIONS, LEARNERS
from ...figures.machine import machine_figure
from ...mcts.search import SearchSettings
from ...within.agreement import distinguish
from ..background import Background
from ..live_grid import LiveGrid
from ..panel import WIDE, Panel, button, figures_table, part, row
from .story import Attended, Story, known

SPEEDS = {"1/s": 1, "5/s": 5, "25/s": 25, "100/s": 100, "400/s": 400, "full": inf}
EXPLOITATION = 300  # actions
CONFLICTS = 2000  # of the solver in one question of the tester, so that Stop never waits long
SLOWLY = 0.2  # seconds between two drawings of what is more than the grid
MILESTONES = 4  # that are shown
NONE_YET = '<div class="mrm-done">none yet: there is a question without an answer</div>'
NAMES = {"tree_search": "tree search", "table": "L* (observation table)", "tree": "discrimination tree",
         "optimal": "optimal", "random": "random"}


class WatchItLearn(Panel):
    """Choose a world, a strategy and a learner; then run, pause, step, stop.

    >>> panel = WatchItLearn()
    >>> panel
    <WatchItLearn: Watch it learn>
    >>> panel.speed.value = inf
    >>> panel.run.click()
    >>> panel.background.wait()
    >>> panel.notice.value[-57:]
    'It is right on everything that this world can show.</div>'
    >>> panel.close()
    """

    def __init__(self) -> None:
        self.story, self._told, self._drawn_machine = Story(), 0.0, self
        self.background = Background(self._draw, self._ended, lambda: self.grid.seen())
        self.grid = LiveGrid(unwatched=self.stop)
        self.doing, self.costs, self.machine, self.table = (ipywidgets.HTML() for _ in range(4))
        self.happened = ipywidgets.HTML().add_class("mrm-scroll")
        self.machine.add_class("mrm-machine")
        self.table.add_class("mrm-scroll").layout.max_height = "250px"
        super().__init__("Watch it learn", "An agent that knows how its world moves learns how it pays. The machine is "
                         "hidden in the world; the agent sees only what it observes and what it is paid.",
                         [self._settings(), self._buttons(), self._stage()])
        self.reset()

    def _settings(self) -> ipywidgets.Widget:
        control = partial(ipywidgets.Dropdown, style=WIDE, layout={"width": "290px"})
        self.domain = control(options=tuple(registry()), value="treasure_map", description="world",
                              tooltip="Every registered domain; your own appears here too")
        self.precision = ipywidgets.FloatSlider(0.95, min=0.5, max=1.0, step=0.05, description="precision (APF)",
                                                style=WIDE, layout={"width": "290px"}, readout_format=".2f",
                                                tooltip="Probability that a move succeeds (APF)")
        self.strategy = control(options=[(NAMES.get(name, name), name) for name in EXPLORATIONS], value="optimal",
                                description="queries are lived", tooltip="How the agent acts to observe a word; random "
                                "exploration may take longer than you live")
        self.learner = control(options=[(NAMES.get(name, name), name) for name in LEARNERS], value="table",
                               description="learner", tooltip="What asks the questions")
        self.seed = ipywidgets.BoundedIntText(1, min=0, max=10**6, description="seed", style=WIDE,
                                              layout={"width": "290px"}, tooltip="The same seed, the same life")
        self.speed = ipywidgets.SelectionSlider(options=SPEEDS.items(), value=400, description="speed (actions)",
                                                style=WIDE, layout={"width": "290px"},
                                                tooltip="How many actions a second; it can be changed on the way")
        self.domain.observe(lambda _: self._fit(), "value")
        self.speed.observe(lambda _: self.background.pace(self.speed.value), "value")
        return row(self.domain, self.precision, self.strategy, self.learner, self.seed, self.speed)

    def _buttons(self) -> ipywidgets.Widget:
        self.run = button("Run", "play", "Begin a life, or go on with the one that is paused", self._run, "primary")
        self.pause = button("Pause", "pause", "Wait before the next action", self.background.pause)
        self.step = button("Step", "step-forward", "One action, then wait", self._step)
        self.halt = button("Stop", "stop", "End this life; what was learnt stays to be seen", self.stop)
        self.clear = button("Reset", "undo", "End this life and clear everything", self.reset)
        return row(self.run, self.pause, self.step, self.halt, self.clear)

    def _stage(self) -> ipywidgets.Widget:
        left = ipywidgets.VBox([part("The world, and what the agent does", self.grid, self.doing),
                                part("What happened", self.happened)], layout={"width": "410px"})
        right = ipywidgets.VBox([part("The hypothesis H, its latest guess at the machine", self.machine),
                                 row(part("What the learner knows: rewards after a word", self.table),
                                     part("What it took", self.costs))], layout={"width": "645px"})
        return row(left, right)

    def _fit(self) -> None:
        """Offer the precision only where the world has one."""
        self.precision.disabled = _precision_name(self.domain.value) is None
        self.reset()

    def _chosen(self) -> Domain:
        name = _precision_name(self.domain.value)
        return make(self.domain.value, **({name: self.precision.value} if name else {}))

    def reset(self) -> None:
        """End the life under way, and show the bare world."""
        self.stop()
        self.story = Story()
        self.grid.world(self._chosen())
        self._tell()
        self.say("Ready: press Run.")

    def stop(self) -> None:
        """End the life under way."""
        self.background.stop()

    def _run(self) -> None:
        if self.background.state == "paused":
            self.background.resume()
        else:
            self._begin(paused=False)

    def _step(self) -> None:
        if self.background.state == "idle":
            self._begin(paused=True)
        self.background.step()

    def _begin(self, paused: bool) -> None:
        self.reset()
        domain = self._chosen()
        agent = OptimalAgent(domain.mdp, domain.labelling, max_nodes=len(domain.machine.nodes), conflicts=CONFLICTS,
                             explore=EXPLORATIONS[self.strategy.value](domain, SearchSettings()),
                             learner=LEARNERS[self.learner.value])
        self.background.pace(self.speed.value)
        self.background.start(partial(self._live, domain, agent, self.seed.value), paused=paused)
        self.say("Learning …")

    def _live(self, domain: Domain, agent: Agent, seed: int, tick: Callable[[], None]) -> None:
        """The life, in the background."""
        story = self.story
        world = Attended(Environment(domain.mdp, domain.labelling, domain.machine, seed), story, tick)
        life = agent.life(world, EXPLOITATION, seed, every_action=True)
        story.learner = life.learner
        for event, run in summed(life.events(), life.begun):
            story.happened(event, run)
        self._verdict(domain)

    def _verdict(self, domain: Domain) -> None:
        """What the watcher knows and the agent does not: whether H is right."""
        machine = self.story.machine
        if machine is None:
            self.say("Stopped before the first hypothesis.")
            return
        wrong = distinguish(domain.mdp, domain.labelling, machine, domain.machine)
        found = f"H has {len(machine.nodes)} nodes after {self.story.run.learning_actions:,} actions of learning. "
        self.say(found + ("It is right on everything that this world can show." if wrong is None else
                          f"It is still wrong, for instance on {'·'.join(map(str, wrong))}."))

    def _ended(self, error: BaseException | None) -> None:
        self._tell()
        if error is not None:
            self.say(f"{type(error).__name__}: {error}", wrong=True)

    def _draw(self) -> None:
        """The grid; now and then, and whenever there is time, all the rest."""
        self.grid.show(tuple(self.story.trail))
        if self.background.state == "paused" or time.monotonic() - self._told > SLOWLY:
            self._tell()

    def _tell(self) -> None:
        """Everything but the grid."""
        story = self.story
        self.doing.value = f"<div>{story.doing()}</div>"
        self.costs.value = figures_table(story.costs())
        self.happened.value = "".join(f"<div>{escape(milestone)}</div>" for milestone in story.milestones[-MILESTONES:])
        self.table.value = known(story.learner, story.answers)
        if story.machine is not self._drawn_machine:
            self._drawn_machine = story.machine
            self.machine.value = NONE_YET if story.machine is None else machine_figure(story.machine).svg
        self._told = time.monotonic()


def _precision_name(domain: str) -> str | None:
    """What a world calls the probability that a move succeeds; None if it knows no such thing."""
    return next((name for name in inspect.signature(registry()[domain]).parameters if name in ("apf", "precision")),
                None)
