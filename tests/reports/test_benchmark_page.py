"""The benchmark page: targets, limits, peers and load; odd figures do not break it."""

import json

import pytest

from reports.benchmarks import benchmark_document, load_sentence, peers
from reports.benchmarks.saved import read
from reports.document import Picture, Table
from reports.html import render_html


def run(tmp_path, **infos):
    """A saved run of one benchmark per name, with that `extra_info`."""
    entries = [
        {
            "name": name,
            "group": "peers",
            "stats": {"median": 0.5, "iqr": 0.01, "rounds": 5},
            "extra_info": info,
        }
        for name, info in infos.items()
    ]
    document = {
        "datetime": "2026-01-01T00:00:00",
        "commit_info": {"id": "abc"},
        "machine_info": {
            "cpu": {}, "kind": {"cores": 2}, "python_version": "3.11", "versions": {"numpy": "2"},
        },
        "benchmarks": entries,
    }  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    return read(path)


def timed(seconds, error, ours_seconds=1.0, ours_error=1e-3):
    return {
        "seconds": seconds,
        "error": error,
        "ours_seconds": ours_seconds,
        "ours_error": ours_error,
        "ours": "general",
    }


@pytest.mark.parametrize(
    ("seconds", "error", "ahead", "verdict"),
    [
        (4.0, 1e-3, "ours", "ours 4× sooner"),
        (0.5, 1.05e-3, "peer", "peer 2× sooner"),
        (1.02, 5e-3, "ours", "ours 5× closer"),
        (0.1, 1.0, "split", "peer 10× sooner, ours 1000× closer"),
        (0.5, 1e-4, "peer", "peer 2× sooner, peer 10× closer"),
        (1.0, 1e-3, "equal", "equal"),
        (2.0, None, "ours", "ours 2× sooner"),
    ],
)
def test_who_is_ahead_is_said_by_time_and_error(tmp_path, seconds, error, ahead, verdict):
    saved = run(tmp_path, test_fit={"peers": {"other": timed(seconds, error)}})
    (row,) = peers.comparisons(saved.timed)
    assert (row.ahead, row.verdict) == (ahead, verdict)


def test_the_headline_counts_both_sides(tmp_path):
    entries = {"a": timed(4, 1e-3), "b": timed(0.5, 1e-3), "c": timed(0.5, 1.0)}
    page = benchmark_document(run(tmp_path, test_fit={"peers": entries}))
    assert any(
        "ahead in 1 of 3 comparisons and the peer in 1; in 1 one" in line for line in page.abstract
    )
    (section,) = (s for s in page.sections if s.title == "Peers")
    picture = next(b for b in section.blocks if isinstance(b, Picture))
    assert len(picture.draw().axes[0].get_yticklabels()) == 3


def test_a_group_has_one_table_with_the_columns_that_differ(tmp_path):
    saved = run(
        tmp_path,
        **{
            "test_fit[n4]": {"about": "A fit.", "rows": 100, "l2_error": 0.5, "threads": 1},
            "test_fit[n8]": {"about": "A fit.", "rows": 100, "l2_error": 0.25, "threads": 1},
            "test_other": {"rows": 100, "l2_error": 0.1},
        },
    )
    page = benchmark_document(saved)
    (table,) = next(s for s in page.sections if s.title == "All of peers").blocks
    assert isinstance(table, Table)
    assert [(c.title, c.kind) for c in table.columns][2:] == [("l2 error", "error")]
    assert [row[:2] for row in table.rows] == [("fit", "n4"), ("fit", "n8"), ("other", "–")]
    assert "rows 100" in table.caption


def test_the_page_shows_targets_limits_and_load(tmp_path):
    target = {
        "value": 2.58, "low": 2.4, "high": 2.9, "target": 3, "sense": "at least",
        "met": False, "sure": True, "by": 0.86,
    }  # fmt: skip
    info = {
        "cores_busy_elsewhere": 1.9,
        "targets": {"eager over ours": target},
        "limit": {"bound_by": "memory traffic", "share": 0.4, "bandwidth_gb_per_second": 40.0},
    }
    page = benchmark_document(run(tmp_path, test_fit=info))
    titles = [section.title for section in page.sections]
    assert titles == ["Targets", "Kernels and their limits", "What is measured", "All of peers"]
    assert "Targets met in this run: 0 of 1" in page.sections[0].blocks[0].text
    assert page.sections[0].blocks[1].rows[0][-1] == "missed by 1.16×"
    assert page.abstract[0].startswith("**The machine was busy**: 1 of 1")
    assert "0.40 of the limit set by memory traffic" in page.abstract[-1]
    quiet = run(tmp_path, test_fit={"cores_busy_elsewhere": 0.0})
    assert load_sentence(quiet.timed).startswith("**The machine was quiet**")


def test_odd_figures_are_shown_or_left_out(tmp_path):
    odd = {
        "peers": {"x": {"seconds": "soon", "ratio": 3}, "y": 1},
        "targets": {"t": {"by": "a lot", "value": []}},
        "limit": {"share": "half"},
        "cpu_seconds": 3,
        "list": [1, 2],
        "nothing": float("nan"),
    }
    page = render_html(benchmark_document(run(tmp_path, **{"test_<b>": odd})))
    assert "test_&lt;b&gt;" in page
    assert "<b>" not in page
