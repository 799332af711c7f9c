"""Rules that several claims share: compare two arms over paired seeds, or count runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bench.claims import Compared, Counted, Finding, NotTested
from bench.results import Record, Results, pairs
from bench.statistics import compare_paired

Arm = Mapping[str, Any]

# The paper's mode: 1000 steps of steepest descent on width 50, no bias ordering, on `maxwell`.
PAPER: Arm = {
    "problem": "maxwell",
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
    a = [record.values.get(metric) for record, _ in found]
    b = [record.values.get(metric) for _, record in found]
    halves = tuple(
        compare_paired(a[start::2], b[start::2]).ratio if len(a) > 1 else 1.0 for start in (0, 1)
    )
    cells = tuple(record.key for pair in found for record in pair)
    return Compared(compare_paired(a, b), (halves[0], halves[1]), cells, metric)


def count(
    results: Results,
    arm: Arm,
    true: Callable[[Record], bool],
    what: Callable[[int, int], str],
    command: str,
    kind: str = "net",
) -> Finding:
    """In how many runs of one arm is something true?"""
    found = results.select(kind, **arm)
    if not len(found):
        return NotTested(command)
    hits = sum(true(record) for record in found)
    return Counted(hits, len(found), found.keys(), what(hits, len(found)))
