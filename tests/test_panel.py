"""What all panels share."""

import ipywidgets

from mrmlib.widgets.panel import Panel, button, figures_table, part, row


def test_a_closed_panel_leaves_no_widget_behind():
    before = set(ipywidgets.widgets.widget._instances)
    pressed = button("Go", "play", "Go on", lambda: None)
    panel = Panel("Title", "Hint", [row(pressed, part("Part", ipywidgets.FloatSlider()))])
    assert set(ipywidgets.widgets.widget._instances) > before
    panel.close()
    assert set(ipywidgets.widgets.widget._instances) == before


def test_what_is_said_is_text_not_markup():
    panel = Panel("<b>", "<i>", [])
    panel.say("<script>", wrong=True)
    assert "&lt;script&gt;" in panel.notice.value
    assert "mrm-wrong" in panel.notice.value
    assert "<b>" not in panel.children[0].value
    panel.close()


def test_a_button_does_what_it_is_for():
    pressed = []
    made = button("Go", "play", "Go on", lambda: pressed.append(1))
    made.click()
    assert pressed == [1]
    made.close()


def test_numbers_in_a_table_have_their_thousands_apart():
    assert figures_table({"<n>": 12000}).count("12,000") == 1
    assert "&lt;n&gt;" in figures_table({"<n>": 12000})
