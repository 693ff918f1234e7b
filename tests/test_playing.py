"""Be the agent, driven by its fields, buttons and keys; no browser."""

import time

import pytest

from mrmlib import domains
from mrmlib.widgets.play.playing import BeTheAgent
from mrmlib.widgets.play.roles import PlayARole
from mrmlib.widgets.play.scoreboard import keys_for

RIGHT = "\n".join(f"{u} {z} -> {v} {reward:g}" for (u, z), (v, reward) in domains.treasure_machine().transitions.items()
                  if (v, reward) != (u, -1.0))


@pytest.fixture
def player():
    panel = PlayARole()
    yield panel.agent
    panel.close()


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def shown_buttons(player):
    return [made.description for made in player.pad.children if made.layout.display != "none"]


def test_nothing_is_done_until_the_player_does_something(player):
    assert player.game.world.actions == player.game.world.resets == 0
    assert player.background.state == "idle"
    assert repr(PlayARole()) == "<PlayARole: Be the agent, be the teacher>"


def test_keys_and_buttons_move_alike(player):
    other = BeTheAgent()
    for key, button in (("ArrowUp", 0), ("ArrowRight", 1), ("ArrowLeft", 2), ("ArrowDown", 3)):
        player.press(key)
        other.buttons[button].click()
    assert [move.action for move in player.game.moves] == ["n", "e", "w", "s"]
    assert player.game.moves == other.game.moves
    player.press("r")
    other.reset.click()
    assert player.game.moves == other.game.moves == []
    assert player.game.world.resets == other.game.world.resets == 1
    player.press("x")
    assert player.game.world.actions == 4


def test_every_domain_offers_its_own_actions_and_no_button_is_left_behind(player):
    for name in ("cookie", "treasure_map", "cookie", "assembly"):
        player.domain.value = name
        actions = domains.make(name).mdp.actions
        assert shown_buttons(player) == [*actions, "Reset"]
        assert set(player.grid.keyboard) == {*keys_for(player.game.domain), "r"}
    assert len(player.buttons) == 6


def test_a_domain_that_cannot_be_made_is_complained_of_and_the_game_goes_on(monkeypatch):
    monkeypatch.setitem(domains.domain._registry, "needy", lambda size: None)
    player = BeTheAgent()
    game = player.game
    player.domain.value = "needy"
    assert "needy: " in player.world_error.value
    assert player.game is game
    player.domain.value = "cookie"
    assert player.world_error.value == ""
    assert player.game.domain.name == "cookie"


def test_two_actions_never_share_a_key():
    for name in domains.registry():
        domain = domains.make(name)
        keys = keys_for(domain)
        assert len(set(keys.values())) == len(keys) == len(domain.mdp.actions)
        assert "r" not in keys


def test_what_was_seen_and_paid_is_listed_and_what_the_guess_says_beside_it(player):
    player.guess.value = "u0 m -> u1 7"
    for _ in range(5):
        player.press("ArrowUp")
    assert "m" in player.game.lived[0]
    assert "<td>10</td><td><span class=\"mrm-wrong\">7 ✗</span></td>" in player.moves.value
    assert "<td>m</td><td>10</td>" in player.words.value
    assert "c, what null pays: -1" in player.c.value


def test_a_prediction_is_scored_once_and_nonsense_is_refused_beside_its_field(player):
    player.expected.value = "ten"
    player.press("ArrowUp")
    assert player.game.world.actions == 0
    assert "is not a number" in player.expected_error.value
    player.expected.value = "10"
    while "m" not in player.game.lived[0]:
        player.press("ArrowUp")
    assert player.expected_error.value == player.expected.value == ""
    assert "as you expected" in player.now.value
    assert "<td>1 of 1</td>" in player.compared.value


def test_a_guess_is_checked_with_what_was_lived_then_with_everything(player):
    while "m" not in player.game.lived[0]:
        player.press("ArrowUp")
    player.check.click()
    assert "m was paid 10; your guess says -1." in player.verdict.value
    player.guess.value = "u0 m -> u1 10"
    assert player.verdict.value == ""
    player.check.click()
    assert "fits everything" in player.verdict.value
    player.ask.click()
    assert "No: it pays m·e wrongly." in player.verdict.value
    assert "30" not in player.verdict.value
    player.guess.value = RIGHT
    player.ask.click()
    assert "Yes: right on everything" in player.verdict.value
    assert player.game.asked == 2


def test_a_guess_that_cannot_be_read_is_neither_checked_nor_drawn(player):
    before = player.yours.value
    player.guess.value = "u0 m"
    assert "line 1" in player.guess_error.value
    player.check.click()
    player.ask.click()
    assert player.verdict.value == ""
    assert player.game.asked == 0
    assert player.yours.value == before
    player.guess.value = ""
    assert player.guess_error.value == ""


@pytest.mark.parametrize("name", ["treasure_map", "cookie", "assembly"])
def test_the_rival_finds_the_machine_in_the_same_world(player, name):
    player.domain.value = name
    player.start.click()
    player.background.wait()
    rival, game = player.rival, player.game
    assert game.refutation(rival.run.machine) is game.refutation(rival.smallest) is None
    assert "<svg" in player.found.value
    assert f"<td>{rival.world.actions:,}</td>" in player.compared.value
    assert rival.world.actions == rival.run.learning_actions
    assert game.world.actions == 0


def test_the_rival_stops_within_half_a_second_and_may_begin_again(player):
    player.domain.value = "cookie"
    for _ in range(2):
        player.start.click()
        wait_for(lambda: player.rival.world.actions > 20)
        began = time.monotonic()
        player.halt.click()
        assert time.monotonic() - began < 0.5
        assert player.background.state == "idle"
        assert "learning …" not in player.found.value


def test_a_new_game_ends_the_rival_and_keeps_the_guess(player):
    player.guess.value = "u0 m -> u1 10"
    player.press("ArrowUp")
    player.start.click()
    player.fresh.click()
    assert player.background.state == "idle"
    assert player.rival is None
    assert player.game.world.actions == 0
    assert player.guess.value == "u0 m -> u1 10"
    assert "not begun" in player.found.value


def test_every_control_says_what_it_is_for(player):
    controls = (player.domain, player.seed, player.fresh, player.reset, player.expected, player.guess, player.check,
                player.ask, player.start, player.halt, *player.buttons)
    assert all(control.tooltip for control in controls)
