"""Saved benchmark runs: read with care, compared beyond noise, shown by `femnets benchmark`."""

import json

import pytest

from base.errors import UserError
from femnets.cli import invoke
from reports.benchmarks import benchmark_document, load_sentence
from reports.benchmarks.saved import compare, read


def document(factor=1.0, slower=(), error=0.5, rounds=9, load=0.0):
    entries = [
        {
            "name": f"test_{i}[n4]",
            "fullname": f"bench.py::test_{i}[n4]",
            "group": "fem",
            "stats": {
                "median": 0.1 * factor * (3 if i in slower else 1), "iqr": 1e-3, "rounds": rounds,
            },
            "extra_info": {
                "l2_error": error,
                "cores_busy_elsewhere": load,
                "targets": {
                    "eager over ours": {
                        "value": 2.58, "low": 2.4, "high": 2.9, "target": 3, "sense": "at least",
                        "met": False, "sure": True, "by": 0.86,
                    }
                },
                "limit": {"bound_by": "memory traffic", "share": 0.4,
                          "bandwidth_gb_per_second": 40.0, "product_gflops": 50.0},
                "peers": {"NGSolve": {"version": "6", "seconds": 1.0, "error": 1e-3}},
            },
        }
        for i in range(6)
    ]  # fmt: skip
    return {
        "datetime": "2026-01-01T00:00:00",
        "benchmarks": entries,
        "machine_info": {"kind": {"cores": 2}},
    }


def saved(path, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document(**how)))
    return path


def test_a_slower_machine_is_drift_and_a_slower_function_is_a_change(tmp_path):
    before = read(saved(tmp_path / "a.json"))
    after = read(saved(tmp_path / "b.json", factor=1.5, slower=(2,)))
    found = compare(before, after)
    assert found.drift == pytest.approx(1.5)
    assert [change.name for change in found.changes if change.moved] == ["test_2[n4]"]
    assert found.changes[0].ratio == pytest.approx(3)


def test_few_rounds_tell_only_large_changes(tmp_path):
    before = read(saved(tmp_path / "a.json", rounds=1))
    after = read(saved(tmp_path / "b.json", rounds=1, slower=(1,)))
    changes = compare(before, after).changes
    assert sum(change.moved for change in changes) == 1
    assert changes[0].noise == pytest.approx(0.6)


def test_errors_that_moved_are_listed(tmp_path):
    before, after = read(saved(tmp_path / "a.json")), read(saved(tmp_path / "b.json", error=0.6))
    assert compare(before, after).errors[0][1:] == ("l2_error", 0.5, 0.6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"benchmarks": [1]}',
        '{"benchmarks": [{"name": "x", "stats": {"median": 0, "iqr": 0, "rounds": 1}}]}',
        '{"benchmarks": [{"name": "x", "stats": {"median": "a"}}]}',
        '{"benchmarks": [{"name": "x", "extra_info": 3, "stats": {"median": 1}}]}',
        "[" * 100_000,
        '{"benchmarks": [{"name": "x", "stats": {"median": 1e-300, "iqr": 0, "rounds": 9}}]}',
        '{"benchmarks": [{"name": "x", "stats": {"median": 1, "iqr": 0, "rounds": 1'
        + "0" * 400
        + "}}]}",
        '{"benchmarks": [{"name": "x", "stats": {"median": 1, "iqr": 0, "rounds": 9}, '
        '"extra_info": {"targets": [1]}}]}',
        '{"benchmarks": [{"name": "x", "stats": {"median": 1, "iqr": 0, "rounds": 9}, '
        '"extra_info": {"targets": {"a": "b"}}}]}',
    ],
)
def test_what_is_no_saved_run_gets_one_line(tmp_path, text, capsys):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UserError):
        read(path)
    assert invoke(["benchmark", str(path)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_names_in_a_saved_run_do_not_act_on_the_terminal(tmp_path):
    entry = document()["benchmarks"][0] | {"name": "\x1b[2Jgone", "group": "a\nb"}
    path = tmp_path / "x.json"
    whole = {"benchmarks": [entry], "datetime": "\x1b[2J", "commit_info": {"id": "\x1b[2J"}}
    path.write_text(json.dumps(whole | {"version": float("nan")}))
    found = read(path)
    (timed,) = found.timed.values()
    assert (timed.name, timed.group) == ("\\x1b[2Jgone", "a b")
    assert found.when == found.commit == "\\x1b[2J"


def test_the_command_shows_and_compares(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert invoke(["benchmark"]) == 2
    assert "pytest --benchmark" in capsys.readouterr().err
    saved(tmp_path / ".benchmarks" / "m" / "0001_a.json")
    assert invoke(["benchmark"]) == 0
    assert "missed" in capsys.readouterr().out
    assert invoke(["benchmark", "--compare"]) == 2
    saved(tmp_path / ".benchmarks" / "m" / "0002_b.json", slower=(0,))
    assert invoke(["benchmark", "--compare", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in printed["moved"]] == ["test_0[n4]"]
    assert invoke(["benchmark", "--compare", ".benchmarks/m/0001_a.json"]) == 0
    assert "1 changed beyond noise, 5 did not" in capsys.readouterr().out


def test_the_page_says_targets_limits_peers_load_and_what_moved(tmp_path):
    before, run = (
        read(saved(tmp_path / "a.json")),
        read(saved(tmp_path / "b.json", slower=(3,), load=1.9)),
    )
    page = benchmark_document(run, before)
    titles = [section.title for section in page.sections]
    assert titles == [
        "Targets",
        "Kernels and their limits",
        "Peers",
        "Since the last saved run",
        "What is measured",
        "All of fem",
    ]
    assert "0 of 6 targets were met" in page.sections[0].blocks[0].text
    assert page.sections[0].blocks[1].rows[0][-1] == "missed by 1.16×"
    assert page.abstract[0].startswith("**The machine was busy**: 6 of 6")
    assert load_sentence(list(before.timed.values())).startswith("**The machine was quiet**")
