"""Reports of any subset of a run's cells: what a killed or running run leaves at some moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

MISSING = {"state": "missing", "reason": "not computed yet", "record": None, "failure": None}


@cache
def whole(run: Path) -> Any:
    from reports.context import Run

    return Run.read(run)


@st.composite
def subsets(draw: Any, run: Any) -> Any:
    """The run with cells taken away, kind by kind, study by study and one by one."""
    kinds = draw(st.sets(st.sampled_from(sorted({s.cell.kind for s in run.standings})), min_size=1))
    studies = draw(st.sets(st.sampled_from(sorted(run.plans)), min_size=1))
    # Gaps are among few cells; nearly whole runs take five times as long, and differ little.
    share = draw(st.sampled_from((0.02, 0.05, 0.1, 0.3, 0.8)))
    chance = draw(st.randoms(use_true_random=True))
    standings = [
        s
        if s.cell.kind in kinds and studies & set(s.studies) and chance.random() < share
        else replace(s, **MISSING)
        for s in run.standings
    ]
    return replace(run, standings=standings, plans={name: run.plans[name] for name in studies})


def check_subset(run: Path, draw: Callable[[st.SearchStrategy], Any]) -> None:
    """Every section and figure of it, now and then the files themselves, export and comparison."""
    from bench.claims.comparison import compare
    from bench.store.tables import tables
    from reports.compile import _rendered, build_document
    from reports.faults import noted
    from reports.style import drawn

    part = draw(subsets(whole(run)))
    with noted() as faults:
        document = build_document(part)
        for picture in document.pictures():
            with drawn(picture, text_as_text=True):
                pass
        if not draw(st.integers(0, 9)):
            assert _rendered(document, *draw(st.permutations((True, False))))
    assert not faults
    tables(part.records[:60])
    asdict(compare(part.records, part.records[::2]))
