"""Every measured number in README is a fact of the kept run or in the output of a command run here.

The regions after `<!-- results: … -->` are made by `docs/readme_results.py` from verdicts.json and
the facts of results.parquet: here from a small made-up run, whose numbers are known, and, where a
run is kept in docs/paper, README itself is compared with it. A number elsewhere in README is
accounted for below.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from base.errors import UserError
from bench.cells import Cell
from bench.core.plain_values import finite
from bench.store.files import StoredResult, checksum
from bench.store.parquet import write_results

pytest.importorskip("pyarrow")
ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
KEPT = ROOT / "docs" / "paper"
MOST_KEPT_BYTES = 5 * 10**6


@pytest.fixture(scope="module")
def writer():
    """docs/readme_results.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("readme_results", ROOT / "docs/readme_results.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def record(kind, values, **config):
    cell = Cell(kind, config)
    story = {"seconds": 1.0, "machine": {}, "versions": {}}
    return StoredResult(
        kind, dict(cell.config), cell.key, "done", values, "f", story, {}, Path("nowhere")
    )


def net(seed, error, **config):
    paper = {"net": "resnet", "tau": "learned", "hidden": 2, "optimizer": "steepest", "steps": 1000}
    values = {"l2_error": error, "l2_error_inside": error, "parameters": 9, "seconds": 2.0}
    return record("net", values, **paper | config, seed=seed, data_seed=seed)


def fem(n, dofs, error, **config):
    values = {"l2_error": error, "dofs": dofs, "seconds": 16.4, "peak_bytes": 3 * 2**29}
    return record("fem", values, n=n, **config)


def fit(seed, error, method):
    values = {"l2_error": error, "l2_error_inside": error, "unknowns": 9, "seconds": 0.1}
    return record("baseline", values, method=method, seed=seed, data_seed=seed)


RECORDS = [
    *(net(1000 + k, error) for k, error in enumerate((0.031, 0.011, 0.021))),
    *(net(1000 + k, error, net="fractional") for k, error in enumerate((0.5, 0.6, 0.7))),
    net(1000, 1e-9, lambda2=1e-3),  # not the paper's mode
    *(fit(1000 + k, error, "cubic") for k, error in enumerate((3e-7, 1e-7, 2e-7))),
    fem(128, 14_827_904, 1.944964e-4),
    fem(128, 6_000_000, 1.5e-4, element="hexN0"),
    fem(128, 7, 9.0, solve=True),  # no best approximation
]
VERDICTS = [
    {"name": "a", "status": "holds", "verdict": "holds", "standing": "confirmed"},
    {"name": "b", "status": "holds", "verdict": "holds", "standing": "exploratory"},
    {"name": "c", "status": "does not hold", "verdict": "does not hold", "standing": "confirmed"},
    {"name": "d", "status": "not tested yet", "verdict": "not tested yet", "standing": ""},
]


@pytest.fixture
def kept(tmp_path):
    """A made-up kept run of two sessions, with another beside it that contradicts one claim."""
    rows = [("paper", (), each) for each in RECORDS]
    beside = ("again", (), net(1020, 1e-12))
    write_results(tmp_path / "results.parquet", [*rows, beside])
    data = (tmp_path / "results.parquet").read_bytes()
    session = {"start": "2026-11-18T05:00:00+00:00", "cells": 5, "most_other_cores": 0.5}
    provenance = {
        "cells": {"done": 11, "diverged": 1},
        "machines": [{"processor": "AMD EPYC", "cores": 2}],
        "seeds": [1000, 1001, 1002],
        "commits": ["0123456789abcdef", None],
        "sessions": [
            session | {"seconds": 3600.0, "other_cores": 0.1},
            session | {"seconds": 1200.0, "other_cores": 0.3},
        ],
    }
    agreement = {"tested": 9, "same": 7, "contradictions": [["c", "holds", "does not hold"]],
                 "differing": []}  # fmt: skip
    document = {
        "run": "paper",
        "results": {"file": "results.parquet", "bytes": len(data), "checksum": checksum(data)},
        "headlines": [],
        "provenance": provenance,
        "with": [{"run": "again", "provenance": {"seeds": [1020]}, "agreement": agreement}],
        "verdicts": VERDICTS,
    }
    (tmp_path / "verdicts.json").write_text(json.dumps(finite(document)), encoding="utf-8")
    return tmp_path


def test_a_run_compared_with_it_later_is_named(writer, kept):
    (kept / "again").mkdir()
    agreement = {"tested": 31, "same": 29, "contradictions": [], "differing": []}
    other = {
        "run": "again",
        "provenance": {"seeds": [1020, 1031]},
        "with": [{"run": "elsewhere", "agreement": {}}, {"run": "paper", "agreement": agreement}],
    }
    (kept / "again" / "verdicts.json").write_text(json.dumps(other), encoding="utf-8")
    text = words(writer.joined(list(writer.summary(writer.KeptFacts.read(kept)))))
    assert text.endswith(
        "Compared with seeds 1020 to 1031 ([its report](docs/paper/again/report.html)): claims "
        "tested in both runs 31, same verdict 29, contradicted: none."
    )


def words(text):
    return " ".join(text.split())


def test_sentences_have_the_numbers_of_the_run(writer, kept):
    run = writer.KeptFacts.read(kept)
    text = words(writer.joined(list(writer.summary(run))))
    assert text.startswith(
        "The reference run: 12 cells in 80 minutes on AMD EPYC, 2 cores; seeds 1000 to 1002; "
        "commits 0123456789. Claims tested: 3 (holds 2, does not hold 1); confirmed: 2."
    )
    assert "net 1.0·10⁻⁹, cubic 2.0·10⁻⁷" in text
    assert text.endswith(
        "Compared with seeds 1020 to 1020: claims tested in both runs 9, same verdict 7, "
        "contradicted: `c`."
    )
    items = writer.joined(["One.", "- a\n  b", "- c", "| x |", "| y |", "Two."])
    assert items == "One.\n\n- a\n  b\n- c\n\n| x |\n| y |\n\nTwo.\n"
    text = words("".join(writer.levels(run)))
    assert "the best of the paper's 2 nets (ResNet 2-50, τ learned) 2.10e-02" in text
    assert text.endswith("least squares cubic 2.00e-07.")
    rows = [row for row in writer.how_far(run) if row.startswith("| tets") or "hexahedra" in row]
    assert rows == [
        "| tets, n = 128 | 14 827 904 | 1.94496e-04 | 16 | 1.5 GiB |",
        "| hexahedra, n = 128 | 6 000 000 | 1.50000e-04 | 16 | 1.5 GiB |",
    ]


def test_regions_are_replaced_and_nothing_else(writer, kept):
    run = writer.KeptFacts.read(kept)
    once = writer.rewritten(README, run)
    assert once != README
    assert writer.rewritten(once, run) == once
    assert writer.REGION.sub("", once) == writer.REGION.sub("", README)
    assert {name for _, name, _, _ in writer.REGION.findall(README)} == set(writer.WRITERS)
    assert max(map(len, once.splitlines())) <= max(writer.WIDTH, *map(len, README.splitlines()))
    with pytest.raises(UserError, match="a region 'other'"):
        writer.rewritten("<!-- results: other -->\n<!-- end of results -->", run)


def test_files_of_two_runs_are_not_mixed(writer, kept):
    write_results(kept / "results.parquet", [("paper", (), net(1000, 0.1))])
    with pytest.raises(UserError, match="of different runs"):
        writer.KeptFacts.read(kept)


def test_pictures_come_from_the_figures(writer, tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "ROOT", tmp_path)
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "work-precision.png").write_bytes(b"new")
    shown = "![Work](docs/pictures/work-precision.png)"
    assert writer.take_pictures(shown, tmp_path / "figures")
    assert (tmp_path / "docs" / "pictures" / "work-precision.png").read_bytes() == b"new"
    with pytest.raises(UserError, match=r"there is no .*other\.png"):
        writer.take_pictures("![x](docs/pictures/other.png)", tmp_path / "figures")


