"""The project's own files agree with each other."""

import json
import re
import tomllib
from pathlib import Path
from statistics import fmean, stdev

import pytest

import mrmlib as mrm
from mrmlib.experiment.rows import RowFile
from mrmlib.figures import Panel, grid_figure, machine_figure

ROOT = Path(__file__).parent.parent
STORY = "notebooks/story.svg"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def declared_in_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return set(project["dependencies"]).union(*project["optional-dependencies"].values())


def declared_in_environment():
    lines = [line.strip() for line in (ROOT / "environment.yml").read_text().splitlines()]
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def test_the_environment_lists_the_same_packages_and_versions_as_pyproject():
    others = {"conda-forge", "pip", "pip:", "--editable ."}
    in_environment = {re.sub(r"(?<![<>=])=(?!=)", "==", entry) for entry in declared_in_environment()}
    in_environment = {entry for entry in in_environment if not entry.startswith("python==")} - others
    assert in_environment == declared_in_pyproject()


def test_the_environment_installs_the_package_itself_and_fixes_python_as_binder_wants_it():
    assert "--editable ." in declared_in_environment()
    assert any(re.fullmatch(r"python=3\.\d+", entry) for entry in declared_in_environment())


def story():
    """The picture of the README: the world, and the machine that an agent has learnt in it."""
    world = mrm.domains.treasure_map()
    environment = mrm.Environment(world.mdp, world.labelling, world.machine, seed=1)
    run = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6).run(environment)
    assert mrm.distinguish(world.mdp, world.labelling, run.machine, world.machine) is None
    learnt = machine_figure(run.machine.minimal(), title=f"learnt by living {run.queries} words")
    return grid_figure(world.grid, Panel("the world")).beside(learnt)


def test_the_picture_of_the_readme_is_what_the_library_draws():
    """To draw it anew: python -c "from tests.test_project import *; (ROOT / STORY).write_text(story().svg)"."""
    assert (ROOT / STORY).read_text() == story().svg


def test_every_link_of_the_readme_leads_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text()):
            assert (ROOT / target).exists(), target


def test_the_returns_in_the_readme_are_those_of_the_stored_trials():
    rows = RowFile(ROOT / "notebooks/rows/experiments.jsonl").rows.values()
    for life in ({"agent": "optimal"}, {"agent": "as_published", "exploit": "observations"}):
        for apf in (0.75, 0.85, 0.95):
            wanted = {"kind": "treasure_map", "apf": apf, **life}
            returns = [row["total_reward"] for row in rows if wanted.items() <= row.items()]
            assert f"| {fmean(returns):,.0f} ± {stdev(returns):.0f} |" in (ROOT / "README.md").read_text()


def code_cells(path):
    cells = json.loads(path.read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    def test_every_cell_was_executed_in_one_go_from_top_to_bottom(self, path):
        cells = code_cells(path)
        assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))

    def test_no_output_holds_a_path_a_warning_or_an_error(self, path):
        for cell in code_cells(path):
            text = json.dumps(cell["outputs"])
            assert not re.search(r"/(root|work|tmp|home|usr)/", text)
            assert "Warning" not in text
            assert '"output_type": "error"' not in text

    def test_no_cell_is_longer_than_25_lines(self, path):
        assert all(len(cell["source"]) <= 25 for cell in code_cells(path))

    def test_no_widget_state_is_stored(self, path):
        assert "widgets" not in json.loads(path.read_text())["metadata"]

    def test_every_local_link_leads_somewhere(self, path):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", "".join(cell["source"])):
                    assert (path.parent / target).exists(), target
