"""The playground in a real browser: in JupyterLab, where it is a notebook, and in Voilà, where it is an app.

Screenshots are kept in build/screenshots. All that the panels do without a browser is tested elsewhere.
"""

import re
from pathlib import Path

import pytest

import mrmlib as mrm
from tests import browser

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "12_playground.ipynb"
WATCH, PLAY, DRAW, DESK = "Watch it learn", "Be the agent, be the teacher", "Draw your own machine", "Experiment desk"
AT_WORK = "import threading; print(sum(thread.name == 'mrmlib background' for thread in threading.enumerate()))"
ROUND_TRIP = 0.3  # seconds that a message to the kernel and its answer may take, on top of what a panel promises

pytestmark = pytest.mark.skipif(bool(browser.missing()), reason=browser.missing() or "nothing is missing")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.browser(tmp_path_factory.mktemp("browser")) as context:
        yield context


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory):
    """The notebook in JupyterLab, all cells run."""
    folder = tmp_path_factory.mktemp("lab")
    browser.copied(NOTEBOOK, folder)
    with browser.server([*browser.LAB, f"--ServerApp.root_dir={folder}"], folder, ready="api/status") as address:
        visit = browser.Visit(chromium.new_page(), "lab")
        visit.open_in_lab(address, NOTEBOOK.name)
        yield visit
        visit.page.close()


@pytest.fixture(scope="module")
def app(chromium, tmp_path_factory):
    """The notebook as an app."""
    folder = tmp_path_factory.mktemp("app")
    browser.copied(NOTEBOOK, folder)
    with browser.server([*browser.VOILA, NOTEBOOK.name], folder, ready="voila/static/voila.js") as address:
        visit = browser.Visit(chromium.new_page(), "voila")
        visit.page.goto(address)
        yield visit
        visit.page.close()


@pytest.fixture(autouse=True)
def _no_error_in_the_console(request):
    yield
    for name in {"lab", "app"} & set(request.fixturenames):
        assert request.getfixturevalue(name).errors == []


def table_rows(panel):
    return panel.locator("table").filter(has_text="S·Z").locator("tr")


def choose(panel, speed, strategy="optimal"):
    """Set the speed slider by keys, and how queries are lived."""
    browser.field(panel, "queries are lived").select_option(strategy)
    panel.locator(".noUi-handle").last.focus()
    panel.page.keyboard.press({"full": "End", "slow": "Home"}[speed])
    panel.get_by_text({"full": "full", "slow": "1/s"}[speed], exact=True).wait_for()


def run_and_see_it_learn(visit):
    """Press Run; the table fills, the machine appears, and the panel says how it ended."""
    panel = visit.panel(WATCH)
    choose(panel, "full")
    browser.press(panel, "Run")
    table_rows(panel).nth(5).wait_for()
    panel.locator("svg text").filter(has_text="u5").wait_for()
    panel.get_by_text("right on everything that this world can show").wait_for()
    visit.keep("learnt", panel)
    return panel


def stop_and_measure(visit, panel):
    """Run without end, press Stop; the seconds until the last frame."""
    choose(panel, "full", "random")
    browser.press(panel, "Run")
    visit.await_frame(panel)
    return visit.seconds_to_still(panel, browser.button(panel, "Stop"))


