"""A game played without a browser: what is seen, paid, expected and guessed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrmlib import NULL, MealyRewardMachine, distinguish, domains, executable
from mrmlib.widgets.play.game import Game
from mrmlib.widgets.play.typed import typed_machine

COOKIE, TREASURE = domains.cookie(), domains.treasure_map()
ACTIONS = st.lists(st.sampled_from([*COOKIE.mdp.actions, None]), max_size=60)


def play(game, actions):
    """None is a reset."""
    for action in actions:
        if action is None:
            game.reset()
        else:
            game.act(action)


@given(ACTIONS, st.integers(0, 100))
def test_the_player_is_paid_what_the_hidden_machine_pays(actions, seed):
    game = Game(COOKIE, seed)
    play(game, actions)
    since = actions[::-1].index(None) if None in actions else len(actions)
    assert [move.action for move in game.moves] == actions[len(actions) - since:]
    assert [move.reward for move in game.moves] == list(COOKIE.machine.rewards([m.observation for m in game.moves]))
    assert game.world.resets == actions.count(None)
    assert game.world.actions == len(actions) - actions.count(None)
    for word, paid in game.store.words():
        assert COOKIE.machine.rewards(word) == paid
        assert executable(COOKIE.mdp, COOKIE.labelling, word)
    assert game.contradiction(COOKIE.machine) is None


def test_the_same_seed_and_the_same_actions_give_the_same_game():
    actions = np.random.default_rng(3).choice(TREASURE.mdp.actions, 50).tolist()
    one, two, other = Game(TREASURE, 7), Game(TREASURE, 7), Game(TREASURE, 8)
    for game in (one, two, other):
        play(game, actions)
    assert one.moves == two.moves
    assert one.moves != other.moves


def test_only_an_observation_settles_what_was_expected():
    """The map lies four steps north of s0: three nulls, then m, which pays 10."""
    for expected, foretold in ((10.0, 1), (9.0, 0)):
        game = Game(domains.treasure_map(apf=1.0))
        moves = [game.act("n", expected) for _ in range(4)]
        assert [move.observation for move in moves] == [NULL, NULL, NULL, "m"]
        assert [move.expected for move in moves] == [None, None, None, expected]
        assert (game.foretold, game.predicted) == (foretold, 1)


def test_null_pays_nothing_known_until_one_is_seen():
    game = Game(TREASURE)
    assert (game.null_reward, game.c) == (None, 0.0)
    game.act("w")
    assert (game.null_reward, game.c) == (-1.0, -1.0)


def test_a_guess_is_contradicted_by_the_shortest_word_that_was_lived():
    """From s0: east to g, then north and west to m and on to g. What pays first is m, after g has paid c."""
    game = Game(domains.treasure_map(apf=1.0))
    play(game, ["e"] * 4 + ["n"] * 4 + ["w"] * 4 + ["s"] * 4 + ["e"] * 4)
    assert game.lived == (("g", "m", "g"), (-1.0, 10.0, 25.0))
    letters = TREASURE.labelling.observations
    assert game.contradiction(typed_machine("", letters, -1.0)) == (("g", "m"), (-1.0, 10.0))
    assert game.contradiction(typed_machine("u0 m -> u1 10", letters, -1.0)) == (("g", "m", "g"), (-1.0, 10.0, 25.0))
    assert game.contradiction(typed_machine("u0 m -> u1 10\nu1 g -> u2 25", letters, -1.0)) is None


@pytest.mark.parametrize("domain", [TREASURE, COOKIE], ids=lambda domain: domain.name)
def test_asking_tells_a_shortest_word_and_counts(domain):
    game, letters = Game(domain), domain.labelling.observations
    lazy = MealyRewardMachine({("u", z): ("u", 0.0) for z in letters}, "u")
    assert game.ask(lazy) == distinguish(domain.mdp, domain.labelling, lazy, domain.machine)
    assert game.ask(domain.machine) is None
    assert game.score()["machines proposed"] == 2
