"""A run kept in four files: written, read back to the bit, distrusted, compared with another."""

import json
import math
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import UserError
from bench.cells import Cell, key_of
from bench.claims.comparison import (
    DIGITS,
    EXACT,
    agreeing_digits,
    compare,
    compare_verdicts,
)
from bench.store.files import StoredResult, checksum
from bench.store.folder import Store
from bench.store.parquet import COLUMNS, read_results, write_results
from bench.store.provenance import provenance
from bench.store.run import Run
from femnets.cli import invoke

pyarrow = pytest.importorskip("pyarrow")


def stored(n=1, state="done", mark="f", **values):
    """A result of the cell `fem n=…` as a store would give it."""
    cell = Cell("fem", {"n": n})
    story = provenance(threads=1, seed=None, start=1.8e9, seconds=2.5, cpu_seconds=2.0)
    return StoredResult(
        "fem", dict(cell.config), cell.key, state, values, mark, story, {}, Path("nowhere")
    )


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)


@settings(deadline=None, max_examples=30)
@given(found=st.dictionaries(st.text(max_size=8), numbers | st.lists(numbers, max_size=4)))
def test_values_come_back_to_the_bit(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("kept") / "results.parquet"
    write_results(path, [("run", ("convergence", "elements"), stored(values=found))])
    ((run, asked_by, record),) = read_results(path)
    assert (run, asked_by) == ("run", ("convergence", "elements"))
    assert record.values == {"values": found}
    assert repr(record.values["values"]) == repr(dict(sorted(found.items())))
    original = stored(values=found)
    for part in ("kind", "key", "config", "state", "fingerprint"):
        assert getattr(record, part) == getattr(original, part)
    for part in ("seconds", "cpu_seconds", "threads", "start", "machine", "versions"):
        assert record.provenance[part] == original.provenance[part]


def altered(path, **columns):
    """The file with columns replaced; None takes one away."""
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    for name, values in columns.items():
        at = table.column_names.index(name)
        table = table.remove_column(at) if values is None else table.set_column(at, name, [values])
    pq.write_table(table, path)


HARMS = {
    "config": ['{"n":2}'],  # another cell's: the key is not its hash
    "values": ["[1]"],
    "state": ["fine"],
    "key": ["0" * 20],
    "environment": ['{"machine":3}'],
    "seconds": None,
    "run": pyarrow.array([None], pyarrow.string()),
    "threads": ["one"],
}


@pytest.mark.parametrize("name", HARMS)
def test_an_altered_file_is_refused_in_one_line(tmp_path, name):
    path = tmp_path / "results.parquet"
    write_results(path, [("run", (), stored(l2_error=1.0))])
    assert len(read_results(path)) == 1
    altered(path, **{name: HARMS[name]})
    with pytest.raises(UserError, match="is not a file of kept results") as said:
        read_results(path)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"{}"])
def test_what_is_no_parquet_is_refused(tmp_path, data):
    path = tmp_path / "results.parquet"
    path.write_bytes(data)
    with pytest.raises(UserError, match="is not a file of kept results"):
        read_results(path)


