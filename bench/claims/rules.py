"""Rules that several claims share: compare two arms over paired seeds, or count runs.

How a finding becomes a verdict is in `verdicts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypedDict

import numpy as np

from bench.claims import Compared, Counted, Finding, NotTested
from bench.claims.arms import Arm
from bench.claims.statistics import log_ratios
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
    domain: str = "",
) -> Compared:
    """The same from numbers with their (seed, data seed).

    What is independent is a seed. Where seeds are crossed with data sets or with the settings of
    a table, a seed's log-ratio is the mean over them.
    """
    logs, of = log_ratios(a, b), np.array([seed for seed, _ in seeds])
    by_seed = {seed: _mean(logs[of == seed]) for seed in {*of.tolist()}}
    lost_a, lost_b = (sum(e is None or not np.isfinite(e) for e in arm) for arm in (a, b))
    return Compared(by_seed, cells, what, domain, (lost_a, lost_b))


def _mean(logs: np.ndarray) -> float:
    """The mean; of opposite infinite values 0."""
    ends = {float(value) for value in logs if np.isinf(value)}
    return 0.0 if len(ends) > 1 else float(logs.mean())


def tabled(parts: Mapping[str, Finding], what: str, along: str, command: str) -> Finding:
    """One comparison over the settings of a table that have data, by the seeds of all of them.

    Settings that a rule refuses are listed and left out; if all are, so is the claim.
    """
    table = {name: part for name, part in parts.items() if isinstance(part, Compared)}
    admitted = [part for part in table.values() if part.refused is None]
    used = admitted or [*table.values()]
    if not used:
        return NotTested(command)
    seeds = set.intersection(*({*part.by_seed} for part in used))
    return Compared(
        {seed: _mean(np.array([part.by_seed[seed] for part in used])) for seed in seeds},
        tuple(key for part in table.values() for key in part.cells),
        what,
        " and ".join(dict.fromkeys(part.domain for part in used if part.domain)),
        (sum(part.lost[0] for part in used), sum(part.lost[1] for part in used)),
        along,
        table,
        None if admitted else used[0].refused,
    )


def seeds_of(record: StoredResult) -> tuple[int, int]:
    seed, data_seed = record.config.get("seed"), record.config.get("data_seed")
    return (seed if seed is not None else data_seed or 0), data_seed or 0


class Comparing(TypedDict):
    """The fields that a comparing claim declares."""

    family: str
    examine: Examine


def is_smaller(
    metric: str, arm: Arm, than: Arm, command: str, kind: str = "net", family: str = "training"
) -> Comparing:
    """The same as what a claim declares: `metric` is smaller for one arm than for the other."""
    examine = partial(smaller, metric=metric, arm=arm, than=than, command=command, kind=kind)
    return {"family": family, "examine": examine}


def count(found: Results, true: Callable[[StoredResult], bool], what: str, command: str) -> Finding:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    if not len(found):
        return NotTested(command)
    return counted([true(record) for record in found], found, what)


def counted(true: Sequence[bool], found: Results, what: str, domain: str = "") -> Counted:
    """The same for what has been looked at already, record by record."""
    by_seed: dict[int, bool] = {}
    for record, hit in zip(found, true, strict=True):
        seed = seeds_of(record)[0]
        by_seed[seed] = bool(hit) and by_seed.get(seed, True)
    text = what.format(hits=sum(true), runs=f"{len(found)} {seeds_and_unit(found)[1]}")
    return Counted(sum(by_seed.values()), len(by_seed), found.keys(), text, domain)


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
