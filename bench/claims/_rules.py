"""Rules that several claims share: compare two arms over paired seeds, or count runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bench.claims import Compared, Counted, Finding, NotTested
from bench.statistics import compare_paired, median_ratio
from bench.store.results import Record, Results, pairs

Arm = Mapping[str, Any]
Examine = Callable[[Results], Finding]

NAMES = {"resnet": "ResNet", "fractional": "Fractional-DNN"}  # the nets of the paper's Section 7

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
    found: Results, true: Callable[[Record], bool], what: str, command: str, unit: str = "seeds"
) -> Finding:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    if not len(found):
        return NotTested(command)
    hits = sum(true(record) for record in found)
    said = what.format(hits=hits, runs=len(found))
    return Counted(hits, len(found), found.keys(), said, unit)


def is_smaller(metric: str, arm: Arm, than: Arm, command: str, kind: str = "net") -> Examine:
    """The same as what a claim declares: `metric` is smaller for one arm than for the other."""
    return partial(smaller, metric=metric, arm=arm, than=than, command=command, kind=kind)


def is_true_of(
    runs: Callable[[Results], Results],
    true: Callable[[Record], bool],
    what: str,
    command: str,
    unit: str = "runs",
) -> Examine:
    """What a claim declares that should be true of every one of some runs."""
    return lambda results: count(runs(results), true, what, command, unit)


def of_nets(results: Results, nets: Sequence[str], kind: str, **where: Any) -> Results:
    """The cells of several architectures, one architecture after the other."""
    return Results([record for net in nets for record in results.select(kind, net=net, **where)])
