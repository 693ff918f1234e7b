"""The paper's figures, the registered kinds of trial, and the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from mrmlib.experiment import command as experiment
from mrmlib.experiment.command import PAPER_TABLE_1, PAPER_TABLE_2, beside_paper, main
from mrmlib.experiment.rows import RowFile, summary, without_times
from mrmlib.experiment.trials import run, seed_of
from tests.toy_trials import BRITTLE, TOY, Toy

MY_WORLDS = """
from mrmlib import MealyRewardMachine, domains


def corner_shop(price=3.0):
    mdp, labelling = domains.walk(domains.Grid.from_map("* bread"))
    return domains.Domain("corner_shop", mdp, labelling, MealyRewardMachine({("u", "bread"): ("u", price)}, "u"))
"""


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(experiment.TRIALS, "toy", TOY)


def test_the_paper_reports_what_its_tables_say():
    """Spot checks against the text of Tables 1 and 2, and the two #MQAs entries that are identical, digit for digit."""
    assert len(PAPER_TABLE_1) == len(PAPER_TABLE_2) == 12
    figures = {(row["apf"], row["measure"]): (row["mean"], row["sd"]) for row in PAPER_TABLE_1}
    assert figures[0.85, "total_reward"] == (-1830, 105)
    assert figures[0.75, "attempts"] == figures[0.95, "attempts"] == (244, 68)
    figures = {(row["apf"], row["measure"]): (row["mean"], row["sd"]) for row in PAPER_TABLE_2}
    assert figures[0.95, "total_reward"] == (1459, 376)
    assert figures[0.75, "epochs"] == (12, 0.8)


def test_a_summary_stands_beside_the_paper_only_where_the_paper_has_a_figure():
    here = [{"apf": 0.85, "measure": measure, "n": 10, "mean": 16.5, "sd": 1.0} for measure in ("epochs", "nodes")]
    (row,) = beside_paper(here, PAPER_TABLE_2)
    assert (row["measure"], row["paper_mean"], row["paper_sd"], row["paper_sds_apart"]) == ("epochs", 15, 1, 1.5)


