"""run, status, list, compare, export: what they print, write and refuse."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from bench import studies
from bench.cells import Cell, Result
from bench.runner.interrupt import Abandoned
from bench.store.files import encoded, sealed
from bench.store.folder import Store

STUDY = "faultlab.study"
HERE = ("run", STUDY, "--run", "r", "--jobs", "0", "--no-report")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "bench")  # faultlab
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_a_study_runs_and_status_counts_its_cells(cli):
    ended = cli.json(*HERE)
    status = cli.json("status", "r")
    counts = {"done": 8, "diverged": 0, "failed": 0, "stale": 0, "missing": 0}
    assert ended["counts"] == status["counts"] == counts
    assert ended["failed"] == ended["report"] == []
    assert status["studies"][STUDY] == {"preset": "quick", **counts}
    assert {cell["state"] for cell in status["cells"]} == {"done"}
    stored = {record.key: record for record in Store(Path("runs/r")).records()}
    assert {cell["key"] for cell in ended["cells"]} == stored.keys()
    for cell in ended["cells"]:
        assert cell["values"] == stored[cell["key"]].values
        assert cell["config"] == stored[cell["key"]].config
    assert STUDY in cli("status", "r").out


def test_studies_that_are_parts_of_others_keep_their_names(cli):
    for old, new in studies.MERGED.items():
        document = cli.json("run", old, new, "--dry-run")
        assert [study["study"] for study in document["studies"]] == [new]


def test_presets_and_settings(cli, elsewhere):
    settings = ("--set", "cells=4", "--set", f"{STUDY}.floats=5")
    cli("run", STUDY, "--preset", "paper", *settings, "--jobs", "0", "--no-report")
    plan = Store(elsewhere / "runs/paper").plans()[STUDY]
    assert plan["preset"] == "paper"
    assert plan["config"]["cells"] == 4
    assert plan["config"]["floats"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "convergance"], "did you mean 'convergence'"),
        (["run", STUDY, "--preset", "quik"], "did you mean 'quick'"),
        (["run", STUDY, "--set", "cels=3"], "did you mean 'cells'"),
        (["run", STUDY, "--set", "cells"], "--set needs key=value"),
        (["run", STUDY, "--set", "cells=many"], "must be of type int, got 'many'"),
        (["run", "convergence", "--set", "n=1-1000000000"], "n of study convergence has more than"),
        (["run", STUDY, "--set", "other.cells=3"], "no study 'other' in this run"),
        (["run", STUDY, "--only", "staled"], "did you mean 'stale'"),
        (["run", STUDY, "--jobs", "-1"], "--jobs must be 0"),
        (["run", STUDY, "--time-limit", "0"], "--time-limit must be positive"),
        (["run", STUDY, "--run", "."], "is not the name of a run"),
        (["status", "never"], "`femnets run --run never` starts one"),
        (["compare", "never", "ever"], "no run in runs/never"),
        (["export", "never", "--to", "csv"], "no run in runs/never"),
        (["export", "never", "--to", "xls"], "'xls' is not one of"),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(cli, elsewhere, arguments, message):
    cli.refuses(message, *arguments)
    assert not (elsewhere / "runs").exists()


def test_failed_cells_are_listed_kept_and_retried_on_request(cli, elsewhere, monkeypatch):
    cue = elsewhere / "cue"
    cue.write_text("")
    monkeypatch.setenv("FAULTLAB_CUE", str(cue))
    wicked = (*HERE, "--set", "mischief=raise")
    captured = cli(*wicked, code=1)
    assert "failed: faultlab.cell i=2" in captured.err
    cue.unlink()
    assert "1 cells failed" in cli(*wicked, code=1).err  # not tried again unasked
    status = cli("status", "r")
    assert "ValueError: a cell that raises" in status.out
    key = status.out.partition("[")[2].partition("]")[0]
    assert "Traceback" in cli("status", "r", "--log", key).out
    cli.refuses("no failed cell", "status", "r", "--log", "0000")
    cli(*wicked, "--only", "failed")
    assert cli.json("status", "r")["counts"]["done"] == 8


def test_stale_cells_are_kept_until_asked_for(cli, monkeypatch):
    cli(*HERE)
    for module in ("bench.store.survey", "bench.runner.execute"):
        monkeypatch.setattr(f"{module}.fingerprint_of", lambda cell: "newer")
    assert "8 stale cells kept" in cli(*HERE).err
    assert cli.json("status", "r")["counts"]["stale"] == 8
    cli(*HERE, "--only", "stale")
    assert cli.json("status", "r")["counts"]["done"] == 8


def test_a_run_ends_with_the_paths_of_its_report(cli, elsewhere):
    out = cli("run", "convergence", "--set", "n=1,2", "--jobs", "0", "--run", "tiny").out
    html, pdf = out.splitlines()
    assert (elsewhere / html).read_text().startswith("<!DOCTYPE html>")
    assert (elsewhere / pdf).read_bytes().startswith(b"%PDF")


def put(name, error, seconds, n=1, h=1.0):
    """A stored cell with made-up numbers."""
    store = Store.writable(name)
    cell = Cell("fem", {"n": n})
    values = {"l2_error": error, "seconds": seconds, "h": h}
    store.commit(cell, encoded(cell, Result(values), "code", {"start": "", "seconds": seconds}))
    store.close()


def test_compare_tells_errors_and_times_as_ratios(cli, elsewhere):
    for n in (1, 2):
        put(elsewhere / "runs/a", error=1 / n, seconds=2.0, n=n, h=1 / n)
        put(elsewhere / "runs/b", error=1 / n**2, seconds=1.0, n=n, h=1 / n)
    put(elsewhere / "runs/b", error=1.0, seconds=1.0, n=3)
    found = cli.json("compare", "a", "b")
    assert (found["common"], found["only_a"], found["only_b"]) == (2, 0, 1)
    (errors,), (times,) = found["errors"], found["times"]
    assert (errors["median"], errors["moved"], errors["worst"]) == (0.75, 1, 0.5)
    assert (times["median"], times["low"], times["high"]) == (0.5, 0.5, 0.5)
    out = cli("compare", "a", "b").out
    assert "fem n=2" in out
    assert "2 cells in both, 0 only in a, 1 only in b" in out


def test_export_to_csv_is_tidy_and_joined_by_key(cli, elsewhere):
    cli(*HERE)
    paths = cli("export", "r", "--to", "csv").out.split()
    tables = {}
    for path in paths:
        with open(elsewhere / path, newline="") as file:
            tables[path.rpartition("/")[2]] = list(csv.DictReader(file))
    assert set(tables) == {"cells.csv", "values.csv", "arrays.csv"}
    cell = next(row for row in tables["cells.csv"] if row["i"] == "3")
    numbers = np.random.Generator(np.random.Philox(3)).random(20)
    values = {r["quantity"]: r["value"] for r in tables["values.csv"] if r["key"] == cell["key"]}
    assert float(values["mean"]) == numbers.mean()
    entries = [float(r["value"]) for r in tables["arrays.csv"] if r["key"] == cell["key"]]
    np.testing.assert_array_equal(entries, numbers)


def test_export_to_parquet_has_types(cli, elsewhere):
    parquet = pytest.importorskip("pyarrow.parquet")
    cli(*HERE)
    cli("export", "r", "--to", "parquet", "--out", "tables")
    cells = parquet.read_table(elsewhere / "tables/cells.parquet")
    values = parquet.read_table(elsewhere / "tables/values.parquet")
    assert cells.num_rows == 8
    assert str(cells.schema.field("i").type) == "int64"
    assert str(values.schema.field("value").type) == "double"


@pytest.mark.parametrize("element", ["N0", "hexN0"])
def test_export_to_vtu_shows_the_field_on_its_mesh(cli, elsewhere, element):
    import meshlane

    settings = ("--set", "n=2,3", "--set", f"elements={element}", "--jobs", "0", "--no-report")
    cli("run", "convergence", "--run", "v", *settings)
    written = cli("export", "v", "--to", "vtu", "--n", "2").out.split()
    (path,) = (path for path in written if path.endswith(".vtu"))
    assert [*map(str.strip, written)][-1].endswith("manifest.json")
    mesh = meshlane.read(elsewhere / path)
    cells = mesh.cells[0].data
    u, u_h, error = (mesh.cell_data[name][0] for name in ("u", "u_h", "error"))
    np.testing.assert_allclose(u_h - u, error, atol=1e-14)
    assert 0 < np.linalg.norm(error) < 0.1 * np.linalg.norm(u)
    if element == "hexN0":  # VTK's order: bottom square, then the top one
        first = mesh.points[cells[0]]
        np.testing.assert_allclose(np.ptp(first[4:] - first[:4], axis=0), 0)
        np.testing.assert_allclose(first[0] + first[2], first[1] + first[3])


def test_a_signal_before_the_first_cell_is_told(monkeypatch, cli):
    def abandoned(*_):
        raise Abandoned

    monkeypatch.setattr("bench.runner.resume.run_cells", abandoned)
    err = cli(*HERE, code=130).err
    assert "interrupted; the same command resumes" in err
    assert not list(Path("runs/r/scratch").iterdir())


def test_a_result_edited_and_sealed_again_is_found_by_computing_it_again(cli):
    """What docs/trust.md says: no seal can tell, and a second run does."""
    small = ("convergence", "--set", "n=1,2", "--jobs", "0", "--no-report")
    for run in ("given", "again"):
        cli("run", *small, "--run", run)
    (path, *_) = sorted(Path("runs/given/cells/fem").glob("*/cell.json"))
    document = json.loads(path.read_bytes())
    del document["checksum"]
    document["values"]["l2_error"] *= 1.01
    path.write_bytes(sealed(document))
    status = cli.json("status", "given")
    assert status["counts"]["done"] == len(status["cells"])
    found = cli.json("compare", "given", "again")
    moved = {row["value"]: row["moved"] for row in found["errors"] if row["moved"]}
    assert moved == {"l2_error": 1}
