"""What all panels share: a title, a look, a line that says how things stand, and an end without leftovers."""

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets

STYLE = f"<style>{(Path(__file__).parent / 'panel.css').read_text(encoding='utf-8')}</style>"
WIDE = {"description_width": "9em"}


class Panel(ipywidgets.VBox):
    """A box of controls and pictures that does nothing until asked.

    A subclass lays out its parts and hands them over; what runs in the background is ended by its `stop`.

    >>> panel = Panel("Empty", "Nothing to do.", [])
    >>> panel
    <Panel: Empty>
    >>> panel.say("idle")
    >>> panel.close()
    """

    def __init__(self, title: str, hint: str, parts: list[ipywidgets.Widget]) -> None:
        head = f"{STYLE}<h3>{escape(title)}</h3><p>{escape(hint)}</p>"
        self.title = title
        self.notice = ipywidgets.HTML().add_class("mrm-notice")
        super().__init__([ipywidgets.HTML(head).add_class("mrm-head"), *parts, self.notice])
        self.add_class("mrm-panel")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def say(self, message: str, wrong: bool = False) -> None:
        """Tell how things stand, below everything else; `wrong` marks it as an error."""
        self.notice.value = f'<div role="status" class="{"mrm-wrong" if wrong else ""}">{escape(message)}</div>'

    def stop(self) -> None:
        """End whatever runs in the background: nothing, here."""

    def close(self) -> None:
        """Stop, and take every part off the page and out of the kernel."""
        self.stop()
        for widget in [*_parts(self)][::-1]:
            super(Panel, widget).close() if widget is self else widget.close()


def _parts(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    """A widget and all that it is made of."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from _parts(child)
    for name in ("layout", "style"):
        if isinstance(getattr(widget, name, None), ipywidgets.Widget):
            yield getattr(widget, name)


def button(label: str, icon: str, tooltip: str, pressed: Callable[[], Any], style: str = "") -> ipywidgets.Button:
    """A button that does one thing.

    >>> button("Run", "play", "Start", lambda: None).tooltip
    'Start'
    """
    made = ipywidgets.Button(description=label, icon=icon, tooltip=tooltip, button_style=style,
                             layout={"width": "auto"})
    made.on_click(lambda _: pressed())
    return made


def row(*widgets: ipywidgets.Widget) -> ipywidgets.HBox:
    """Widgets beside each other, in as many lines as they need.

    >>> row(ipywidgets.HTML("a"), ipywidgets.HTML("b")).layout.flex_flow
    'row wrap'
    """
    return ipywidgets.HBox(widgets, layout={"flex_flow": "row wrap", "align_items": "flex-start"}).add_class("mrm-row")


def part(title: str, *widgets: ipywidgets.Widget, width: str = "auto") -> ipywidgets.VBox:
    """A titled part of a panel.

    >>> len(part("The world", ipywidgets.HTML("a")).children)
    2
    """
    head = ipywidgets.HTML(f"<h4>{escape(title)}</h4>")
    return ipywidgets.VBox([head, *widgets], layout={"width": width}).add_class("mrm-part")


def figures_table(rows: dict[str, Any]) -> str:
    """A small two-column table as HTML: what, and how much.

    >>> figures_table({"actions": 1200})
    '<table class="mrm-figures"><tr><th>actions</th><td>1,200</td></tr></table>'
    """
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(_shown(value))}</td></tr>" for name, value in rows.items())
    return f'<table class="mrm-figures">{body}</table>'


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