def test_bytes_flipped_anywhere_do_no_harm(tmp_path):
    """Either the file reads as something that passes all checks, or it is refused in one line."""
    path = tmp_path / "results.parquet"
    write_results(path, [("run", (), stored(n, l2_error=1.0 / n)) for n in (1, 2, 3)])
    data = path.read_bytes()
    refused = 0
    for at in range(0, len(data), max(1, len(data) // 150)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        try:
            read_results(path)
        except UserError:
            refused += 1
    assert refused > 20


def test_a_text_that_unfolds_to_gigabytes_is_refused_before_it_does(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "results.parquet"
    rows, text = 20_000, json.dumps({"x": "0" * 50_000})
    indices = pyarrow.array([0] * rows, pyarrow.int32())
    filled = {
        name: {
            "string": pyarrow.DictionaryArray.from_arrays(indices, [text])
            if name == "values"
            else [""] * rows,
            "double": [0.0] * rows,
            "int64": [0] * rows,
        }[kind]
        for name, kind in COLUMNS.items()
    }
    pq.write_table(pyarrow.table(filled), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 2**20
    with pytest.raises(UserError, match=r"text has more than|too large"):
        read_results(path)


exponents = st.integers(-30, 5)


@given(a=st.floats(1, 9.999), shift=st.floats(-0.02, 0.02), exponent=exponents)
def test_digits_are_those_that_rounding_shows(a, shift, exponent):
    """Agreement to 3 digits is half a unit of the third, computed in decimals."""
    x, y = a * 10.0**exponent, (a + shift) * 10.0**exponent
    last = Decimal(1).scaleb(math.floor(math.log10(x)) - DIGITS + 1)
    apart = abs(Decimal(x) - Decimal(y))
    told = agreeing_digits(x, y, square=True) >= DIGITS
    if abs(apart / last - Decimal("0.5")) > Decimal("1e-6"):
        assert told == (apart < last / 2)
    if told:
        shown = [Decimal(v).quantize(last, rounding=ROUND_HALF_EVEN) for v in (x, y)]
        assert abs(shown[0] - shown[1]) <= last


def test_digits_at_the_edges():
    assert agreeing_digits(None, None) == agreeing_digits(0.0, 0.0) == EXACT
    assert agreeing_digits(None, 1.0) == agreeing_digits(1.0, None) == 0
    assert agreeing_digits(1e-13, 3e-13) == EXACT, "what summation leaves over has no digits"
    assert agreeing_digits(1e-13, 3e-13, square=True) < 1, "a mean square this small has"
    assert agreeing_digits(1.0, 1e6) == 0


def test_the_report_claims_fewer_digits():
    from reports.formatting import show

    mantissa = show(0.00123456, "error").partition("·")[0]
    assert len(mantissa.replace(".", "")) < DIGITS


def test_comparison_names_what_differs():
    ours = [
        stored(1, l2_error=0.1, deep={"runs": [{"train_mse": 2e-4, "seconds": 1.0}]}),
        stored(2, l2_error=0.2, deep={"runs": [{"train_mse": 2e-4}]}),
        stored(3, l2_error=0.3),
        stored(4, dofs=7),  # no errors in it
        stored(5, l2_error=0.5),  # the other has not got it
    ]
    theirs = [
        stored(1, l2_error=0.1 + 1e-6, deep={"runs": [{"train_mse": 2e-4, "seconds": 9.0}]}),
        stored(2, l2_error=0.2, deep={"runs": [{"train_mse": 2.1e-4}]}),
        stored(3, "diverged", "g", l2_error=None),
        stored(4, dofs=8),
    ]
    found = compare(ours, theirs)
    assert (found.cells, found.reproduced, found.other_code) == (3, 1, 1)
    diverged, trained = found.deviations
    assert (diverged.value, diverged.a, diverged.b, diverged.digits) == ("l2_error", 0.3, None, 0)
    assert trained.value == "deep.runs[0].train_mse"
    assert trained.digits == pytest.approx(1 - math.log10(0.2))
    (whole, nested) = sorted(found.errors, key=lambda ratios: ratios.value, reverse=True)
    assert (whole.value, whole.numbers, whole.moved) == ("l2_error", 2, 1)
    assert (nested.value, nested.worst) == ("deep.runs.train_mse", pytest.approx(1.05))


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Two runs of real cells."""
    folder = tmp_path_factory.mktemp("computed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        quiet = ("--jobs", "0", "--no-report")
        assert invoke(["run", "convergence", "--run", "r", "--set", "n=1,2", *quiet]) == 0
        for run, seed in (("r", 1), ("s", 2)):
            assert invoke(["run", "slips", "--run", run, "--set", f"seeds={seed}", *quiet]) == 0
    return folder


@pytest.fixture
def here(computed, monkeypatch):
    monkeypatch.chdir(computed)
    return computed


def test_a_run_is_kept_and_a_stranger_checks_it(here, capsys):
    assert invoke(["export", "r", "--to", "kept", "--out", "kept", "--with", "s"]) == 0
    folder = here / "kept"
    names = sorted(path.name for path in folder.iterdir())
    reports, data = ["report.html", "report.pdf"], ["results.parquet", "verdicts.json"]
    assert names == ["figures.parquet", *reports, *data]
    document = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    data = (folder / "results.parquet").read_bytes()
    about = {"file": "results.parquet", "bytes": len(data), "checksum": checksum(data)}
    assert document["results"] == about
    told = document["provenance"]
    assert told["cells"] == {"done": 3, "diverged": 0, "failed": 0, "stale": 0, "missing": 0}
    assert told["seeds"] == [1]
    assert told["studies"]["slips"]["config"]["seeds"] == [1]
    assert told["studies"]["convergence"]["options"] == ["--set n=1,2"]
    assert sum(session["cells"] for session in told["sessions"]) == 3
    assert all(session["other_cores"] >= 0 for session in told["sessions"])
    (other,) = document["with"]
    assert (other["run"], other["provenance"]["seeds"]) == ("s", [2])
    assert other["agreement"]["tested"] > 0
    assert other["agreement"]["contradictions"] == []
    rows = {
        (run, record.kind, asked_by)
        for run, asked_by, record in read_results(folder / "results.parquet")
    }
    assert rows == {("r", "fem", ("convergence",)), ("r", "slips", ("slips",)),
                    ("s", "slips", ("slips",))}  # fmt: skip
    capsys.readouterr()
    assert invoke(["compare", "kept/results.parquet", "r", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reproduced"] == found["cells"] == 2
    assert found["verdicts"]["same"] == found["verdicts"]["tested"] > 0
    assert invoke(["compare", "kept/results.parquet", "r"]) == 0
    assert "2 of 2 cells" in capsys.readouterr().out


def test_a_run_is_held_against_results_whose_run_is_gone(here, capsys):
    """What was kept on another machine takes the place of the run."""
    records = list(Store(here / "runs" / "r").records())
    rows = [("r", ("slips",), record) for record in records]
    write_results(here / "earlier.parquet", rows)
    words = ["export", "s", "--to", "kept", "--out", "held", "--with", "earlier.parquet"]
    assert invoke(words) == 0
    document = json.loads((here / "held" / "verdicts.json").read_text(encoding="utf-8"))
    (other,) = document["with"]
    assert (other["run"], other["provenance"]["seeds"]) == ("r", [1])
    assert (other["provenance"]["sessions"], other["provenance"]["presets"]) == ([], [])
    assert other["agreement"]["tested"] > 0
    kept = {(run, record.key) for run, _, record in read_results(here / "held" / "results.parquet")}
    assert {("r", record.key) for record in records} < kept
    page = (here / "held" / "report.html").read_text(encoding="utf-8")
    assert "Runs compared" in page
    capsys.readouterr()
    assert invoke(["report", "s", "--html", "--with", "nowhere.parquet"]) == 2
    told = capsys.readouterr().err.strip()
    assert "cannot read nowhere.parquet" in told
    assert "\n" not in told


@pytest.mark.parametrize("source", ["r", "parts/results.parquet"])
def test_finished_cells_of_another_run_are_taken_over(here, capsys, source):
    """By key and by code: the same cells with another fingerprint are computed."""
    assert invoke(["export", "r", "--to", "results", "--out", "parts"]) == 0
    words = ["run", "convergence", "--set", "n=1,2,3", "--no-report", "--jobs", "0"]
    name = f"again-{len(source)}"
    assert invoke([*words, "--run", name, "--reuse", source]) == 0
    assert "2 cells taken from" in capsys.readouterr().err
    before, after = ({r.key: r for r in Store(here / "runs" / run).records() if r.kind == "fem"}
                     for run in ("r", name))  # fmt: skip
    assert len(after) == 3
    for key, record in before.items():
        assert (after[key].values, after[key].fingerprint) == (record.values, record.fingerprint)
        assert after[key].provenance["start"] == record.provenance["start"]
    other = [("r", (), replace(record, fingerprint="0")) for record in before.values()]
    write_results(here / "old.parquet", other)
    assert invoke([*words, "--run", f"{name}-old", "--reuse", "old.parquet"]) == 0
    assert "0 cells taken from" in capsys.readouterr().err
    assert invoke([*words, "--run", "none", "--reuse", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_run_that_differs_is_told_cell_by_cell(here, capsys):
    records = list(Store(here / "runs" / "r").records())
    moved = [replace(r, values=r.values | {"l2_error": r.values["l2_error"] * 1.01})
             for r in records if r.kind == "fem"]  # fmt: skip
    write_results(here / "other.parquet", [("other", (), record) for record in moved])
    assert invoke(["compare", "other.parquet", "r", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cells"], found["reproduced"]) == (2, 0)
    assert {deviation["value"] for deviation in found["deviations"]} == {"l2_error"}
    assert all(1 < deviation["digits"] < 3 for deviation in found["deviations"])
    assert invoke(["compare", "other.parquet", "r"]) == 0
    told = capsys.readouterr().out
    assert "0 of 2 cells" in told
    assert "not reproduced" in told


def test_files_without_a_common_cell_are_refused(here, capsys):
    write_results(here / "other.parquet", [("other", (), stored(7, l2_error=1.0))])
    assert invoke(["compare", "other.parquet", "r"]) == 2
    assert "no cell in common" in capsys.readouterr().err
    assert invoke(["export", "r", "--to", "csv", "--with", "r"]) == 2
    assert "--with needs --to kept" in capsys.readouterr().err


def entry(name, status, verdict=None, standing="confirmed"):
    return {"name": name, "status": status, "verdict": verdict or status, "standing": standing}


def test_ledgers_of_today_and_of_0_2_0_agree_by_their_words_and_contradict_by_decision():
    ours = [
        entry("a", "holds"),
        {"name": "b", "verdict": "holds", "standing": "confirmed", "tested": True},
        entry("c", "depends", "depends on the seed: 5 of 12 seeds"),
        entry("d", "depends", "depends on the seed: 5 of 12 seeds"),
        entry("e", "holds"),
    ]
    theirs = [
        entry("a", "holds", standing="exploratory"),
        entry("b", "does not hold"),
        entry("c", "depends", "depends on the seed: 7 of 12 seeds"),
        entry("d", "holds"),
        entry("e", "not tested yet", standing=""),
    ]
    found = compare_verdicts(ours, theirs)
    assert (found.tested, found.same) == (4, 2)
    assert found.contradictions == [("b", "holds (confirmed)", "fails (confirmed)")]
    assert [name for name, *_ in found.differing] == ["d"]


def test_a_run_is_the_same_from_folder_file_and_memory(here):
    folder = Run.stored(here / "runs" / "r")
    write_results(here / "same.parquet", [("r", (), record) for record in folder])
    rows = {row["key"]: row for row in folder.rows()}
    assert len(rows) == 3
    for run in (Run.stored(here / "same.parquet"), Run("r", unplanned=folder.records)):
        assert {row["key"]: row for row in run.rows()} == rows
    (planned,) = Run.read_each(here / "runs" / "r")
    assert {record.key for record in planned} == rows.keys()


def test_a_kind_that_only_a_file_names_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer/kind.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    config = {"n": 1}
    record = replace(stored(), kind="outer.kind", config=config, key=key_of("outer.kind", config))
    write_results(tmp_path / "results.parquet", [("r", (), record)])
    (run,) = Run.read_each(tmp_path / "results.parquet")
    assert run.standings == []
