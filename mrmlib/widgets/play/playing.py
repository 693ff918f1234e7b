"""Be the agent: walk a world whose machine is hidden, guess the machine, and see what L* needs for the same."""

from collections.abc import Hashable
from functools import partial

import ipywidgets

from ...domains import Domain, make, registry
from ...errors import MrmError
from ...machine import MealyRewardMachine
from ..background import Background
from ..complaint import Complaint
from ..live_grid import LiveGrid
from ..panel import button, part, row
from .game import Game
from .rival import Rival
from .scoreboard import (
    ARROWS,
    RESET,
    checked,
    drawn,
    keys_for,
    listed_moves,
    listed_words,
    now,
    side_by_side,
    soft,
    spelt,
    wrong,
)
from .typed import EXAMPLE, typed_machine, typed_reward

NARROW = {"description_width": "4.5em"}
TRAIL = 25  # states that the trail shows
HINT = f"one edge a line: {EXAMPLE}\nthe first node is the start;\nwhat is not said stays and pays c"


class BeTheAgent(ipywidgets.VBox):
    """A world to walk, a field for the guess, and a rival; nothing moves until the player does.

    >>> player = BeTheAgent()
    >>> player.press("ArrowUp")
    >>> player.game.world.actions
    1
    >>> player.guess.value = "u0 m -> u1 lots"
    >>> player.guess_error.value
    '<div role="alert" class="mrm-wrong">line 1: &#x27;lots&#x27; is not a number</div>'
    >>> player.stop()
    """

    def __init__(self) -> None:
        self.background = Background(self._draw, self._ended, lambda: self.grid.seen())
        self.grid = LiveGrid(pressed=self.press, unwatched=self.stop)
        self.buttons: list[ipywidgets.Button] = []
        self.bindings: dict[str, Hashable] = {}
        self.pad, self.rival = row(), None
        self.hint, self.now, self.c, self.compared, self.yours, self.found = (ipywidgets.HTML() for _ in range(6))
        self.moves, self.words = (ipywidgets.HTML(layout={"height": "225px"}).add_class("mrm-scroll") for _ in range(2))
        self.expected_error, self.guess_error, self.verdict = Complaint(), Complaint(), ipywidgets.HTML()
        thinking = ipywidgets.VBox([self._guess(), self._race()], layout={"width": "330px"})
        machines = row(part("Your machine", self.yours, width="490px"),
                       part("The machine L* found", self.found, width="490px"))
        super().__init__([self._settings(), row(self._stage(), self._lived(), thinking), machines])
        self.new_game()

    def _settings(self) -> ipywidgets.Widget:
        self.domain = ipywidgets.Dropdown(options=tuple(registry()), value="treasure_map", description="world",
                                          style=NARROW, layout={"width": "230px"},
                                          tooltip="Every registered domain; your own appears here too")
        self.seed = ipywidgets.BoundedIntText(1, min=0, max=10**6, description="seed", style=NARROW,
                                              layout={"width": "160px"},
                                              tooltip="The same seed and the same actions, the same game")
        self.domain.observe(lambda _: self.new_game(), "value")
        self.world_error = Complaint()
        self.fresh = button("New game", "refresh", "Forget everything and begin at s0", self.new_game)
        return row(self.domain, self.seed, self.fresh, self.world_error)

    def _stage(self) -> ipywidgets.Widget:
        self.reset = button("Reset", "undo", "Back to s0, and the hidden machine to its start (key r)", self._reset)
        self.expected = ipywidgets.Text(description="I expect", placeholder="reward of the next observation",
                                        style=NARROW, layout={"width": "290px"},
                                        tooltip="Say beforehand what the next observation pays; null does not count")
        return part("The world, and you in it", self.grid, self.hint, self.pad, self.expected, self.expected_error,
                    self.now, width="354px")

    def _lived(self) -> ipywidgets.Widget:
        return ipywidgets.VBox([part("Since the last reset, latest first", self.moves),
                                part("Words you know, and their rewards", self.words)],
                               layout={"width": "330px"})

    def _guess(self) -> ipywidgets.Widget:
        self.guess = ipywidgets.Textarea(placeholder=HINT, rows=8, layout={"width": "296px"},
                                         tooltip="Your machine, one edge a line").add_class("mrm-code")
        self.guess.observe(lambda _: self._guessed(), "value")
        self.check = button("Does it fit?", "search", "Look for a word you lived that your guess pays "
                            "otherwise; costs nothing", self._check)
        self.ask = button("Am I right?", "question", "Compare your guess with the hidden machine on everything this "
                          "world can show; you are told one word, not its rewards", self._ask, "primary")
        return part("Your guess at the machine", self.guess, self.guess_error, self.c, row(self.check, self.ask),
                    self.verdict)

    def _race(self) -> ipywidgets.Widget:
        self.start = button("Let L* do it", "play", "L* learns the machine in a fresh copy of the same world",
                            self._start)
        self.halt = button("Stop", "stop", "End L*'s life; what it knows stays to be seen", self.stop)
        return part("You and L*", row(self.start, self.halt), self.compared)

    def new_game(self) -> None:
        """Begin at s0 with nothing known; a guess that is typed stays."""
        self.stop()
        self.world_error.say()
        try:
            self.game, self.rival = Game(make(self.domain.value), self.seed.value), None
        except (TypeError, MrmError) as error:  # it cannot be made without settings
            self.world_error.say(f"{self.domain.value}: {error}")
            return
        self._fit(self.game.domain)
        self.grid.world(self.game.domain)
        self.found.value = '<div class="mrm-done">not begun</div>'
        self._guessed()
        self._show()

    def _fit(self, domain: Domain) -> None:
        """One button and one key for each action; buttons that are not needed are hidden, never left behind."""
        actions, self.bindings = domain.mdp.actions, keys_for(domain)
        while len(self.buttons) < len(actions):
            self.buttons.append(button("", "", "", partial(self._pressed, len(self.buttons))))
        named = {action: key for key, action in self.bindings.items()}
        for made, action in zip(self.buttons, actions, strict=False):
            key, icon = ARROWS.get(action, (named.get(action, ""), ""))
            made.description, made.icon = str(action), icon
            made.tooltip = f"Do {action}" + (f" (key {key})" if key else "")
        for i, made in enumerate(self.buttons):
            made.layout.display = None if i < len(actions) else "none"
        self.pad.children = (*self.buttons, self.reset)
        self.grid.keyboard = [*self.bindings, RESET]
        others = [f"{key} = {action}" for key, action in self.bindings.items() if action not in ARROWS]
        self.hint.value = soft(f"Click the world, then use keys: {', '.join(['arrows', *others, f'{RESET} = reset'])}")

    def press(self, key: str) -> None:
        """A key of the keyboard."""
        if key == RESET:
            self._reset()
        elif key in self.bindings:
            self._act(self.bindings[key])

    def _pressed(self, i: int) -> None:
        self._act(self.game.domain.mdp.actions[i])

    def _act(self, action: Hashable) -> None:
        """Do it, unless what the player expects cannot be read."""
        try:
            expected = typed_reward(self.expected.value)
        except MrmError as error:
            self.expected_error.say(str(error))
            return
        move = self.game.act(action, expected)
        self.expected_error.say()
        if move.expected is not None:
            self.expected.value = ""
        self._show()

    def _reset(self) -> None:
        self.game.reset()
        self._show()

    def _show(self) -> None:
        """All that the player has seen."""
        game, machine = self.game, self._machine()
        self.grid.show(game.states[-TRAIL:])
        self.now.value = now(game)
        self.moves.value = listed_moves(game, machine if self.guess.value.strip() else None)
        self.words.value = listed_words(game)
        self.c.value = soft("c, what null pays: " + ("not seen yet, taken as 0" if game.null_reward is None
                                                     else f"{game.null_reward:g}"))
        self._compare()

    def _machine(self) -> MealyRewardMachine | None:
        """The guess; None, and the error beside the field, if it cannot be read."""
        try:
            machine = typed_machine(self.guess.value, self.game.domain.labelling.observations, self.game.c)
        except MrmError as error:
            self.guess_error.say(str(error))
            return None
        self.guess_error.say()
        return machine

    def _guessed(self) -> None:
        """The guess has changed."""
        machine = self._machine()
        self.verdict.value = ""
        if machine is not None:
            self.yours.value = drawn(machine)
        self._show()

    def _check(self) -> None:
        machine = self._machine()
        if machine is not None:
            self.verdict.value = checked(self.game, machine)

    def _ask(self) -> None:
        machine = self._machine()
        if machine is not None:
            word = self.game.ask(machine)
            self.verdict.value = soft("Yes: right on everything this world can show.") if word is None else wrong(
                f"No: it pays {spelt(word)} wrongly. Go and see.")
            self._compare()

    def _start(self) -> None:
        self.stop()
        self.rival = Rival(self.game.domain, self.game.seed)
        self.found.value = soft("L* is learning …")
        self.background.start(self.rival.learn)

    def stop(self) -> None:
        """End the rival's life."""
        self.background.stop()

    def _draw(self) -> None:
        """The rival's figures; the frame of the grid tells when they have arrived."""
        self._compare()
        self.grid.show(self.game.states[-TRAIL:])

    def _ended(self, error: BaseException | None) -> None:
        self._compare()
        smallest = self.rival.smallest
        if error is not None:
            self.found.value = wrong(error)
        elif smallest is None:
            self.found.value = soft("Stopped before the first hypothesis.")
        else:
            nodes = len(self.rival.run.machine.nodes)
            note = "" if nodes == len(smallest.nodes) else (
                f"L* needed {nodes} nodes, since it also learnt what is possible; this is the smallest that pays alike "
                "in this world.")
            self.found.value = drawn(smallest) + soft(note)

    def _compare(self) -> None:
        rival = {} if self.rival is None else self.rival.score()
        self.compared.value = side_by_side({"you": self.game.score(), "L*": rival})