class TestCommandLine:
    def test_it_runs_every_combination_and_shows_the_summary(self, toy):
        shown = []
        assert main(["toy", "--size", "2", "5", "--scale", "1", "10", "--trials", "3", "--silent"], shown.extend) == 0
        rows = run(TOY, [Toy(size, scale) for size in (2, 5) for scale in (1.0, 10.0)], trials=3)
        totals = [row for row in shown if row["measure"] == "total"]
        assert totals == summary(rows, ["size", "scale"], ["total"])

    def test_as_a_module_it_prints_a_table(self):
        command = [sys.executable, "-m", "mrmlib.experiment", "cookie_by_optimisation", "--trials", "2", "--silent",
                   "--first", "500", "--limit", "500", "--steps", "1", "2"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120,
                              cwd=Path(__file__).parent.parent)
        assert (done.returncode, done.stderr) == (0, "")
        assert "| 2 | learning_actions | 2 | 500 | 0 |" in done.stdout

    def test_it_keeps_its_rows_and_takes_the_seed(self, toy, capsys, tmp_path):
        main(["toy", "--trials", "2", "--seed", "4", "--out", str(tmp_path / "rows"), "--silent", "--noisy", "no"])
        assert [without_times(row) for row in RowFile(tmp_path / "rows").rows.values()] == [
            without_times(row) for row in run(TOY, [Toy(noisy=False)], trials=2, seed=4)]

    def test_a_setting_with_few_values_takes_no_other(self, capsys):
        with pytest.raises(SystemExit) as caught:
            main(["treasure_map", "--agent", "clever"])
        assert caught.value.code == 2
        assert "as_published" in capsys.readouterr().err

    def test_help_lists_the_kinds_and_their_settings(self, toy, capsys):
        for arguments, expected in ((["--help"], ("toy", "cookie_by_optimisation", "Draw numbers")),
                                    (["toy", "--help"], ("--size", "--jobs", "--out", "--scheduler", "default: 3"))):
            with pytest.raises(SystemExit) as caught:
                main(arguments)
            assert caught.value.code == 0
            shown = capsys.readouterr().out
            assert all(word in shown for word in expected)

    @pytest.mark.parametrize("wrong", [["nonsense"], ["toy", "--size", "many"], ["toy", "--noisy", "perhaps"]])
    def test_what_it_does_not_understand_it_refuses(self, toy, wrong, capsys):
        with pytest.raises(SystemExit) as caught:
            main(wrong)
        assert caught.value.code == 2
        assert wrong[-1] in capsys.readouterr().err

    @pytest.mark.parametrize("wrong", [["--jobs", "0"], ["--seed", "-1"], ["--trials", "0"], ["--out", "missing/rows"],
                                       ["--out", "novel"]])
    def test_what_cannot_be_run_is_refused_in_one_sentence(self, toy, wrong, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("novel").write_text("It was a dark and stormy night.")
        with pytest.raises(SystemExit) as caught:
            main(["toy", "--log", "log", *wrong])
        assert caught.value.code == 2
        _, said = capsys.readouterr().err.split("error: ")
        assert wrong[-1] in said
        assert said.count("\n") == 1
        assert not Path("log").exists()

    def test_trials_that_fail_are_told_and_tried_again_when_asked_to(self, monkeypatch, capsys, tmp_path):
        monkeypatch.setitem(experiment.TRIALS, "brittle", BRITTLE)
        asked = ["brittle", "--seed-that-fails", str(seed_of(0, 1)), "--cure", str(tmp_path / "cure"), "--trials", "3",
                 "--out", str(tmp_path / "rows"), "--silent"]
        for _ in range(2):
            assert main(asked, show=lambda rows: None) == 1
            assert "failed: ZeroDivisionError: the cake is gone\n" in capsys.readouterr().err
        (tmp_path / "cure").touch()
        assert main([*asked, "--retry-failed"], show=lambda rows: None) == main(asked, show=lambda rows: None) == 0
        assert capsys.readouterr().err == ""

    def test_an_interrupt_that_comes_after_the_run_is_one_too(self, toy):
        def show(rows):
            raise KeyboardInterrupt

        assert main(["toy", "--silent"], show) == 130

    def test_only_measures_that_are_numbers_are_summarised(self, toy):
        shown = []
        main(["toy", "--trials", "2", "--silent"], shown.extend)
        assert [row["measure"] for row in shown] == ["total", "largest", "lazy_seconds", "seconds"]

    def test_a_domain_of_the_users_own_is_lived_in_by_other_processes_too(self, tmp_path):
        """Beside one of ours, by the name of its function; the module lies where the command is run."""
        (tmp_path / "my_worlds.py").write_text(MY_WORLDS)
        command = [sys.executable, "-m", "mrmlib.experiment", "life", "--domain", "assembly", "my_worlds:corner_shop",
                   "--trials", "2", "--jobs", "2", "--actions", "100", "--silent", "--out", "rows"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "| my_worlds:corner_shop | exact | 2 | 1 | 0 |" in done.stdout
        assert "| my_worlds:corner_shop | value | 2 | 1.5 | 0 |" in done.stdout  # 3 for every second step
        assert "| assembly | exact | 2 | 1 | 0 |" in done.stdout
        assert {row["domain"] for row in RowFile(tmp_path / "rows").rows.values()} == {
            "assembly", "my_worlds:corner_shop"}

    @pytest.mark.parametrize(("wrong", "culprit"), [
        (["--domain", "moon"], "unknown domain 'moon': there are cookie, treasure_map"),
        (["--domain", "no_module:world"], "No module named 'no_module'"),
        (["--domain", "cookie", "--options", "apf=1"], "cookie has no setting 'apf'"),
        (["--options", "apf=high"], "the setting 'apf' of treasure_map is a number like 0.95, not 'high'"),
    ])
    def test_a_domain_that_there_is_not_is_refused_before_anything_is_run(self, wrong, culprit, capsys):
        with pytest.raises(SystemExit) as caught:
            main(["life", *wrong])
        assert caught.value.code == 2
        assert culprit in capsys.readouterr().err

    def test_options_are_swept_like_every_setting(self):
        shown = []
        main(["life", "--domain", "assembly", "--options", "precision=1", "precision=0.5", "--trials", "1",
              "--actions", "50", "--silent"], shown.extend)
        values = {row["options"]: row["mean"] for row in shown if row["measure"] == "value"}
        assert values == {"precision=1": 29 / 16, "precision=0.5": pytest.approx(29 / 32)}
