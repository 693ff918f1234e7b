"""The settings of a kind of trial as controls, one for each field of its dataclass."""

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any

import ipywidgets

from ...domains import registry
from ...experiment.trials import Kind
from ..complaint import Complaint
from ..panel import row
from .plan import values_of

UNITS = {"apf": "probability", "k": "letters", "depth": "actions", "checkpoint": "actions",
         "test_length": "letters", "u_max": "nodes", "first": "actions", "quiet": "actions",
         "limit": "actions", "episode": "actions"}
BOUNDS = {"apf": (0.05, 1.0), "k": (1, 12), "trajectories": (1, 100_000), "depth": (1, 10_000), "test_length": (0, 8),
          "u_max": (1, 50), "weight_observations": (0.0, 1e6), "weight_rewards": (0.0, 1e6)}
ROOM, LONGEST = {"description_width": "10em"}, 18  # letters, for which there is room
PAPER = {"apf": "0.75 0.85 0.95"}  # what the paper varies, and over which values


class SettingsForm(ipywidgets.VBox):
    """Controls for the settings of a kind, one of which may vary; `changed` is called after each change.

    >>> from mrmlib.experiment.kinds import TRIALS
    >>> form = SettingsForm(TRIALS["cookie"], changed=lambda: None)
    >>> form.controls["learner"].options, form.controls["test_length"].max
    (('table', 'tree'), 8)
    >>> form.varied.value, form.over.value = "learner", "tree table"
    >>> [one.learner for one in form.settings()]
    ['tree', 'table']
    """

    def __init__(self, kind: Kind, changed: Callable[[], None]) -> None:
        self.kind, self._fields = kind, {field.name: field for field in fields(kind.settings)}
        self.controls = {name: _control(field) for name, field in self._fields.items()}
        self.varied = ipywidgets.Dropdown(
            options=[("nothing", ""), *((name.replace("_", " "), name) for name in self._fields)], description="vary",
            value=next((name for name in PAPER if name in self._fields), ""), style=ROOM, layout={"width": "256px"},
            tooltip="The setting that takes several values; every one of them is run")
        self.over = ipywidgets.Text(description="over", continuous_update=False, style={"description_width": "4em"},
                                    layout={"width": "290px"}, tooltip="The values, apart by spaces")
        self.error = Complaint()
        super().__init__([row(*self.controls.values()), row(self.varied, self.over, self.error)])
        self._vary()
        self.varied.observe(lambda _: self._vary(), "value")
        for control in (*self.controls.values(), self.varied, self.over):
            control.observe(lambda _: changed(), "value")

    def settings(self) -> tuple[Any, ...]:
        """One of the kind's settings for each value of the one that varies; raises where that is nonsense."""
        chosen, varied = {name: control.value for name, control in self.controls.items()}, self.varied.value
        if not varied:
            return (self.kind.settings(**chosen),)
        return tuple(self.kind.settings(**chosen | {varied: value})
                     for value in values_of(self._fields[varied], self.over.value))

    def freeze(self, frozen: bool) -> None:
        """Take no input for a while; then go on. The setting that varies is not set by its own control."""
        for name, control in self.controls.items():
            control.disabled = frozen or name == self.varied.value
        self.varied.disabled, self.over.disabled = frozen, frozen or not self.varied.value

    def _vary(self) -> None:
        varied = self.varied.value
        choices = self._fields[varied].metadata.get("choices") if varied else ()
        own = str(self.controls[varied].value) if varied else ""
        self.over.value = " ".join(choices) if choices else PAPER.get(varied, own)
        self.freeze(False)


def _control(field: Field) -> ipywidgets.Widget:
    """A control that allows what the setting allows."""
    unit, name, default = UNITS.get(field.name), field.name.replace("_", " "), field.default
    named = f"{name} ({unit})" if unit else name
    common = {"value": default, "description": named if len(named) <= LONGEST else name, "style": ROOM,
              "layout": {"width": "256px"}, "tooltip": f"{named}; default {default!r}"}
    if field.metadata.get("choices"):
        return ipywidgets.Dropdown(options=field.metadata["choices"], **common)
    if isinstance(default, bool):
        return ipywidgets.Checkbox(indent=True, **common)
    if isinstance(default, int):
        low, high = BOUNDS.get(field.name, (1, 10**9))
        return ipywidgets.BoundedIntText(min=min(low, default), max=high, **common)
    if isinstance(default, float):
        low, high = BOUNDS.get(field.name, (-1e9, 1e9))
        return ipywidgets.BoundedFloatText(min=low, max=high, step=0.05, **common)
    if field.name == "domain":
        return ipywidgets.Combobox(options=tuple(registry()), continuous_update=False, **common)
    return ipywidgets.Text(continuous_update=False, **common)
