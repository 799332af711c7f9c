"""Rules that several claims share: compare two arms over paired seeds, or count runs.

What a comparison needs to be decided is in `statistics.py` (`SIGNIFICANCE`, `DECIDING_SEEDS`), how
a finding becomes a verdict in `verdicts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypedDict

import numpy as np

from bench.claims import Compared, Counted, Finding, NotTested
from bench.claims.arms import Arm
from bench.claims.statistics import compare_logs, log_ratios
from bench.measure.medians import median
from bench.store.results import Results, StoredResult, pairs

Examine = Callable[[Results], Finding]


def smaller(
    results: Results, metric: str, arm: Arm, than: Arm, command: str, kind: str = "net"
) -> Finding:
    """Is `metric` smaller for `arm` than for the other, over paired seeds?"""
    found = pairs(results.select(kind, **arm), results.select(kind, **than))
    if not found:
        return NotTested(command)
    return compared(found, lambda record: record.values.get(metric), metric)


def compared(
    found: Sequence[tuple[StoredResult, StoredResult]],
    measure: Callable[[StoredResult], float | None],
    what: str,
) -> Compared:
    """The comparison of `measure` over paired runs."""
    a, b = ([measure(pair[side]) for pair in found] for side in (0, 1))
    cells = tuple(record.key for pair in found for record in pair)
    return compared_values(a, b, [seeds_of(first) for first, _ in found], cells, what)


def compared_values(
    a: Sequence[float | None],
    b: Sequence[float | None],
    seeds: Sequence[tuple[int, int]],
    cells: tuple[str, ...],
    what: str,
) -> Compared:
    """The same from numbers with their (seed, data seed).

    What is independent is a seed. Where seeds are crossed with data sets, a seed's ratio is the
    median over them, and no data set by itself may contradict the others.
    """
    logs = log_ratios(a, b)
    by_seed = _medians(logs, [seed for seed, _ in seeds])
    lost = [sum(value is None or not np.isfinite(value) for value in arm) for arm in (a, b)]
    data = [data_seed for _, data_seed in seeds]
    crossed = len(by_seed) < len(logs)
    parts = (*_halves(by_seed), *(_medians(logs, data) if crossed else ()))
    ratios = tuple(float(np.exp(min(part, 700.0))) for part in parts)
    return Compared(compare_logs(by_seed, *lost), ratios, cells, what)


def _medians(logs: np.ndarray, groups: Sequence[int]) -> np.ndarray:
    """The median of every group, in the order of the groups' names."""
    of = np.asarray(groups)
    return np.array([float(median(logs[of == group])) for group in sorted(set(groups))])


def _halves(logs: np.ndarray) -> tuple[float, ...]:
    """The median over the even and the odd places, the first half and the second."""
    middle = len(logs) // 2
    if not middle:
        return ()
    parts = (slice(0, None, 2), slice(1, None, 2), slice(0, middle), slice(middle, None))
    return tuple(float(median(logs[part])) for part in parts)


def seeds_of(record: StoredResult) -> tuple[int, int]:
    seed, data_seed = record.config.get("seed"), record.config.get("data_seed")
    return (seed if seed is not None else data_seed or 0), data_seed or 0


class Comparing(TypedDict):
    """The fields that a comparing claim declares."""

    compares: bool
    examine: Examine


def is_smaller(metric: str, arm: Arm, than: Arm, command: str, kind: str = "net") -> Comparing:
    """The same as what a claim declares: `metric` is smaller for one arm than for the other."""
    examine = partial(smaller, metric=metric, arm=arm, than=than, command=command, kind=kind)
    return {"compares": True, "examine": examine}


def count(found: Results, true: Callable[[StoredResult], bool], what: str, command: str) -> Finding:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    if not len(found):
        return NotTested(command)
    return counted([true(record) for record in found], found, what)


def counted(true: Sequence[bool], found: Results, what: str) -> Counted:
    """The same for what has been looked at already, record by record."""
    seeds, unit = seeds_and_unit(found)
    hits = sum(true)
    text = what.format(hits=hits, runs=f"{len(found)} {unit}")
    return Counted(hits, len(found), seeds, found.keys(), text, unit)


VARIED = {"tau0": "starts", "net": "nets", "tau": "policies for τ", "hidden": "depths"}


def seeds_and_unit(found: Results) -> tuple[int, str]:
    """How many seeds there are, and what the runs are: `seeds`, or `runs (10 seeds × 3 starts)`."""
    seeds = len({seeds_of(record)[0] for record in found})
    if seeds == len(found):
        return seeds, "seeds"
    varied = [words for name, words in VARIED.items() if len(found.distinct(name)) > 1]
    times, rest = divmod(len(found), seeds)
    what = varied[0] if len(varied) == 1 else "settings"
    return seeds, f"runs ({seeds} seeds × {times} {what})" if not rest else f"runs of {seeds} seeds"


def is_true_of(
    runs: Callable[[Results], Results],
    true: Callable[[StoredResult], bool],
    what: str,
    command: str,
) -> Examine:
    """What a claim declares that should be true of every one of some runs."""
    return lambda results: count(runs(results), true, what, command)
