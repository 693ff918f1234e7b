"""The project's own files agree with each other."""

import json
import re
import tomllib
from pathlib import Path
from statistics import fmean, stdev

import pytest

import mrmlib as mrm
from mrmlib.experiment.command import PAPER_TABLE_2
from mrmlib.experiment.rows import RowFile
from mrmlib.figures import arranged, grid_figure, machine_figure
from mrmlib.figures.bars import bars_figure

ROOT = Path(__file__).parent.parent
STORY = "notebooks/story.svg"
PLACES = {"u0": (0, 0), "u1": (0.75, 0), "u2": (1.5, -0.5), "u3": (1.5, 0), "u4": (1.5, 0.5), "u5": (2.25, 0)}
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


def stored_returns(agent, apf):
    """The mean and the standard deviation of what an agent earned in its stored trials."""
    wanted = {"kind": "treasure_map", "agent": agent, "exploit": "observations", "apf": apf}
    rows = RowFile(ROOT / "notebooks/rows/experiments.jsonl").rows.values()
    returns = [row["total_reward"] for row in rows if wanted.items() <= row.items()]
    return fmean(returns), stdev(returns)


def story():
    """The picture of the README: the world, the machine that an agent has learnt in it, and what it earns."""
    world = mrm.domains.treasure_map()
    environment = mrm.Environment(world.mdp, world.labelling, world.machine, seed=1)
    run = mrm.OptimalAgent(world.mdp, world.labelling, max_nodes=6).run(environment)
    assert mrm.distinguish(world.mdp, world.labelling, run.machine, world.machine) is None
    (paper,) = [(row["mean"], row["sd"]) for row in PAPER_TABLE_2
                if (row["apf"], row["measure"]) == (0.95, "total_reward")]
    exact = mrm.expected_return(world.product, mrm.solve_mean_payoff(world.product).policy, 2000)
    earned = {"paper": paper, "Algorithm 2": stored_returns("as_published", 0.95),
              "Algorithm 1": stored_returns("optimal", 0.95), "optimum": (exact, 0.0)}
    learnt = machine_figure(run.machine.minimal(), places=PLACES,
                            title=f"2. A machine, learnt by living {run.queries} words")
    returns = bars_figure(earned, title="3. The return over 2000 actions")
    return grid_figure(world.grid, title="1. A world").beside(arranged([learnt, returns], columns=1))


def test_the_picture_of_the_readme_is_what_the_library_draws():
    """To draw it anew: python -c "from tests.test_project import *; (ROOT / STORY).write_text(story().svg)"."""
    assert (ROOT / STORY).read_text() == story().svg


def headings(path):
    """The headings of a page or a notebook, as they are read: without the signs of Markdown."""
    cells = json.loads(path.read_text())["cells"] if path.suffix == ".ipynb" else []
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown") or path.read_text()
    return [re.sub(r"[`*]", "", heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]


def anchors(path):
    """JupyterLab's anchors of a notebook keep all but blanks; those of a page are in small letters, without signs."""
    if path.suffix == ".ipynb":
        return {heading.replace(" ", "-") for heading in headings(path)}
    return {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings(path)}


def broken_links(path, text):
    """The links of a page's text that lead to no file of the project, or to no heading of it."""
    links = re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", text)
    targets = [((path.parent / file if file else path), anchor) for file, anchor in links]
    return [(file.name, anchor) for file, anchor in targets
            if not file.exists() or (anchor and anchor not in anchors(file))]


def test_a_broken_link_is_found():
    page = ROOT / "README.md"
    assert broken_links(page, "[a](nowhere.md) [b](CONTRIBUTING.md#nowhere) [c](#nowhere)") == [
        ("nowhere.md", ""), ("CONTRIBUTING.md", "nowhere"), ("README.md", "nowhere")]
    assert broken_links(page, "[a](notebooks/01_environment_without_rewards.ipynb#Traces) [b](#the-map)") == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md"])
def test_every_link_of_a_page_leads_somewhere(page):
    assert broken_links(ROOT / page, (ROOT / page).read_text()) == []


def test_the_returns_in_the_readme_are_those_of_the_stored_trials():
    for agent in ("optimal", "as_published"):
        for apf in (0.75, 0.85, 0.95):
            mean, sd = stored_returns(agent, apf)
            assert f"| {mean:,.0f} ± {sd:.0f} |" in (ROOT / "README.md").read_text()


def test_the_map_of_the_readme_has_a_place_for_every_module_notebook_and_test_it_names():
    page = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| \[\d\d .*$", page, re.MULTILINE)
    library = {path.stem for path in (ROOT / "mrmlib").iterdir()
               if path.suffix == ".py" or (path / "__init__.py").exists()}
    named = {name.partition(".")[0] for row in rows for name in re.findall("`([a-z_.]+)`", row.split("|")[3])}
    assert named == library - {"__init__"}
    assert [path.name for path in NOTEBOOKS] == [re.search(r"notebooks/([^)]+)", row)[1] for row in rows]
    for name in re.findall(r"`(test_\w+)`", page):
        assert (ROOT / "tests" / f"{name}.py").exists(), name


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

    def test_every_local_link_leads_somewhere_and_to_its_heading(self, path):
        cells = json.loads(path.read_text())["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        assert broken_links(path, text) == []
