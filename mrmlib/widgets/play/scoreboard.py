"""The scoreboard: what a player is shown of a game, as HTML, and which keys do what."""

from collections.abc import Hashable, Mapping, Sequence
from html import escape
from typing import Any

from ...domains import Domain
from ...figures.machine import machine_figure
from ...machine import MealyRewardMachine
from ...tables import shown
from ...words import NULL, Word
from .game import Game

ARROWS = {"n": ("ArrowUp", "arrow-up"), "e": ("ArrowRight", "arrow-right"), "w": ("ArrowLeft", "arrow-left"),
          "s": ("ArrowDown", "arrow-down")}
RESET = "r"
LISTED, MOST_DRAWN = 60, 12  # moves or words in a list, nodes in a picture


def soft(text: str) -> str:
    """A remark.

    >>> soft("a < b")
    '<div class="mrm-done">a &lt; b</div>'
    """
    return f'<div class="mrm-done">{escape(text)}</div>'


def wrong(what: object) -> str:
    """An error, or anything else that is wrong.

    >>> wrong("no")
    '<div class="mrm-wrong">no</div>'
    """
    return f'<div class="mrm-wrong">{escape(str(what))}</div>'


def spelt(word: Word) -> str:
    """A word as it is written.

    >>> spelt(("m", "t")), spelt(())
    ('m·t', 'ε')
    """
    return "·".join(map(str, word)) or "ε"


def paid(rewards: Sequence[float]) -> str:
    """Rewards as they are written.

    >>> paid((10.0, -1.0))
    '10, -1'
    """
    return ", ".join(f"{reward:g}" for reward in rewards)


def keys_for(domain: Domain) -> dict[str, Hashable]:
    """A key for each action: the arrows for moves, else the first letter of its name that is still free.

    >>> from mrmlib import domains
    >>> keys_for(domains.cookie())
    {'ArrowUp': 'n', 'ArrowDown': 's', 'ArrowRight': 'e', 'ArrowLeft': 'w', 'p': 'push_button', 'e': 'eat'}
    """
    keys: dict[str, Hashable] = {}
    for action in domain.mdp.actions:
        free = (letter for letter in str(action).lower() if letter.isalnum() and letter not in (*keys, RESET))
        key = ARROWS[action][0] if action in ARROWS else next(free, None)
        if key is not None:
            keys[key] = action
    return keys


def now(game: Game) -> str:
    """What the last move brought.

    >>> from mrmlib import domains
    >>> game = Game(domains.treasure_map(apf=1.0))
    >>> _ = game.act("n")
    >>> now(game)
    '<div>You see <b>null</b> and are paid <b>-1</b>.</div>'
    """
    if not game.moves:
        return soft("You stand at s0; nothing has been seen yet.")
    move = game.moves[-1]
    met = "" if move.expected is None else (
        ", as you expected" if move.expected == move.reward else f', not <b class="mrm-wrong">{move.expected:g}</b>')
    return f"<div>You see <b>{escape(str(move.observation))}</b> and are paid <b>{move.reward:g}</b>{met}.</div>"


def listed_moves(game: Game, guess: MealyRewardMachine | None = None) -> str:
    """The moves since the last reset, the latest first, with what the guess says of each."""
    said = [] if guess is None else guess.rewards(tuple(move.observation for move in game.moves))
    rows = []
    for i, move in enumerate(game.moves):
        seen = f'<span class="mrm-done">{NULL}</span>' if move.observation == NULL else escape(str(move.observation))
        cells = [str(i + 1), escape(str(move.action)), seen, f"{move.reward:g}",
                 _against(said[i], move.reward) if said else ""]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return _table(("#", "action", "seen", "paid", "guess"), rows)


def listed_words(game: Game) -> str:
    """The longest words ever lived, and what their letters paid."""
    return _table(("word", "paid"), [f"<tr><td>{escape(spelt(word))}</td><td>{paid(rewards)}</td></tr>"
                                     for word, rewards in reversed([*game.store.words()])])


def checked(game: Game, guess: MealyRewardMachine) -> str:
    """Does the guess fit what was lived?

    >>> from mrmlib import domains
    >>> from mrmlib.widgets.play.typed import typed_machine
    >>> game = Game(domains.treasure_map(apf=1.0))
    >>> for _ in range(4):
    ...     move = game.act("n")
    >>> checked(game, typed_machine("", "m e g t j1 j2".split(), game.c))
    '<div class="mrm-wrong">m was paid 10; your guess says -1.</div>'
    """
    lived = game.contradiction(guess)
    if lived is None:
        return soft("It fits everything that you lived.")
    word, rewards = lived
    return wrong(f"{spelt(word)} was paid {paid(rewards)}; your guess says {paid(guess.rewards(word))}.")


def drawn(machine: MealyRewardMachine) -> str:
    """The machine as a picture, unless it is too large for one."""
    if len(machine.nodes) > MOST_DRAWN:
        return soft(f"{len(machine.nodes)} nodes are too many for a picture.")
    return machine_figure(machine).svg


def side_by_side(players: Mapping[str, Mapping[str, Any]]) -> str:
    """A table with a column for each player and a row for each figure; what a player does not have is a dash.

    >>> side_by_side({"you": {"actions": 1200}, "L*": {}})[-57:]
    '<tr><th>actions</th><td>1,200</td><td>–</td></tr></table>'
    """
    head = "<tr><th></th>" + "".join(f"<td>{escape(name)}</td>" for name in players) + "</tr>"
    body = ""
    for figure in dict.fromkeys(figure for score in players.values() for figure in score):
        cells = (shown(score.get(figure, "–")) for score in players.values())
        body += f"<tr><th>{escape(figure)}</th>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    return f'<table class="mrm-figures">{head}{body}</table>'


def _against(said: float, reward: float) -> str:
    """What was said of a reward, marked if it was wrong."""
    return f"{said:g}" if said == reward else f'<span class="mrm-wrong">{said:g} ✗</span>'


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    """The rows, the last first, and no more than can be read."""
    body = "".join(rows[::-1][:LISTED])
    more = soft(f"and {len(rows) - LISTED} earlier") if len(rows) > LISTED else ""
    return f"<table><thead><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr></thead>{body}</table>{more}"
