"""Draw your own machine: edit nodes, edges and the map, and see at once what is best and what it is worth."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

import ipywidgets

from ...domains import make, registry
from ...errors import ModelError, MrmError
from ...figures import machine_figure, strategy_figure
from ...nrmdp import MDP
from ...solve import Solution, solve_discounted, solve_mean_payoff
from ..complaint import Complaint
from ..panel import Panel, button, figures_table, part, row
from .edge_table import EdgeTable
from .editing import MOST_NODES, Field, Original, Sheet, with_node, without_node
from .export import FORMS

MEAN, DISCOUNTED = "mean payoff", "discounted sum"
UNITS = {MEAN: "reward per action", DISCOUNTED: "reward"}
NARROW = {"description_width": "5.5em"}


def drawable() -> tuple[str, ...]:
    """The registered domains that this panel can edit: those that have a grid and a machine of a few nodes.

    >>> drawable()[:3]
    ('cookie', 'treasure_map', 'assembly')
    """
    return tuple(filter(_fits, registry()))


def _fits(name: str) -> bool:
    try:
        domain = make(name)
    except (TypeError, MrmError):  # it cannot be made without settings
        return False
    return domain.grid is not None and len(domain.machine.nodes) <= MOST_NODES


class DrawYourMachine(Panel):
    """Begin with a registered domain that has a grid; change the machine and, where it is a plain walk, the map.

    >>> panel = DrawYourMachine("assembly")
    >>> panel
    <DrawYourMachine: Draw your own machine>
    >>> round(panel.solution.value, 5)
    1.63125
    >>> panel.edges.fields["u4", "ship"].value = "u0 | 36"
    >>> round(panel.solution.value, 5)
    2.53125
    >>> panel.edges.fields["u4", "ship"].value = "u0 | lots"
    >>> panel.errors
    {('edge', 'u4', 'ship'): "the reward is 'lots', not a number"}
    >>> panel.close()
    """

    def __init__(self, domain: str = "treasure_map") -> None:
        self.original = self.drawn = self.solution = None
        self.errors: dict[Field, str] = {}
        self._filling, self._before, self._typed_once = False, None, {}
        self.edges = EdgeTable(self._edited, lambda node: self._rewrite(partial(without_node, node=node)))
        self.figures, self.machine, self.strategy, self.download = (ipywidgets.HTML() for _ in range(4))
        self.world_error, self.c_error, self.map_error = (Complaint() for _ in range(3))
        super().__init__("Draw your own machine", "Change an edge, a node or the map, and press Enter: the best "
                         "strategy and its value follow. An edge reads  node | reward;  an empty one stays and pays c.",
                         [self._settings(domain), self._stage(), self._exports()])
        self._begin()

    def _settings(self, domain: str) -> ipywidgets.Widget:
        names, options = drawable(), {"style": NARROW, "layout": {"width": "220px"}}
        if domain not in names:
            raise ModelError(f"the world {domain!r} cannot be drawn here: there are {', '.join(names)}")
        self.world = ipywidgets.Dropdown(options=names, value=domain, description="world", **options,
                                         tooltip="Every registered domain with a grid; your own appears here too")
        self.objective = ipywidgets.Dropdown(options=(MEAN, DISCOUNTED), description="objective", **options,
                                             tooltip="What a strategy is to make as large as possible")
        self.discount = ipywidgets.BoundedFloatText(0.99, min=0.01, max=0.999, step=0.01, description="discount γ",
                                                    style=NARROW, layout={"width": "160px"}, disabled=True,
                                                    tooltip="What a reward loses with each action")
        self.precision = ipywidgets.FloatSlider(1.0, min=0.05, max=1.0, step=0.05, description="precision", **options,
                                                readout_format=".2f", continuous_update=False,
                                                tooltip="Probability that a move succeeds (APF)")
        self.restore = button("Restore", "undo", "Back to the world as it is registered", self._choose)
        self.world.observe(lambda _: self._choose(), "value")
        for control in (self.objective, self.discount):
            control.observe(lambda _: self._aim(), "value")
        self.precision.observe(lambda _: self._edited(), "value")
        return row(self.world, self.precision, self.objective, self.discount, self.restore, self.world_error)

    def _stage(self) -> ipywidgets.Widget:
        left = ipywidgets.VBox([self._fields(), part("The machine", self.machine, width="640px")],
                               layout={"width": "665px"})
        right = ipywidgets.VBox([part("What the best strategy is worth", self.figures), self._moves(), self._places()],
                                layout={"width": "400px"})
        return row(left, right)

    def _fields(self) -> ipywidgets.Widget:
        self.start = ipywidgets.Dropdown(description="start node", style=NARROW, layout={"width": "150px"},
                                         tooltip="Where the machine begins")
        self.c = ipywidgets.Text(description="c (reward)", continuous_update=False, style=NARROW,
                                 layout={"width": "160px"}, tooltip="What null and empty edges pay")
        self.add = button("Add a node", "plus", f"One more node, up to {MOST_NODES}", lambda: self._rewrite(with_node))
        for control in (self.start, self.c):
            control.observe(lambda _: self._edited(), "value")
        return part("Where each node goes on an observation, and what that pays (reward)", self.edges,
                    row(self.add, self.start, self.c, self.c_error))

    def _moves(self) -> ipywidgets.Widget:
        self.node = ipywidgets.ToggleButtons(style={"button_width": "auto"}, tooltip="The node whose moves are shown")
        self.node.observe(lambda _: self._filling or self._draw_strategy(), "value")
        self.strategy.add_class("mrm-scroll").layout.max_height = "400px"
        return part("The best strategy, at node", self.node, self.strategy)

    def _places(self) -> ipywidgets.Widget:
        self.map = ipywidgets.Textarea(continuous_update=False, layout={"width": "370px", "height": "180px"},
                                       tooltip="One symbol a cell, apart by spaces: . free, # no cell, * the start; "
                                       "any other name is what is seen on entering the cell").add_class("mrm-code")
        self.map.observe(lambda _: self._edited(), "value")
        return part("The map: . free, # no cell, * start, or a name", self.map, self.map_error)

    def _exports(self) -> ipywidgets.Widget:
        self.form = ipywidgets.Dropdown(options=tuple(FORMS), description="as", style={"description_width": "2em"},
                                        layout={"width": "220px"}, tooltip="What to take away")
        self.text = ipywidgets.Textarea(layout={"width": "98%", "height": "220px"},
                                        tooltip="Click, select all (Ctrl+A), copy (Ctrl+C)").add_class("mrm-code")
        self.form.observe(lambda _: self._export(), "value")
        return ipywidgets.Accordion([ipywidgets.VBox([row(self.form, self.download), self.text])], titles=("Export",))

    def _choose(self) -> None:
        """Begin anew with the chosen world, if it can be edited."""
        try:
            self._begin()
        except MrmError as error:
            self.world_error.say(str(error))

    def _begin(self) -> None:
        original = Original(make(self.world.value), self.world.value)
        sheet, letters = original.sheet, original.letters(original.sheet)
        self.world_error.say()
        self._typed_once = {}
        self.original, self.drawn = original, None
        self._fill(sheet, letters)
        self._edited()

    def _fill(self, sheet: Sheet, letters: tuple[str, ...]) -> None:
        """Put a sheet into the controls."""
        self._filling, walks = True, self.original.chances
        self.edges.show(sheet, letters)
        self.start.options, self.start.value, self.c.value = tuple(sheet.nodes), sheet.start, sheet.c
        self.add.disabled = len(sheet.nodes) >= MOST_NODES
        if walks:
            self.precision.max = 1.0 - walks[1]
            self.map.value, self.precision.value = sheet.map, sheet.precision
        else:
            self.map.value = "This world is not a plain walk of its grid:\nits places cannot be edited here."
        self.map.layout.height = "180px" if walks else "60px"
        self.map.disabled = self.precision.disabled = not walks
        shown = self.node.value if self.node.value in sheet.nodes else sheet.start
        self.node.options, self.node.value = tuple(sheet.nodes), shown
        self.node.tooltips = [sheet.nodes[u] or u for u in sheet.nodes]
        self._filling = False

    @property
    def sheet(self) -> Sheet:
        """What stands in the controls now."""
        walks = self.original.chances
        return Sheet(self.edges.nodes, self.start.value, self.c.value, self.edges.edges,
                     self.map.value if walks else "", self.precision.value if walks else 1.0)

    def _edited(self) -> None:
        """Read the controls; show what is best now, or what is wrong."""
        if self._filling:
            return
        sheet = self.sheet
        self._typed_once |= sheet.edges  # a place that is taken off the map and put back finds its edges again
        drawn, self.errors = self.original.read(sheet)
        if ("map",) not in self.errors:
            letters = self.original.letters(sheet)
            if letters != self.edges.letters:
                self._fill(replace(sheet, edges=self._typed_once), letters)
                drawn, self.errors = self.original.read(self.sheet)
        self.edges.mark(self.errors)
        for complaint, field in ((self.c_error, "c"), (self.map_error, "map")):
            complaint.say(*(message for (name, *_), message in self.errors.items() if name == field))
        if drawn is None:
            self._tell()
        else:
            self._before, self.drawn = self.solution if self.drawn else None, drawn
            self._solve()

    def _aim(self) -> None:
        """Another objective: nothing before can be compared with it."""
        self.discount.disabled, self._before = self.objective.value == MEAN, None
        if self.drawn is not None:
            self._solve()

    def _solve(self) -> None:
        solve = self._solver()
        self.solution = solve(self.drawn.product)
        own = solve(self.original.domain.product)
        self.figures.value = figures_table(_worth(self.solution, self._before, own, UNITS[self.objective.value]))
        self.machine.value = machine_figure(self.drawn.machine).svg
        self._draw_strategy()
        self._export()
        self._tell()

    def _solver(self) -> Callable[[MDP], Solution]:
        if self.objective.value == MEAN:
            return solve_mean_payoff
        return partial(solve_discounted, gamma=self.discount.value)

    def _draw_strategy(self) -> None:
        if self.drawn is None:
            return
        u = self.node.value
        here = {state: action for state, action in self.solution.policy.items() if state[1] == u}
        reached = self.drawn.product.reachable().states
        if any(state in here for state in reached):
            self.strategy.value = strategy_figure(self.drawn, here, meanings=self.drawn.meanings,
                                                  columns=1).svg
        else:
            self.strategy.value = f"<p>{escape(u)} cannot be reached.</p>"

    def _tell(self) -> None:
        """Say how things stand; what is not up to date is pale."""
        for picture in (self.figures, self.machine, self.strategy):
            (picture.add_class if self.errors else picture.remove_class)("mrm-stale")
        wrong = len(self.errors)
        if wrong:
            fields = "1 field is" if wrong == 1 else f"{wrong} fields are"
            self.say(f"Not updated: {fields} wrong. What is pale was right before.", wrong=True)
        else:
            self.say("Up to date.")

    def _export(self) -> None:
        ending, write = FORMS[self.form.value]
        self.text.value = write(self.original, self.drawn, self.sheet.precision)
        name, content = f"{self.drawn.name}.{ending}", b64encode(self.text.value.encode()).decode()
        self.download.value = f'<a download="{name}" href="data:text/plain;base64,{content}">Save as {name}</a>'

    def _rewrite(self, change: Callable[[Sheet], Sheet]) -> None:
        """Change the nodes; the observations stay."""
        try:
            changed = change(self.sheet)
        except ModelError as error:
            self.say(str(error), wrong=True)
            return
        self._typed_once = {}
        self._fill(changed, self.edges.letters)
        self._edited()


def _worth(now: Solution, before: Solution | None, own: Solution, unit: str) -> dict[str, str]:
    """What the best strategy is worth, and how that compares."""
    off = max(now.upper - now.value, now.value - now.lower)
    rows = {f"optimum ({unit})": f"{now.value:,.6f}", "proved to within": f"{off:.0e}"}
    if before is not None:
        rows |= {"before the last edit": f"{before.value:,.6f}", "change": f"{now.value - before.value:+,.6f}"}
    return rows | {"in the registered world": f"{own.value:,.6f}"}