@pytest.mark.skipif(not (KEPT / "verdicts.json").exists(), reason="no run is kept yet")
def test_readme_is_what_the_kept_run_says(writer):
    run = writer.KeptFacts.read(KEPT)
    assert writer.rewritten(README, run) == README, "`make readme` writes it"
    assert len(run.facts) > 80
    assert all(fact.cells and fact.domain and fact.unit for fact in run.facts.values())
    assert (KEPT / "results.parquet").stat().st_size <= MOST_KEPT_BYTES


def _of_the_p_version():
    command = [sys.executable, "-m", "femnets", "fem", "--n", "1", "--element", "hexP"]
    done = subprocess.run(
        [*command, "--order", "6", "--json"], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    (row,) = json.loads(done.stdout)["rows"]
    return {f"{row['l2_error']:.1e}".replace("e-0", "e-"), str(row["dofs"])}


def _of_python():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {tomllib.loads(text)["project"]["requires-python"].removeprefix(">=")}


def _of_seeds():
    from bench.store.results import FIRST_CONFIRMATORY

    return {str(FIRST_CONFIRMATORY)}


def _of_queries():
    from reports.decision import POINTS

    return {str(POINTS)}


def _of_rulers():
    """Tolerances that tests have: read off their source."""
    text = "".join(path.read_text() for path in (ROOT / "tests" / "bench").glob("test_*.py"))
    return {number for number in ("1e-6", "2e-6", "1e-4") if number in text}


# Numbers of README outside the regions and outside code, by where they come from.
ACCOUNTS = (_of_the_p_version, _of_python, _of_seeds, _of_queries, _of_rulers)
NAMES = ("N0", "N1", "BSD-3", "order 4 on", "L2")  # no results


def test_no_other_number_of_readme_is_typed_in(writer):
    text = writer.REGION.sub("", README)
    for part in (r"```.*?```", r"`[^`]*`", r"\]\([^)]*\)", *map(re.escape, NAMES)):
        text = re.sub(part, " ", text, flags=re.DOTALL)
    text = re.sub(r"(?<=\d) (?=\d{3}\b)", "", text)  # 10 000
    numbers = set(re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", text))
    known = set().union(*(account() for account in ACCOUNTS))
    assert numbers <= known, f"results without an account: {sorted(numbers - known)}"


def test_the_page_of_the_reference_run_is_true(capsys):
    """Its commands can be given, and the sizes it names are the preset's."""
    from bench import studies
    from femnets.cli import invoke

    page = (KEPT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    commands = re.findall(r"^femnets (run .*?)(?:\s*#.*)?$", page, flags=re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        given = [word for word in command.split() if word not in ("--no-report", "--dry-run")]
        assert invoke([*given, "--dry-run"]) == 0, command
        assert "cells to compute" in capsys.readouterr().out
    text = words(page)
    tau, varied = (studies.preset(name, "paper") for name in ("learned_tau", "sensitivity"))
    assert f"are of {tau.samples} samples and {tau.evaluations} evaluations" in text
    assert f"of {varied.samples} samples and {varied.steps} steps" in text
