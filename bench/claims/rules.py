"""Findings that several claims share: compare two arms over paired seeds, count seeds, check.

Each raises `Missing` if it has no cells. Comparisons are checked by the rules of
`admissibility.py`; how a finding becomes a verdict is in `verdicts.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from bench.claims import admissibility
from bench.claims.arms import Arm
from bench.claims.domains import domain_of
from bench.claims.findings import (
    Checked,
    Compared,
    Counted,
    Finding,
    Missing,
    Refusal,
    need,
)
from bench.claims.statistics import SIGNIFICANCE, Comparison, log_ratios
from bench.store.results import Results, StoredResult, pairs

Examine = Callable[[Results], Finding]
Pairs = Sequence[tuple[StoredResult, StoredResult]]
Key = TypeVar("Key", bound=Hashable)
Part = TypeVar("Part")


def smaller(
    metric: str,
    rows: Mapping[str, tuple[Arm, Arm]],
    along: str = "the net",
    kind: str = "net",
) -> Examine:
    """What a claim declares: by setting, `metric` is smaller for the one arm than for the other."""

    def examine(results: Results) -> Finding:
        def compare(row: str) -> Compared:
            return compared(pairs(*(results.select(kind, **arm) for arm in rows[row])), metric)

        return tabled(over(rows, compare), metric, along)

    return examine


def over(settings: Iterable[Key], find: Callable[[Key], Part]) -> dict[Key, Part]:
    """The findings of those settings that have cells."""
    parts = {}
    for setting in settings:
        with suppress(Missing):
            parts[setting] = find(setting)
    return parts


def compared(found: Pairs, metric: str) -> Compared:
    """The comparison of a value over paired runs."""
    rows = [(seed_of(a), a.values.get(metric), b.values.get(metric)) for a, b in need(found)]
    cells = tuple(record.key for pair in found for record in pair)
    where = domain_of(metric, str(found[0][0].config.get("problem", "")))
    return paired(rows, cells, metric, where, refusal_of(found, metric))


def refusal_of(found: Pairs, metric: str) -> Refusal | None:
    """The first rule that one of the pairs breaks."""
    for pair in found:
        curves = [(r.values.get(metric), r.arrays.get(f"curve_{metric}")) for r in pair]
        refused = admissibility.first_broken(
            [
                *(("interior", admissibility.tuned_inside(record)) for record in pair),
                *(("end", admissibility.end(*curve)) for curve in curves),
                ("information", admissibility.information(*pair)),
            ]
        )
        if refused:
            return refused
    return None


def paired(
    rows: Sequence[tuple[int, float | None, float | None]],
    cells: tuple[str, ...],
    what: str,
    domain: str = "",
    refused: Refusal | None = None,
) -> Compared:
    """The comparison of numbers a and b, in rows (seed, a, b).

    What is independent is a seed. Where seeds are crossed with data sets or with the settings of
    a table, a seed's log-ratio is the mean over them.
    """
    seeds, a, b = zip(*need(rows), strict=True)
    logs = log_ratios(a, b)
    by_seed = {seed: _mean(logs[np.array(seeds) == seed]) for seed in {*seeds}}
    lost_a, lost_b = (sum(e is None or not np.isfinite(e) for e in arm) for arm in (a, b))
    return Compared(by_seed, cells, what, domain, (lost_a, lost_b), refused=refused)


def _mean(logs: np.ndarray) -> float:
    """The mean; of opposite infinite values 0."""
    ends = {float(value) for value in logs if np.isinf(value)}
    return 0.0 if len(ends) > 1 else float(logs.mean())


def tabled(table: Mapping[str, Compared], what: str, along: str) -> Compared:
    """One comparison over the settings of a table, by the seeds that all of them have.

    Settings that a rule refuses are listed and left out; if all are, so is the claim.
    """
    admitted = [part for part in table.values() if part.refused is None]
    used = need(admitted or [*table.values()])
    seeds = need(set.intersection(*({*part.by_seed} for part in used)))
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


def without_one(pooled: Compared) -> dict[str, Comparison]:
    """The comparison over all settings of a table but one, by that one; refused ones never count,
    and with fewer than three nothing is pooled."""
    parts = {name: part for name, part in pooled.table.items() if part.refused is None}
    if len(parts) < 3:
        return {}
    return {
        name: tabled({o: parts[o] for o in parts if o != name}, "", "").comparison for name in parts
    }


def deciding_alone(pooled: Compared) -> str | None:
    """The setting of a table without which the others together are not decided, or decided the
    other way; None if there is none."""
    below = pooled.comparison.ratio < 1
    for name, rest in without_one(pooled).items():
        if rest.p_value >= SIGNIFICANCE or (rest.ratio < 1) != below:
            return name
    return None


def seed_of(record: StoredResult) -> int:
    """The seed of a result; without one that of its data."""
    seed = record.config.get("seed")
    return int(record.config.get("data_seed") or 0) if seed is None else int(seed)


def numbers(record: StoredResult, *names: str) -> list[float]:
    """Values of a result; NaN, for which no comparison is true, where a diverged run has none."""
    found = (record.values.get(name) for name in names)
    return [math.nan if value is None else float(value) for value in found]


def count(found: Results, true: Callable[[StoredResult], bool], what: str) -> Counted:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    by_seed: dict[int, bool] = {}
    hits = [bool(true(record)) for record in need(found)]
    for record, hit in zip(found, hits, strict=True):
        by_seed[seed_of(record)] = hit and by_seed.get(seed_of(record), True)
    text = what.format(hits=sum(hits), runs=f"{len(found)} {unit_of(found)}")
    return Counted(sum(by_seed.values()), len(by_seed), found.keys(), text)


def both(*table: tuple[str, Counted]) -> Counted:
    """A claim of several parts that are counted: as true as the part that is least often true."""
    parts = dict(table)
    least = min(parts.values(), key=lambda part: part.true / part.seeds)
    cells = tuple(dict.fromkeys(key for part in parts.values() for key in part.cells))
    return replace(least, cells=cells, what="; ".join(p.what for p in parts.values()), table=parts)


VARIED = {"tau0": "starts", "net": "nets", "tau": "policies for τ", "hidden": "depths"}


def unit_of(found: Results) -> str:
    """What the runs are: `seeds`, or `runs (10 seeds × 3 starts)`."""
    seeds = len({seed_of(record) for record in found})
    if seeds == len(found):
        return "seeds"
    varied = [words for name, words in VARIED.items() if len(found.distinct(name)) > 1]
    times, rest = divmod(len(found), seeds)
    what = varied[0] if len(varied) == 1 else "settings"
    return f"runs ({seeds} seeds × {times} {what})" if not rest else f"runs of {seeds} seeds"


def checked(
    true: bool,
    found: Results,
    numbers: Sequence[float],
    what: str = "",
    by: Callable[[Sequence[float]], float] = max,
    **more: Any,
) -> Checked:
    """A check by the largest (or another) of some numbers, with their range."""
    ends = (min(numbers), max(numbers))
    return Checked(true, found.keys(), what, effect=by(numbers), interval=ends, **more)


def checked_over(
    table: Mapping[str, Checked],
    along: str,
    what: str = "",
    domain: str = "",
    refused: Refusal | None = None,
) -> Checked:
    """One check over the settings of a table: true if it is for all of them."""
    parts = need([*table.values()])
    effects = [part.effect for part in parts if part.effect is not None]
    details = "; ".join(f"{name}: {part.what}" for name, part in table.items() if part.what)
    return Checked(
        all(part.true for part in parts),
        tuple(dict.fromkeys(key for part in parts for key in part.cells)),
        what or details,
        domain,
        max(effects, default=None),
        (min(effects), max(effects)) if effects else None,
        min(part.seeds for part in parts),
        along=along,
        table=table,
        refused=refused,
    )
