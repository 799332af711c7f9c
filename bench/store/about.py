"""What a run says about itself where it is kept: when, by which code, on what machine, with what.

Everything is read off the results, plans and sessions; nothing names a person, a path or a host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from bench.store.files import StoredResult
from bench.store.results import judged_by
from bench.store.survey import Standing, counts


def about(
    run: str,
    standings: Sequence[Standing],
    plans: Mapping[str, Mapping[str, Any]],
    sessions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The provenance of a run as `verdicts.json` keeps it."""
    records = [standing.record for standing in standings if standing.record is not None]
    stories = [record.provenance for record in records]
    return {
        "run": run,
        "presets": sorted({plan["preset"] for plan in plans.values()}),
        "cells": counts(standings),
        "commits": _distinct(story.get("commit") for story in stories),
        "fingerprints": {
            kind: _distinct(record.fingerprint for record in records if record.kind == kind)
            for kind in sorted({record.kind for record in records})
        },
        "machines": _distinct(story.get("machine") for story in stories),
        "versions": _distinct(story.get("versions") for story in stories),
        **_dates(records),
        "cell_seconds": sum(story.get("seconds") or 0.0 for story in stories),
        "cpu_seconds": sum(story.get("cpu_seconds") or 0.0 for story in stories),
        "sessions": [*sessions],
        "seeds": sorted({seed for record in records for seed in judged_by(record)}),
        "studies": {
            study: {name: plan[name] for name in ("preset", "told", "config") if name in plan}
            for study, plan in plans.items()
        },
    }


def _distinct(found: Iterable[Any]) -> list[Any]:
    """Each once, in the order in which they came; dicts cannot be hashed."""
    kept: list[Any] = []
    for value in found:
        if value not in kept:
            kept.append(value)
    return kept


def _dates(records: Sequence[StoredResult]) -> dict[str, str | None]:
    """From the start of the first cell to the end of the last."""
    spans = [
        (datetime.fromisoformat(record.provenance["start"]), record.provenance.get("seconds", 0.0))
        for record in records
        if "start" in record.provenance
    ]
    if not spans:
        return {"first": None, "last": None}
    last = max(start + timedelta(seconds=seconds) for start, seconds in spans)
    return {
        "first": min(start for start, _ in spans).isoformat(timespec="seconds"),
        "last": last.isoformat(timespec="seconds"),
    }
