"""Reports of any subset of a run's cells: what a killed or running run leaves at some moment."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

MISSING = {"state": "missing", "reason": "not computed yet", "record": None, "failure": None}


def read(run: Path) -> Any:
    from reports.context import Run

    return Run.read(run)


def subset(run: Any, draw: random.Random) -> Any:
    """The run with cells taken away: one by one, kind by kind, study by study, or nearly all."""
    way = draw.choice(("density", "density", "kinds", "studies", "few", "one kind, few"))
    kinds = sorted({s.cell.kind for s in run.standings})
    kept_kinds = set(draw.sample(kinds, draw.randrange(1, len(kinds) + 1)))
    studies = sorted(run.plans)
    kept_studies = set(draw.sample(studies, draw.randrange(1, len(studies) + 1)))
    # Gaps are among few cells; nearly whole runs take five times as long, and differ little.
    density = draw.choice((0.0, 0.02, 0.02, 0.05, 0.05, 0.1, 0.1, 0.2, 0.3, 0.5, 0.8))
    one = {draw.choice(kinds)}
    few = set(map(id, draw.sample(list(run.standings), min(4, len(run.standings)))))

    def keeps(standing: Any) -> bool:
        kind = standing.cell.kind
        if way == "density":
            return draw.random() < density
        if way == "kinds":
            return kind in kept_kinds and draw.random() < max(density, 0.3)
        if way == "studies":
            return bool(kept_studies & set(standing.studies)) and draw.random() < max(density, 0.1)
        if way == "few":
            return id(standing) in few
        return kind in one and draw.random() < 0.2

    standings = [s if keeps(s) else replace(s, **MISSING) for s in run.standings]
    plans = {k: v for k, v in run.plans.items() if way != "studies" or k in kept_studies}
    return replace(run, standings=standings, plans=plans)


def compiled(run: Any, draw: random.Random) -> list[str]:
    """Every section and figure of it, now and then the files themselves; what went wrong."""
    from reports.compile import _html, _pdf, build_document
    from reports.faults import noted
    from reports.style import drawn

    with noted() as faults:
        document = build_document(run)
        for picture in document.pictures():
            with drawn(picture, text_as_text=True):
                pass
        if draw.random() < 0.05:
            _html(document)
        if draw.random() < 0.03:
            _pdf(document)
        with without_pictures():
            _html(document)
        return list(faults)


@contextmanager
def without_pictures() -> Iterator[None]:
    """They were drawn already; saving them is nine tenths of the page's time."""
    from reports import html
    from reports.svg import Drawing, Inline

    nothing = Inline("<svg></svg>", {"panels": [], "series": []}), Drawing(b"<svg></svg>", ())
    with patch.object(html, "inline_svg", lambda block, behind: nothing):
        yield


def others(run: Any, draw: random.Random) -> None:
    """Export and comparison of what is there."""
    from bench.claims.comparison import compare
    from bench.store.tables import tables

    records = list(run.records)
    if len(records) < 60:
        tables(records)
    half = [record for record in records if draw.random() < 0.7]
    asdict(compare(records, half))
