"""A table of fields to edit a reward machine: a row for each node, a column for each observation."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from html import escape

import ipywidgets

from ...figures.picture import ACCENT
from ..complaint import Complaint
from ..panel import button
from .editing import Field, Sheet

HEAD = 'style="font-weight: 600; font-size: 12px; line-height: 1.15; overflow-wrap: anywhere"'
SOUND, WRONG = "2px solid transparent", f"2px solid {ACCENT}"


class EdgeTable(ipywidgets.GridBox):
    """What nodes mean and where their edges lead, as text; `changed` is called after an edit, `removed` with a node.

    Fields are made when they are first needed, and hidden when they are not: so none is ever left behind.

    >>> table = EdgeTable(changed=lambda: None, removed=print)
    >>> table.show(Sheet({"u0": "", "u1": "rich"}, "u0", "0", {("u0", "m"): "u1 | 10"}), ("m",))
    >>> table.fields["u0", "m"].value = "u1 | 20"
    >>> table.edges
    {('u0', 'm'): 'u1 | 20', ('u1', 'm'): ''}
    >>> table.removers["u1"].click()
    u1
    """

    def __init__(self, changed: Callable[[], None], removed: Callable[[str], None]) -> None:
        super().__init__(layout={"grid_gap": "0 2px", "align_items": "center", "width": "640px", "overflow": "auto"})
        self.add_class("mrm-edges")
        self._changed, self._removed = changed, removed
        self._made: dict[Hashable, ipywidgets.Widget] = {}
        self._showing = False
        self.letters: tuple[str, ...] = ()
        self.fields: dict[tuple[str, str], ipywidgets.Text] = {}
        self.meanings: dict[str, ipywidgets.Text] = {}
        self.removers: dict[str, ipywidgets.Button] = {}
        self._errors: dict[str, Complaint] = {}

    @property
    def edges(self) -> dict[tuple[str, str], str]:
        """What is typed for each pair (node, observation)."""
        return {pair: field.value for pair, field in self.fields.items()}

    @property
    def nodes(self) -> dict[str, str]:
        """The nodes, and what is typed of their meaning."""
        return {u: field.value for u, field in self.meanings.items()}

    def show(self, sheet: Sheet, letters: Sequence[str]) -> None:
        """Put a sheet into the fields, with a column for each of `letters`."""
        self._showing, self.letters = True, tuple(letters)
        head = [self._heading("node", "node"), self._heading("meaning", "meaning"),
                *(self._heading(j, z) for j, z in enumerate(letters)), self._heading("end", "")]
        rows = [self._row(i, u, meaning, sheet.edges, letters) for i, (u, meaning) in enumerate(sheet.nodes.items())]
        self.fields, self.meanings, self.removers, self._errors = {}, {}, {}, {}
        for u, (_, meaning, *fields, remove, error) in zip(sheet.nodes, rows, strict=True):
            self.meanings[u], self.removers[u], self._errors[u] = meaning, remove, error
            self.fields |= {(u, z): field for z, field in zip(letters, fields, strict=True)}
        shown = [*head, *(widget for one in rows for widget in one)]
        self.layout.grid_template_columns = f"44px 100px repeat({len(letters)}, minmax(50px, 1fr)) 40px"
        for widget in self._made.values():
            widget.layout.display = None if widget in shown else "none"
        self.children = [*shown, *(widget for widget in self._made.values() if widget not in shown)]
        self._showing = False
        self.mark({})

    def mark(self, errors: Mapping[Field, str]) -> None:
        """Frame the fields that are wrong, and say below their row what is."""
        for (u, z), field in self.fields.items():
            field.layout.border = WRONG if ("edge", u, z) in errors else SOUND
        for u, line in self._errors.items():
            said = [f"{z}: {errors['edge', u, z]}" for v, z in self.fields if v == u and ("edge", u, z) in errors]
            line.say(*said)

    def _row(self, i: int, u: str, meaning: str, edges: Mapping, letters: Sequence[str]) -> list[ipywidgets.Widget]:
        name = self._heading(("name", i), u)
        means = self._field(("meaning", i), meaning, "", f"What the machine remembers in {u}; for the figures only")
        fields = [self._field((i, j), edges.get((u, z), ""), "·", f"Where {u} goes on seeing {z}, and what it pays: "
                              "node | reward. Empty: stays and pays c") for j, z in enumerate(letters)]
        remove = self._have(("remove", i), partial(button, "", "trash", "", lambda: self._removed([*self.nodes][i])))
        remove.tooltip = f"Remove {u}; edges that lead there will stay where they are"
        error = self._have(("error", i), partial(Complaint, grid_area="auto / 1 / auto / -1"))
        return [name, means, *fields, remove, error]

    def _heading(self, place: Hashable, content: str) -> ipywidgets.HTML:
        heading = self._have(("head", place), ipywidgets.HTML)
        heading.value = f"<div {HEAD}>{escape(content).replace('_', '_<wbr>')}</div>"
        return heading

    def _field(self, place: Hashable, typed: str, placeholder: str, tooltip: str) -> ipywidgets.Text:
        field = self._have(place, partial(ipywidgets.Text, continuous_update=False, layout={"width": "auto"}))
        field.value, field.placeholder, field.tooltip = typed, placeholder, tooltip
        return field

    def _have(self, place: Hashable, make: Callable[[], ipywidgets.Widget]) -> ipywidgets.Widget:
        if place not in self._made:
            self._made[place] = made = make()
            if isinstance(made, ipywidgets.Text):
                made.observe(lambda _: self._showing or self._changed(), "value")
        return self._made[place]