class TestInJupyterLab:
    def test_run_fills_the_table_and_shows_the_machine(self, lab):
        panel = run_and_see_it_learn(lab)
        assert table_rows(panel).count() > 30

    def test_stop_stops(self, lab):
        panel = lab.panel(WATCH)
        assert stop_and_measure(lab, panel) < 0.5 + ROUND_TRIP
        panel.locator(".mrm-notice").get_by_text(re.compile("^Stopped|^H has")).wait_for()
        assert lab.run(AT_WORK).strip() == "0"

    def test_a_step_is_one_action(self, lab):
        panel = lab.panel(WATCH)
        choose(panel, "slow")
        browser.press(panel, "Reset")
        actions = panel.locator("tr").filter(has_text="actions in all").locator("td")
        for done in range(4):
            actions.get_by_text(str(done), exact=True).wait_for()
            browser.press(panel, "Step")
        browser.press(panel, "Stop")
        panel.get_by_text("Stopped before the first hypothesis").wait_for()

    def test_the_live_grid_draws_ten_frames_a_second_at_full_speed(self, lab):
        """The best of three: others may want this machine at the same moment."""
        panel = lab.panel(WATCH)
        choose(panel, "full", "random")
        browser.press(panel, "Run")
        lab.await_frame(panel)
        assert any(lab.frames(panel, seconds=2) >= 20 for _ in range(3))
        browser.press(panel, "Stop")

    def test_an_edge_is_edited_and_the_value_changes(self, lab):
        panel, world = lab.panel(DRAW), mrm.domains.treasure_map()
        value = panel.locator("tr").filter(has_text="optimum").locator("td")
        assert float(value.text_content()) == pytest.approx(world.facts["optimal_mean_payoff"], abs=1e-5)
        edges = world.machine.transitions | {("u1", "e"): ("u2", 300.0)}
        machine = mrm.MealyRewardMachine(edges, "u0", world.machine.null_reward)
        wanted = mrm.solve_mean_payoff(mrm.product(world.mdp, world.labelling, machine)).value
        browser.retype(panel, "u2 | 30", "u2 | 300")
        value.filter(has_text=f"{wanted:.4f}"[:-1]).wait_for()
        lab.keep("draw", panel)

    def test_nonsense_is_answered_beside_its_field(self, lab):
        panel = lab.panel(DRAW)
        browser.retype(panel, "u1 | 10", "u1 | lots")
        panel.get_by_role("alert").filter(has_text="'lots', not a number").wait_for()
        lab.keep("draw_wrong", panel)
        browser.retype(panel, "u1 | lots", "u1 | 10")
        panel.get_by_role("alert").filter(has_text="'lots'").wait_for(state="hidden")

    def test_the_grid_is_walked_with_the_keys_and_no_key_reaches_the_notebook(self, lab):
        panel = lab.panel(PLAY)
        panel.locator(".mrm-live-grid").click()
        kinds = lab.cell_kinds()
        for key in ["ArrowUp"] * 3 + ["ArrowLeft", "ArrowRight"]:
            lab.page.keyboard.press(key)
        figures = panel.locator("tr")
        figures.filter(has_text="actions").filter(has_text="5").wait_for()
        lab.page.keyboard.press("r")
        figures.filter(has_text="resets").filter(has_text="1").wait_for()
        assert lab.cell_kinds() == kinds

    def test_a_guess_is_refuted_and_the_rival_finds_the_machine(self, lab):
        panel = lab.panel(PLAY)
        guess = panel.locator("textarea")
        guess.fill("u0 m -> u1")
        panel.get_by_role("alert").filter(has_text="line 1: 'u0 m -> u1' is not an edge").wait_for()
        guess.fill("u0 m -> u1 10")
        panel.get_by_role("alert").wait_for(state="hidden")
        browser.press(panel, "Am I right?")
        panel.get_by_text("No: it pays").wait_for()
        browser.press(panel, "Let L* do it")
        panel.locator("svg text").filter(has_text="u5").wait_for()
        lab.keep("play", panel)

    def test_the_teacher_answers_with_enter_until_there_is_a_hypothesis(self, lab):
        panel = lab.panel(PLAY)
        panel.get_by_text("Be the teacher", exact=True).click()
        browser.press(panel, "Begin")
        answer, question = browser.field(panel, "rewards"), panel.locator(".mrm-now")
        question.wait_for()
        while question.is_visible():
            word = question.inner_text()
            answer.fill(" ".join("01"[letter == "b"] for letter in word.split("·")))
            answer.press("Enter")
            question.filter(has_text=re.compile(f"^{word}$")).wait_for(state="detached")
        panel.locator("svg text").filter(has_text="b | 1").wait_for()
        lab.keep("teach", panel)

    def test_nothing_is_wanted_from_outside(self, lab):
        assert lab.outside == []

    def test_all_panels_fit_into_the_notebook(self, lab):
        """Nothing is wider than the panel that holds it; the desk too, which is not run here."""
        for title in (WATCH, PLAY, DRAW, DESK):
            panel = lab.panel(title)
            assert browser.overhang(panel) <= 1, title
            lab.keep(title.split()[0].lower(), panel)

    def test_a_panel_that_is_closed_at_work_stops_its_work(self, lab):
        """The last of these tests, as the panel is gone then."""
        panel = lab.panel(WATCH)
        choose(panel, "full", "random")
        browser.press(panel, "Run")
        lab.await_frame(panel)
        assert lab.run(AT_WORK).strip() == "1"
        lab.clear_outputs()
        panel.wait_for(state="detached")
        lab.until(lambda: lab.run(AT_WORK).strip() == "0")


class TestInVoila:
    def test_only_icons_are_wanted_from_outside(self, app):
        """Voilà's own page asks for a font of icons; without it a button still has its label."""
        app.panel(DESK)
        assert all("fontawesome" in address for address in app.outside)

    def test_the_panels_are_there_without_their_code(self, app):
        for title in (WATCH, PLAY, DRAW, DESK):
            panel = app.panel(title)
            assert browser.overhang(panel) <= 1, title
            app.keep(title.split()[0].lower(), panel)
        shown = app.page.locator("body").inner_text()
        assert "import" not in shown
        assert "WatchItLearn(" not in shown

    def test_run_and_stop_work(self, app):
        panel = run_and_see_it_learn(app)
        assert stop_and_measure(app, panel) < 0.5 + ROUND_TRIP
        panel.locator(".mrm-notice").get_by_text(re.compile("^Stopped|^H has")).wait_for()
