"""Where the numbers come from: machines, versions, and every cell that is not what it should be."""

from __future__ import annotations

from collections import Counter

from bench.measure.load import BUSY_CORES
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table, Value
from reports.formatting import show
from reports.tables import split

TITLE = "Environment and state of the run"
ORDER = 90
NAMED = 3  # cells of a group that are named


def contents(run: Run) -> list[Block]:
    refused = [
        Paragraph(f"Study {study} is left out: {why}.") for study, why in run.refused.items()
    ]
    return [Paragraph(_states(run)), *refused, *_load(run), *_gaps(run), *_provenance(run)]


def _load(run: Run) -> list[Block]:
    """How long the run took, and what else the machine did meanwhile."""
    known = [s for s in run.sessions if s["other_cores"] is not None]
    seconds = sum(s["seconds"] for s in known)
    if not seconds:
        return []
    cores = sum(s["seconds"] * s["other_cores"] for s in known) / seconds
    parts = "one stretch" if len(known) == 1 else f"{len(known)} stretches"
    return [
        Paragraph(
            f"Computed in {parts} of {show(seconds, 'seconds')} together. Other processes took "
            f"{cores:.2f} cores meanwhile"
            + ("." if cores <= BUSY_CORES else ": seconds may be longer than on an idle machine.")
        )
    ]


def _gaps(run: Run) -> list[Block]:
    """Cells that are not what they should be, alike ones in one row with a few of their names."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for s in run.standings:
        if s.state not in ("done", "diverged"):
            groups.setdefault((", ".join(s.studies), s.state, s.reason), []).append(s.cell.label)
    if not groups:
        return []
    rows: list[tuple[Value, ...]] = [
        (*group, len(labels), "; ".join(labels[:NAMED]) + ("; …" if len(labels) > NAMED else ""))
        for group, labels in groups.items()
    ]
    heads = (*map(Column, ("study", "state", "reason")), Column("cells", "count"), Column("which"))
    return [Table("gaps", "Cells that failed, are missing or stale (other code).", heads, rows)]


def _states(run: Run) -> str:
    tally = Counter(s.state for s in run.standings)
    if not tally:
        return "No study has been planned in this run."
    counts = ", ".join(f"{number} {state}" for state, number in sorted(tally.items()))
    text = f"Planned cells (one computation each): {sum(tally.values())}; {counts}."
    if set(tally) - {"done", "diverged"}:
        text += f" `{run.mends} --only missing,failed,stale` computes them again."
    damaged = sum(s.damaged for s in run.standings)
    if damaged:
        text += f" Damaged on disk and left out: {damaged}."
    return text


def _provenance(run: Run) -> list[Block]:
    """One row for every distinct environment; what all of them share is in the caption."""
    places = Counter(tuple(sorted(_flat(r.provenance).items())) for r in run.records)
    if not places:
        return []
    known = [dict(place) for place in places]
    common, differing = split(known)
    shared = ", ".join(f"{name} {value}" for name, value in common.items())
    if not differing:
        return [Paragraph(f"All results were computed with {shared}.")]
    rows = [
        (cells, *(place.get(name) for name in differing))
        for cells, place in zip(places.values(), known, strict=True)
    ]
    columns = [Column("cells", "count"), *map(Column, differing)]
    caption = f"The environments that the results were computed in. All: {shared}."
    return [Table("environment", caption, columns, rows)]


# What differs from cell to cell says nothing about the environment.
PER_CELL = {"start", "started", "seconds", "cpu_seconds", "peak_bytes", "seed", "process",
            "other_cores"}  # fmt: skip


def _flat(provenance: object, prefix: str = "") -> dict[str, str]:
    if not isinstance(provenance, dict):
        return {prefix: str(provenance)}
    found: dict[str, str] = {}
    for name, value in provenance.items():
        if name not in PER_CELL:
            found |= _flat(value, f"{prefix} {name}".strip())
    return found
