"""The benchmark page: targets, limits, peers and load; odd figures do not break it."""

import json

import pytest

from reports.benchmarks import benchmark_document, compile_benchmarks, load_sentence
from reports.benchmarks.rows import peers


def saved(**infos):
    """A file of one benchmark per name, with that `extra_info`."""
    stats = {"median": 0.5, "iqr": 0.01, "rounds": 5}
    entries = [
        {"name": name, "group": "peers", "stats": stats, "extra_info": info}
        for name, info in infos.items()
    ]
    return {
        "datetime": "2026-01-01T00:00:00",
        "commit_info": {"id": "abc"},
        "machine_info": {
            "cpu": {}, "kind": {"cores": 2}, "python_version": "3.11", "versions": {"numpy": "2"},
        },
        "benchmarks": entries,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "error", "verdict"),
    [
        (4.0, 1e-3, "ours 4× sooner"),
        (0.5, 1.05e-3, "peer 2× sooner"),
        (1.02, 5e-3, "ours 5× closer"),
        (0.1, 1.0, "peer 10× sooner, ours 1000× closer"),
        (0.5, 1e-4, "peer 2× sooner, peer 10× closer"),
        (1.0, 1e-3, "equal"),
        (2.0, None, "ours 2× sooner"),
    ],
)
def test_who_is_ahead_is_said_by_time_and_error(seconds, error, verdict):
    peer = {"seconds": seconds, "error": error, "ours_seconds": 1.0, "ours_error": 1e-3}
    (row,) = peers(saved(test_fit={"peers": {"other": peer}})["benchmarks"])
    assert row["ahead"] == verdict


def test_a_group_has_one_table_with_the_columns_that_differ():
    made = saved(
        **{
            "test_fit[n4]": {"about": "A fit.", "rows": 100, "l2_error": 0.5, "threads": 1},
            "test_fit[n8]": {"about": "A fit.", "rows": 100, "l2_error": 0.25, "threads": 1},
            "test_other": {"about": "A fit.", "rows": 100, "l2_error": 0.1},
        },
    )
    (section,) = benchmark_document(made).sections
    assert section.title == "All of peers"
    table = section.blocks[1]
    assert [(c.title, c.kind) for c in table.columns][2:] == [("l2 error", "error")]
    assert [row[:2] for row in table.rows] == [("fit", "n4"), ("fit", "n8"), ("other", "–")]
    assert "rows 100" in table.caption


def test_the_page_shows_targets_limits_and_load():
    target = {
        "value": 2.58, "low": 2.4, "high": 2.9, "target": 3, "sense": "at least",
        "met": False, "sure": True, "by": 0.86,
    }  # fmt: skip
    info = {
        "cores_busy_elsewhere": 1.9,
        "targets": {"eager over ours": target},
        "limit": {"bound_by": "memory traffic", "share": 0.4, "bandwidth_gb_per_second": 40.0},
    }
    page = benchmark_document(saved(test_fit=info))
    titles = [section.title for section in page.sections]
    assert titles == ["Targets", "Kernels and their limits", "All of peers"]
    assert page.sections[0].blocks[1].rows[0][-1] == "missed by 1.16×"
    assert page.abstract[0].startswith("**The machine was busy**: 1 of 1")
    quiet = saved(test_fit={"cores_busy_elsewhere": 0.0})
    assert load_sentence(quiet["benchmarks"]).startswith("**The machine was quiet**")


def test_odd_figures_are_shown_or_left_out(tmp_path):
    odd = {
        "peers": {"x": {"seconds": "soon", "ratio": 3}, "y": 1},
        "targets": {"t": {"by": "a lot", "value": []}},
        "limit": {"share": "half"},
        "cpu_seconds": 3,
        "list": [1, 2],
        "nothing": float("nan"),
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps(saved(**{"test_<b>": odd})))
    page = compile_benchmarks(path).read_text()
    assert "test_&lt;b&gt;" in page
    assert "<b>" not in page
