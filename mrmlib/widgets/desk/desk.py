"""The experiment desk: run an experiment, watch its means settle beside the paper's, stop, and go on later.

The trials run in a process of their own, by the same command line as in a shell, so that the kernel stays free; what
is finished stands in a file of rows, and is not run again.
"""

import os
import time
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import ipywidgets

from ...errors import MrmError
from ...experiment.kinds import TRIALS
from ...experiment.trials import Kind
from ..background import Background
from ..complaint import Complaint
from ..panel import Panel, button, part, row
from .child import Child, Growing
from .plan import PROGRAM, Plan
from .settings_form import ROOM, SettingsForm

LOOKS = 5  # times a second that the rows are looked for


class ExperimentDesk(Panel):
    """Choose a kind of trial and its settings; Run, Stop, and Run again to go on. Rows are kept in `file`.

    `kinds` are the kinds on offer, and `program` is what Python is to be told to live them: your own kinds need a
    command line of their own.

    >>> desk = ExperimentDesk("rows.jsonl")
    >>> desk
    <ExperimentDesk: Experiment desk>
    >>> desk.trials.value = 3
    >>> desk.shell.value[-86:]
    'treasure_map --apf 0.75 0.85 0.95 --trials 3 --seed 0 --jobs 1 --out rows.jsonl</code>'
    >>> desk.close()
    """

    def __init__(self, file: str | os.PathLike = "results/desk.jsonl", kinds: Mapping[str, Kind] = TRIALS,
                 program: Sequence[str] = PROGRAM) -> None:
        self._program = tuple(program)
        self.background = Background(self._draw, self._ended)
        self.background.pace(LOOKS)
        self.plan = self.growing = self.child = None
        self._expected, self._counted, self._stopping = None, -1, False
        self.forms = {name: SettingsForm(kind, self._planned) for name, kind in kinds.items()}
        super().__init__("Experiment desk", "Many trials in a process of their own. Each that ends is a row on disk: "
                         "Stop loses none of them, and Run goes on from there.",
                         [self._settings(), self._buttons(file), self._results()])
        self._planned()

    def _settings(self) -> ipywidgets.Widget:
        self.kind = ipywidgets.Dropdown(options=[(name.replace("_", " "), name) for name in self.forms],
                                        description="experiment", style=ROOM,
                                        layout={"width": "350px"}, tooltip="What kind of trial to run")
        self.purpose = ipywidgets.HTML()
        self.stack = ipywidgets.Stack(list(self.forms.values()), selected_index=0)
        self.kind.observe(lambda _: self._planned(), "value")
        return part("What to run", row(self.kind, self.purpose), self.stack)

    def _buttons(self, file: str | os.PathLike) -> ipywidgets.Widget:
        def number(value: int, low: int, high: int, name: str, tooltip: str) -> ipywidgets.BoundedIntText:
            return ipywidgets.BoundedIntText(value, min=low, max=high, description=name, tooltip=tooltip,
                                             style={"description_width": "4em"}, layout={"width": "150px"})

        cores = os.cpu_count() or 1
        self.trials = number(10, 1, 1000, "trials", "How many trials of each setting, each with a seed of its own")
        self.seed = number(0, 0, 2**31, "seed", "What the trials' seeds are made from: the same seed, the same rows")
        self.jobs = number(1, 1, cores, "jobs", f"How many processes live trials side by side (cores here: {cores})")
        self.file = ipywidgets.Text(str(file), description="file", continuous_update=False,
                                    style={"description_width": "4em"}, layout={"width": "330px"},
                                    tooltip="Rows are kept here; it is not touched before Run")
        self.file_error = Complaint()
        self.run = button("Run", "play", "Live the trials that are not in the file yet", self._run, "primary")
        self.halt = button("Stop", "stop", "End now; finished trials are kept", self.stop)
        self.bar = ipywidgets.IntProgress(0, min=0, max=1, layout={"width": "300px"}, tooltip="Trials finished")
        self.left = ipywidgets.HTML()
        self.halt.disabled = True
        for control in (self.trials, self.seed, self.jobs, self.file):
            control.observe(lambda _: self._planned(), "value")
        return part("How much of it", row(self.trials, self.seed, self.jobs, self.file, self.file_error),
                    row(self.run, self.halt, self.bar, self.left))

    def _results(self) -> ipywidgets.Widget:
        self.means, self.shell = ipywidgets.HTML(), ipywidgets.HTML().add_class("mrm-shell")
        box = ipywidgets.Box([self.means], layout={"max_height": "255px", "overflow": "auto"})
        return ipywidgets.VBox([part("What came of it", box), part("The same in a shell", self.shell)])

    @property
    def form(self) -> SettingsForm:
        """The settings of the chosen kind."""
        return self.forms[self.kind.value]

    def _planned(self) -> None:
        """Read the controls: what would be run, and what the paper has to say of it."""
        form = self.form
        self.stack.selected_index = [*self.forms].index(self.kind.value)
        purpose, _, _ = (form.kind.trial.__doc__ or "").partition("\n")
        self.purpose.value = f"&emsp;{escape(purpose)}"
        form.error.say()
        self.file_error.say()
        self.growing = None
        try:
            self.plan = Plan(form.kind, form.settings(), form.varied.value, self.trials.value, self.seed.value,
                             self.jobs.value, self.file.value.strip())
        except MrmError as error:
            form.error.say(str(error))
            self.plan, self.run.disabled = None, True
            self.say("Nothing to run: see the field that is wrong.", wrong=True)
            return
        self.run.disabled = False
        self.shell.value = f"<code>{escape(self.plan.shell(self._program))}</code>"
        self._expected, self._counted = None, -1
        self._draw()
        self.say("Ready: press Run.")

    def _run(self) -> None:
        """Begin, or go on."""
        if self.plan is None or self.background.state != "idle":
            return
        wrong = _unusable(self.plan.file)
        self.file_error.say(*wrong)
        if wrong:
            self.say("Not started: the file is of no use.", wrong=True)
            return
        self._freeze(True)
        self.growing, self._expected, self._counted, self._stopping = Growing(self.plan.file), None, -1, False
        self.say("Starting: Python loads, and warms up before the first trial.")
        self.background.start(self._watch)

    def _watch(self, tick) -> None:
        """Look for rows until the child ends; it never outlives this."""
        self.child = Child([*self._program, *self.plan.arguments(), "--silent", "--retry-failed"])
        try:
            while self.child.running:
                tick()
                self.growing.read()
        finally:
            self.child.end()
            self.growing.read()

    def stop(self) -> None:
        """End the run under way; what is finished is on disk."""
        self._stopping = True
        self.background.stop()

    def _draw(self) -> None:
        """Bar, time left and means, as far as rows are known."""
        rows = {} if self.growing is None else self.growing.rows
        wanted = self.plan.wanted
        done = sum(key in rows for key in wanted)
        if done != self._counted:
            self._counted, seconds = done, self.plan.seconds_left(rows)
            self._expected = None if seconds is None else time.monotonic() + seconds
            self.bar.max, self.bar.value = len(wanted), done
            self.means.value = self.plan.table(rows)
            if done:
                self.say("Running.")
        self.left.value = f"{done} of {len(wanted)} trials{self._time_left(len(wanted) - done)}"

    def _time_left(self, missing: int) -> str:
        if self.background.state == "idle" or not missing or self._expected is None:
            return ""
        return f", about {_duration(max(0.0, self._expected - time.monotonic()))} left"

    def _ended(self, error: BaseException | None) -> None:
        self._freeze(False)
        missing = self.bar.max - self.bar.value
        self.left.value = f"{self.bar.value} of {self.bar.max} trials"
        if error is not None:
            self.say(f"Ended by an error: {error}", wrong=True)
        elif not missing:
            self.say(f"Done: {self.bar.max} rows in {self.plan.file}.")
        elif self._stopping:
            self.say(f"Stopped: {self.left.value} are kept in {self.plan.file}; Run goes on from there.")
        else:
            self.say(f"Ended by an error: {self.child.complaint or f'status {self.child.status}'}", wrong=True)

    def _freeze(self, frozen: bool) -> None:
        """While trials run, the plan stays as it is."""
        for control in (self.kind, self.trials, self.seed, self.jobs, self.file, self.run):
            control.disabled = frozen
        self.form.freeze(frozen)
        self.halt.disabled = not frozen


def _unusable(file: str) -> list[str]:
    """What is wrong with the name of a file to be written; its folder is made."""
    path = Path(file)
    try:
        if not file or path.is_dir():
            raise OSError("not the name of a file")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise OSError("cannot be written")
    except OSError as error:
        return [f"{file!r}: {error.strerror or error}"]
    return []


def _duration(seconds: float) -> str:
    """A length of time as one says it.

    >>> _duration(47.2), _duration(130), _duration(7300)
    ('47 s', '2 min 10 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
