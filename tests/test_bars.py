"""Bars: their lengths are their numbers."""

import re

import pytest

from mrmlib.errors import ModelError
from mrmlib.figures.bars import bars_figure
from mrmlib.figures.curves import COLOURS

LENGTH = 220  # of the longest bar, unless another is asked for


def bars(picture):
    """(left, width, colour) of each bar, from the top."""
    found = re.findall(r'<rect x="([^"]+)" y="[^"]+" width="([^"]+)" height="16" fill="([^"]+)"', picture.svg)
    return [(float(left), float(width), colour) for left, width, colour in found]


def test_a_bar_is_as_long_as_its_value():
    picture = bars_figure({"half": (50, 0), "whole": (100, 0)})
    assert [width for _, width, _ in bars(picture)] == [LENGTH / 2, LENGTH]
    assert [width for _, width, _ in bars(bars_figure({"half": (50, 0), "whole": (100, 0)}, length=90))] == [45, 90]


def test_negative_values_lie_left_of_zero_and_positive_ones_right_of_it():
    (left, loss, _), (right, gain, _) = bars(bars_figure({"loss": (-30, 0), "gain": (10, 0)}))
    assert left + loss == right
    assert (loss, gain) == (LENGTH * 3 / 4, LENGTH / 4)


def test_an_algorithm_has_its_own_colour():
    picture = bars_figure({"Algorithm 2": (1, 0), "optimum": (2, 0)})
    assert [colour for _, _, colour in bars(picture)] == [COLOURS["Algorithm 2"], COLOURS["optimum"]]


def test_a_whisker_reaches_as_far_as_the_spread_and_only_where_there_is_one():
    picture = bars_figure({"wide": (80, 20), "sure": (50, 0)})
    (start, end), = re.findall(r'd="M([\d.]+) [\d.]+H([\d.]+)M', picture.svg)
    zero, width, _ = bars(picture)[0]
    assert (float(end) + float(start)) / 2 == pytest.approx(zero + width)
    assert float(end) - float(start) == pytest.approx(LENGTH * 40 / 100)


def test_figures_on_one_scale_can_be_compared():
    small, large = (bars_figure({"here": (value, 0)}, low=0, high=100) for value in (25, 100))
    assert 4 * bars(small)[0][1] == bars(large)[0][1]


def test_the_numbers_stand_beside_the_bars_and_in_the_words_for_those_who_cannot_see():
    picture = bars_figure({"paper": (1459, 376), "optimum": (14925.4, 0)}, title="return")
    assert picture.alt == "return: paper 1,459 ± 376, optimum 14,925"
    assert re.findall(">([^<]+)</text>", picture.body) == ["return", "paper", "1,459 ± 376", "optimum", "14,925"]


def test_bars_that_are_all_zero_have_no_length():
    assert [width for _, width, _ in bars(bars_figure({"a": (0, 0), "b": (0.0, 0)}))] == [0, 0]


@pytest.mark.parametrize(("wrong", "complaint"), [
    ({"bars": {}}, "no bars"),
    ({"bars": {"a": (float("nan"), 0)}}, "the value of 'a'"),
    ({"bars": {"a": (1, float("inf"))}}, "the spread of 'a'"),
    ({"bars": {"a": (5, 1)}, "high": 5}, "from 0 to 5 does not hold"),
    ({"bars": {"a": (5, 1)}, "low": 1}, "from 1 to 6 does not hold"),
])
def test_what_cannot_be_drawn_is_refused_by_name(wrong, complaint):
    with pytest.raises(ModelError, match=complaint):
        bars_figure(**wrong)
