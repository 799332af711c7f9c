"""What moved between two runs: errors, rates and times as ratios with their spread, verdicts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any

from bench.cells import is_timing, label_of
from bench.measure.medians import median
from bench.measure.rates import observed_rate
from bench.store.files import StoredResult
from bench.store.reproduced import is_error

SAME = 1e-9  # relative: below it, rounding on another machine
FARTHEST = (1e-300, 1e300)  # ratios of what a float can still hold


@dataclass(frozen=True)
class Ratios:
    """One value over all cells of a kind that both runs have: b / a, median and spread."""

    kind: str
    value: str
    cells: int
    moved: int
    median: float
    low: float  # quartiles
    high: float
    worst: float  # farthest from 1
    worst_cell: str


@dataclass(frozen=True)
class Rate:
    """The order of convergence over the two finest meshes that both runs have."""

    series: str
    value: str
    a: float
    b: float


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side. `only_a` and `only_b` count cells that the other lacks."""

    common: int
    only_a: int
    only_b: int
    states: list[tuple[str, str, str]]  # cells that are done in one and diverged in the other
    errors: list[Ratios]
    times: list[Ratios]
    rates: list[Rate]
    verdicts: list[tuple[str, str, str, str]]  # that differ: claim, in a, in b, from both together

    def document(self) -> dict[str, Any]:
        return asdict(self)


def compare(a: Iterable[StoredResult], b: Iterable[StoredResult]) -> Comparison:
    """Compares finished cells of the same key."""
    ours, theirs = ({record.key: record for record in records} for records in (a, b))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    return Comparison(
        common=len(pairs),
        only_a=len(ours) - len(pairs),
        only_b=len(theirs) - len(pairs),
        states=[(_label(x), x.state, y.state) for x, y in pairs if x.state != y.state],
        errors=ratios(pairs, is_error),
        times=ratios(pairs, is_seconds),
        rates=rates(pairs),
        verdicts=verdicts(list(ours.values()), list(theirs.values())),
    )


def is_seconds(kind: str, name: str) -> bool:
    return "seconds" in name and is_timing(kind, name)


def _label(record: StoredResult) -> str:
    return label_of(record.kind, record.config)


def ratios(
    pairs: Sequence[tuple[StoredResult, StoredResult]], wanted: Callable[[str, str], bool]
) -> list[Ratios]:
    """b / a of every wanted value, by kind; only where both are positive numbers."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for x, y in pairs:
        for name, value in x.values.items():
            other = y.values.get(name)
            if wanted(x.kind, name) and _positive(value) and _positive(other):
                ratio = min(max(other / value, FARTHEST[0]), FARTHEST[1])
                found[x.kind, name].append((ratio, _label(x)))
    return [_summary(kind, name, ratio) for (kind, name), ratio in sorted(found.items())]


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _summary(kind: str, name: str, found: list[tuple[float, str]]) -> Ratios:
    values = [ratio for ratio, _ in found]
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    worst, cell = max(found, key=lambda pair: abs(math.log(pair[0])))
    moved = sum(abs(ratio - 1) > SAME for ratio in values)
    return Ratios(kind, name, len(values), moved, median(values), low, high, worst, cell)


def rates(pairs: Sequence[tuple[StoredResult, StoredResult]]) -> list[Rate]:
    """Orders of convergence of every series of meshes that differ in n only."""
    series: dict[str, list[tuple[StoredResult, StoredResult]]] = defaultdict(list)
    for x, y in pairs:
        if "n" in x.config and _positive(x.values.get("h")):
            rest = {name: value for name, value in x.config.items() if name != "n"}
            series[label_of(x.kind, rest)].append((x, y))
    found = []
    for name, members in sorted(series.items()):
        if len(members) < 2:
            continue
        coarse, fine = sorted(members, key=lambda pair: pair[0].config["n"])[-2:]
        for value in ("l2_error", "hcurl_error"):
            a, b = (
                observed_rate(x.values, y.values, value) for x, y in zip(coarse, fine, strict=True)
            )
            if a is not None and b is not None:
                found.append(Rate(name, value, a, b))
    return found


def verdicts(a: list[StoredResult], b: list[StoredResult]) -> list[tuple[str, str, str, str]]:
    """Claims on which the two runs do not agree, with the verdict of all their cells together.

    If the runs have disjoint seeds and contradict each other, the last one says so: it depends on
    the seed.
    """
    from bench.claims import ledger
    from bench.store.results import Results

    union = {record.key: record for record in (*a, *b)}
    ledgers = [ledger(Results(list(records))) for records in (a, b, union.values())]
    return [
        (x.claim.name, in_full(x.verdict, x.standing), in_full(y.verdict, y.standing), both.verdict)
        for x, y, both in zip(*ledgers, strict=True)
        if (x.verdict, x.standing) != (y.verdict, y.standing)
    ]


def in_full(verdict: str, standing: str) -> str:
    """holds (confirmed)"""
    return f"{verdict} ({standing})" if standing else verdict


def verdicts_of(records: Iterable[StoredResult]) -> list[dict[str, Any]]:
    """The ledger of a run as `verdicts.json` keeps it."""
    from bench.claims import ledger
    from bench.store.results import Results

    return [entry.document() for entry in ledger(Results(list(records)))]


def kept_verdicts(
    a: Sequence[Mapping[str, Any]], b: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str, str, str]]:
    """The same of two kept ledgers; without the cells they cannot be read together."""
    return [
        (name, x, y, "contradict each other" if contradict else "")
        for name, x, y, contradict in _both(a, b)
        if x != y
    ]


@dataclass(frozen=True)
class Agreement:
    """Two ledgers: what both have tested, and where they do not say the same.

    The same are verdicts of one status: 5 of 12 seeds and 6 of 12 both *depend* on the seed.
    """

    tested: int
    same: int
    contradictions: list[tuple[str, str, str]]  # claim, in a, in b: one holds, the other does not
    differing: list[tuple[str, str, str]]  # decided in one of them only


def agreement_of(a: Sequence[Mapping[str, Any]], b: Sequence[Mapping[str, Any]]) -> Agreement:
    """Of the claims that both ledgers have tested; a run of one study tests few of them."""
    tested = [{e["name"] for e in side if e["status"] != "not tested yet"} for side in (a, b)]
    rows = [row for row in _both(a, b) if row[0] in tested[0] & tested[1]]
    status = [{entry["name"]: entry["status"] for entry in side} for side in (a, b)]
    same = {name for name, *_ in rows if status[0][name] == status[1][name]}
    return Agreement(
        tested=len(rows),
        same=len(same),
        contradictions=[(name, x, y) for name, x, y, contradict in rows if contradict],
        differing=[
            (name, x, y) for name, x, y, against in rows if name not in same and not against
        ],
    )


def _both(
    a: Sequence[Mapping[str, Any]], b: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, str, bool]]:
    """Claim, verdict in a, verdict in b, and whether they contradict each other."""
    ours, theirs = ({entry["name"]: entry for entry in entries} for entries in (a, b))
    for name in dict.fromkeys((*ours, *theirs)):
        sides = [side[name] for side in (ours, theirs) if name in side]
        x, y = (
            in_full(side[name]["verdict"], side[name]["standing"]) if name in side else "no entry"
            for side in (ours, theirs)
        )
        yield name, x, y, {"holds", "does not hold"} <= {entry["status"] for entry in sides}
