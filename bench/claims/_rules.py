"""Rules that several claims share: compare two arms over paired seeds, or count runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.claims import Compared, Counted, Finding, NotTested
from bench.statistics import compare_paired, median_ratio
from bench.store.results import Record, Results, pairs

Arm = Mapping[str, Any]

# The paper's mode: 1000 steps of steepest descent on width 50, no bias ordering, on `maxwell`.
PAPER: Arm = {
    "problem": "maxwell",
    "samples": 12_000,
    "optimizer": "steepest",
    "steps": 1000,
    "width": 50,
    "bias_ordering": False,
}


def arm(**settings: Any) -> Arm:
    """An arm of the paper's comparison: its mode with these settings."""
    return {**PAPER, **settings}


def smaller(
    results: Results, metric: str, arm: Arm, than: Arm, command: str, kind: str = "net"
) -> Finding:
    """Is `metric` smaller for `arm` than for the other, over paired seeds?"""
    found = pairs(results.select(kind, **arm), results.select(kind, **than))
    if not found:
        return NotTested(command)
    return compared(found, lambda record: record.values.get(metric), metric)


def compared(
    found: Sequence[tuple[Record, Record]], measure: Callable[[Record], float | None], what: str
) -> Compared:
    """Paired runs, the first of each said to have the smaller measure, in the order of seeds."""
    ordered = sorted(found, key=lambda pair: _seeds(pair[0]))
    a, b = ([measure(pair[side]) for pair in ordered] for side in (0, 1))
    cells = tuple(record.key for pair in ordered for record in pair)
    return Compared(compare_paired(a, b), halves(a, b), cells, what)


def halves(a: Sequence[float | None], b: Sequence[float | None]) -> tuple[float, ...]:
    """The median ratio over the even and the odd pairs, the first half and the second."""
    middle = len(a) // 2
    if not middle:
        return ()
    parts = (slice(0, None, 2), slice(1, None, 2), slice(0, middle), slice(middle, None))
    return tuple(median_ratio(a[part], b[part]) for part in parts)


def _seeds(record: Record) -> tuple[int, int]:
    return record.config.get("seed") or 0, record.config.get("data_seed") or 0


def count(
    results: Results,
    arm: Arm,
    true: Callable[[Record], bool],
    what: Callable[[int, int], str],
    command: str,
    kind: str = "net",
    unit: str = "seeds",
) -> Finding:
    """In how many runs of one arm is something true?"""
    found = results.select(kind, **arm)
    if not len(found):
        return NotTested(command)
    hits = sum(true(record) for record in found)
    return Counted(hits, len(found), found.keys(), what(hits, len(found)), unit)
