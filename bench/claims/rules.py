"""Findings that several claims share: compare two arms over paired seeds, or count seeds.

Comparisons are checked by the rules of `admissibility.py`; how a finding becomes a verdict is in
`verdicts.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

import numpy as np

from bench.claims import Checked, Compared, Counted, Finding, NotTested, Refusal, admissibility
from bench.claims.arms import Arm
from bench.claims.domains import domain_of
from bench.claims.statistics import log_ratios
from bench.store.results import Results, StoredResult, pairs

Examine = Callable[[Results], Finding]
Pairs = Sequence[tuple[StoredResult, StoredResult]]


def smaller(
    results: Results, metric: str, arm: Arm, than: Arm, command: str, kind: str = "net"
) -> Finding:
    """Is `metric` smaller for `arm` than for the other, over paired seeds?"""
    found = pairs(results.select(kind, **arm), results.select(kind, **than))
    return compared(found, metric) if found else NotTested(command)


def compared(found: Pairs, metric: str) -> Compared:
    """The comparison of a value over paired runs."""
    a, b = ([pair[side].values.get(metric) for pair in found] for side in (0, 1))
    cells = tuple(record.key for pair in found for record in pair)
    where = domain_of(metric, str(found[0][0].config.get("problem", "")))
    seeds = [seeds_of(first) for first, _ in found]
    return compared_values(a, b, seeds, cells, metric, where, refusal_of(found, metric))


def refusal_of(found: Pairs, metric: str) -> Refusal | None:
    """The first rule that one of the pairs breaks."""
    for pair in found:
        complaints = {"information": admissibility.information(*pair)}
        for record in pair:
            chosen, grid = record.values.get("chosen"), admissibility.grid_of(record)
            if chosen and grid:
                wrong = admissibility.interior(chosen, grid, admissibility.NATURAL, record.kind)
                complaints["interior"] = complaints.get("interior") or wrong
            curve = record.arrays.get(f"curve_{metric}")
            wrong = admissibility.end(record.values.get(metric), curve)
            complaints["end"] = complaints.get("end") or wrong
        if refused := admissibility.first_broken(complaints):
            return refused
    return None


def compared_values(
    a: Sequence[float | None],
    b: Sequence[float | None],
    seeds: Sequence[tuple[int, int]],
    cells: tuple[str, ...],
    what: str,
    domain: str = "",
    refused: Refusal | None = None,
) -> Compared:
    """The same from numbers with their (seed, data seed).

    What is independent is a seed. Where seeds are crossed with data sets or with the settings of
    a table, a seed's log-ratio is the mean over them.
    """
    logs, of = log_ratios(a, b), np.array([seed for seed, _ in seeds])
    by_seed = {seed: _mean(logs[of == seed]) for seed in {*of.tolist()}}
    lost_a, lost_b = (sum(e is None or not np.isfinite(e) for e in arm) for arm in (a, b))
    return Compared(by_seed, cells, what, domain, (lost_a, lost_b), refused=refused)


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
    seeds = set.intersection(*({*part.by_seed} for part in used)) if used else set()
    if not seeds:
        return NotTested(command)
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


class Tested(TypedDict):
    """The fields of a claim that is tested over seeds."""

    family: str
    examine: Examine


def is_smaller(
    metric: str,
    rows: Mapping[str, tuple[Arm, Arm]],
    command: str,
    *,
    along: str = "the net",
    kind: str = "net",
    family: str = "training",
) -> Tested:
    """What a claim declares: by setting, `metric` is smaller for the one arm than for the other."""

    def examine(results: Results) -> Finding:
        parts = {
            name: smaller(results, metric, *arms, command, kind) for name, arms in rows.items()
        }
        return tabled(parts, metric, along, command)

    return {"family": family, "examine": examine}


def count(found: Results, true: Callable[[StoredResult], bool], what: str, command: str) -> Finding:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    if not len(found):
        return NotTested(command)
    return counted([true(record) for record in found], found, what)


def counted(true: Sequence[bool], found: Results, what: str) -> Counted:
    """The same for what has been looked at already, record by record."""
    by_seed: dict[int, bool] = {}
    for record, hit in zip(found, true, strict=True):
        seed = seeds_of(record)[0]
        by_seed[seed] = bool(hit) and by_seed.get(seed, True)
    text = what.format(hits=sum(true), runs=f"{len(found)} {unit_of(found)}")
    return Counted(sum(by_seed.values()), len(by_seed), found.keys(), text)


def both(parts: Mapping[str, Finding], command: str) -> Finding:
    """A claim of several parts that are counted: as true as the part that is least often true."""
    table = {name: part for name, part in parts.items() if isinstance(part, Counted)}
    if len(table) < len(parts):
        return NotTested(command)
    least = min(table.values(), key=lambda part: part.true / part.seeds)
    cells = tuple(dict.fromkeys(key for part in table.values() for key in part.cells))
    return replace(least, cells=cells, what="; ".join(p.what for p in table.values()), table=table)


VARIED = {"tau0": "starts", "net": "nets", "tau": "policies for τ", "hidden": "depths"}


def unit_of(found: Results) -> str:
    """What the runs are: `seeds`, or `runs (10 seeds × 3 starts)`."""
    seeds = len({seeds_of(record)[0] for record in found})
    if seeds == len(found):
        return "seeds"
    varied = [words for name, words in VARIED.items() if len(found.distinct(name)) > 1]
    times, rest = divmod(len(found), seeds)
    what = varied[0] if len(varied) == 1 else "settings"
    return f"runs ({seeds} seeds × {times} {what})" if not rest else f"runs of {seeds} seeds"


def is_true_of(
    runs: Callable[[Results], Results],
    true: Callable[[StoredResult], bool],
    what: str,
    command: str,
    family: str = "training",
) -> Tested:
    """What a claim declares that should be true of all runs of most seeds."""
    return {
        "family": family,
        "examine": lambda results: count(runs(results), true, what, command),
    }


def checked_over(
    parts: Mapping[str, Finding],
    what: str,
    along: str,
    command: str,
    domain: str = "",
    refused: Refusal | None = None,
) -> Finding:
    """One check over the settings of a table that have data: true if it is for all of them."""
    table = {name: part for name, part in parts.items() if isinstance(part, Checked)}
    if not table:
        return NotTested(command)
    effects = [part.effect for part in table.values() if part.effect is not None]
    details = "; ".join(f"{name}: {part.what}" for name, part in table.items() if part.what)
    return Checked(
        all(part.true for part in table.values()),
        tuple(dict.fromkeys(key for part in table.values() for key in part.cells)),
        what or details,
        domain,
        max(effects, default=None),
        (min(effects), max(effects)) if effects else None,
        min(part.seeds for part in table.values()),
        along=along,
        table=table,
        refused=refused,
    )
