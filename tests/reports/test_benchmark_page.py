"""The benchmark page: who is ahead, tables with the columns that differ, nothing that a file can
say breaks it."""

import json

import pytest

from reports.benchmarks import benchmark_document, peers
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
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"benchmarks": entries, "machine_info": {"cpu": "odd"}}))
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
    (row,) = peers.found(list(saved.timed.values()))
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


def test_a_table_has_the_columns_that_differ(tmp_path):
    saved = run(
        tmp_path,
        **{
            "test_fit[n4]": {"about": "A fit.", "rows": 100, "l2_error": 0.5, "threads": 1},
            "test_fit[n8]": {"about": "A fit.", "rows": 100, "l2_error": 0.25, "threads": 1},
            "test_other": {"l2_error": 0.1},
        },
    )
    page = benchmark_document(saved)
    fit, other = next(s for s in page.sections if s.title == "All of peers").blocks
    assert isinstance(fit, Table)
    assert [c.title for c in fit.columns][4:] == ["l2 error"]
    assert [row[0] for row in fit.rows] == ["n4", "n8"]
    assert fit.caption == "Fit. A fit. In all rows: rows 100."
    assert [row[0] for row in other.rows] == ["–"]


def test_odd_figures_are_shown_or_left_out(tmp_path):
    odd = {
        "peers": {"x": {"seconds": "soon", "ratio": 3}, "y": 1},
        "targets": {"t": {"by": "a lot", "value": []}},
        "limit": {"share": "half"},
        "cpu_seconds": 3,
        "list": [1, 2],
    }
    page = render_html(benchmark_document(run(tmp_path, **{"test_<b>": odd})))
    assert "test_&lt;b&gt;" in page
    assert "<b>" not in page
