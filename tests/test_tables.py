"""Tables: the same cells as text and as HTML, whatever they hold."""

import re

from mrmlib.tables import Table, shown

ROWS = [{"word": ("m", "g"), "return": 14925.4, "right": True}, {"word": (), "return": 7, "note": "a < b"}]


def test_a_column_is_there_if_any_row_has_it_and_empty_where_a_row_has_not():
    assert repr(Table(ROWS)).splitlines() == ["| word | return | right | note |", "| --- | --- | --- | --- |",
                                              "| m·g | 14,925.4 | yes |  |", "| ε | 7 |  | a < b |"]


def test_html_has_the_same_cells_with_its_own_signs_escaped():
    html = Table(ROWS, caption="x & y")._repr_html_()
    assert "<caption>x &amp; y</caption>" in html
    assert re.findall(r"<th(?: [^>]*)?>(.*?)</th>", html) == ["word", "return", "right", "note"]
    assert re.findall(r"<td(?: [^>]*)?>(.*?)</td>", html) == ["m·g", "14,925.4", "yes", "", "ε", "7", "", "a &lt; b"]


def test_words_begin_at_the_left_and_numbers_end_at_the_right():
    html = Table([{"who": "Algorithm 1", "return": "14,928 ± 89", "n": 10}])._repr_html_()
    assert re.findall(r'<td style="text-align: left">(.*?)</td>', html) == ["Algorithm 1"]


def test_a_value_that_is_neither_word_nor_number_is_shown_as_it_prints():
    assert shown((1, 2)) == "(1, 2)"
    assert shown(None) == "None"
