"""The rows that the notebooks show: made again from their seeds, and what must hold of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from mrmlib.experiment import reproduce
from mrmlib.experiment.command import PAPER_TABLE_1, PAPER_TABLE_2, beside_paper
from mrmlib.experiment.kinds import TRIALS, Cookie, CookieByOptimisation, TreasureMap
from mrmlib.experiment.reproduce import APFS, LIVES, RANDOM_LIVES, RIVALS, TREATMENTS, everything, rows_of, tables
from mrmlib.experiment.rows import summary, without_times
from mrmlib.experiment.trials import Finished, remake

STORED = Path(__file__).parent.parent / "notebooks" / "rows" / "experiments.jsonl"
SLOW = CookieByOptimisation(4, 1.0, 0.0)  # LRM's objective with four nodes: ten seconds and more
SETTINGS = (*reproduce.treasure_settings(), *TREATMENTS.values(), *RIVALS.values())


@pytest.fixture(scope="module")
def rows():
    before = STORED.read_bytes()
    rows = everything(STORED)
    assert STORED.read_bytes() == before, "some rows were missing: they have been added to the file"
    return rows


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_stored_row_is_made_again_from_its_seed(rows, settings, count):
    """One seed of each setting; in the sampled run one APF, and without the slowest."""
    if count(True, False) and (settings == SLOW or getattr(settings, "apf", 0.95) != 0.95):
        pytest.skip("in full only")
    row = min(rows_of(rows, settings), key=lambda row: row["learning_seconds"])
    assert without_times(remake(TRIALS[row["kind"]], row)) == without_times(row)


def test_the_command_prints_every_table_from_the_stored_rows(rows, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(STORED.read_bytes())
    command = [sys.executable, "-m", "mrmlib.experiment.reproduce", "--out", file, "--silent"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert all(f"## {title}" in printed for title in tables(rows))


def test_the_command_gives_the_tables_of_the_rows_in_its_file(rows, tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(STORED.read_bytes())
    assert reproduce.main(["--out", str(file), "--silent"]) == tables(rows)


def test_there_are_ten_rows_of_every_setting(rows):
    assert all(len(rows_of(rows, settings)) == 10 for settings in SETTINGS)
    assert len(rows) == 10 * len(SETTINGS)


def test_the_exact_machine_is_learnt_in_every_trial_of_both_experiments(rows):
    assert all(row["exact"] for row in rows if row["kind"] in ("treasure_map", "cookie"))
    assert all(row["same_machine"] for row in rows_of(rows, Cookie("filtered", "random")))


@pytest.mark.parametrize(("lives", "paper", "measures"), [(RANDOM_LIVES, PAPER_TABLE_1, ["total_reward"]),
                                                          (LIVES, PAPER_TABLE_2, ["total_reward", "epochs"])])
def test_as_published_the_means_are_within_one_standard_deviation_of_the_papers(rows, lives, paper, measures):
    own = [row for apf in APFS for row in rows_of(rows, TreasureMap(apf, **lives["as published"]))]
    joined = beside_paper(summary(own, ["apf"], measures), paper)
    assert len(joined) == len(APFS) * len(measures)
    assert all(abs(row["paper_sds_apart"]) <= 1 for row in joined)


def test_algorithm_1_earns_the_optimum(rows):
    """The mean of ten returns: within three standard errors of the exact optimum."""
    for apf in APFS:
        (row,) = summary(rows_of(rows, TreasureMap(apf, **LIVES["Algorithm 1"])), [], ["total_reward"])
        assert abs(row["mean"] - reproduce.optimum(apf)) < 3 * row["sd"] / 10**0.5


def test_every_table_has_a_row_for_each_setting_and_measure(rows):
    sizes = {title: len(table) for title, table in tables(rows).items()}
    assert list(sizes.values()) == [12, 12, 15, len(TREATMENTS), len(RIVALS)]


def test_an_interrupt_ends_everything(monkeypatch):
    monkeypatch.setattr(reproduce, "run", lambda *_, **__: Finished(interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        everything()


def test_there_are_no_tables_when_a_trial_failed(monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "run", lambda *_, **__: Finished(failures=[{"reason": "no luck"}]))
    with pytest.raises(SystemExit) as caught:
        reproduce.main([])
    assert caught.value.code == 1
    assert "no tables" in capsys.readouterr().err


def test_what_cannot_be_run_is_refused_in_one_sentence(capsys):
    with pytest.raises(SystemExit) as caught:
        reproduce.main(["--jobs", "0"])
    assert caught.value.code == 2
    assert "error: jobs = 0 makes no sense" in capsys.readouterr().err
