"""From how many queries a surrogate pays: Q* = offline / (solve − query), for a required error.

The solve is the cheapest p-version of the run whose worst L² error over the unseen μ meets the
requirement; a query is one functional. A surrogate meets it if its worst error does; of a net the
median over its seeds, and `failed` counts those that do not. The configuration that pays first
counts. Infinite means never: a query takes as long as a solve. The interval comes from the
quartiles of the times of queries and solves.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from bench.methods.surrogates.names import KINDS
from bench.store.results import Results, StoredResult, median

FAMILY = ("family", "dimension", "contrast")
ERRORS = (1e-2, 1e-3, 1e-4, 1e-6)
Place = tuple[str, int, float]  # family, dimension, contrast


@dataclass(frozen=True)
class BreakEven:
    """One surrogate at one required error, with the solve that it is compared with."""

    place: Place
    required: float
    method: str
    snapshots: int
    steps: int | None  # of a net's training
    error: float
    offline: float
    query: tuple[float, float, float]  # median and quartiles, s
    solve: tuple[float, float, float]
    order: int  # of the solve
    seeds: int
    failed: int  # seeds that do not meet the required error
    cells: tuple[str, ...]

    def _queries(self, solve: float, query: float) -> float:
        return self.offline / (solve - query) if solve > query else inf

    @property
    def queries(self) -> float:
        """Q*."""
        return self._queries(self.solve[0], self.query[0])

    @property
    def interval(self) -> tuple[float, float]:
        return (
            self._queries(self.solve[2], self.query[1]),
            self._queries(self.solve[1], self.query[2]),
        )


def place_of(record: StoredResult) -> Place:
    family, dimension, contrast = (record.config[name] for name in FAMILY)
    return family, dimension, contrast


def times(record: StoredResult) -> tuple[float, float, float]:
    """Seconds of a query for one functional: the median and its quartiles."""
    middle, low, high = (record.values[f"seconds_functional{end}"] for end in ("", "_low", "_high"))
    return middle, low, high


def times_of_all(group: Results) -> tuple[float, float, float]:
    """The same, medians over the seeds of a configuration."""
    middle, low, high = (median(ends) for ends in zip(*map(times, group), strict=True))
    return middle, low, high


def is_net(record: StoredResult) -> bool:
    return KINDS.get(record.config["method"]) == "net"


def solves(results: Results, required: float) -> dict[Place, StoredResult]:
    """By family the cheapest p-version that meets the required error."""
    every = results.select("family_solve", element="hexP")
    able = Results([r for r in every if r.values.get("error_worst", inf) <= required])
    return {
        place: min(found, key=lambda record: times(record)[0])
        for place, found in able.grouped(place_of).items()
    }


def named(record: StoredResult) -> str:
    """A method as tables call it; a net says how its steps are set."""
    method, tau = record.config["method"], record.config["tau"]
    return f"{method}, τ {tau}" if method == "space-net" else str(method)


def but_for_the_seed(record: StoredResult) -> tuple[object, ...]:
    """A configuration, whose seeds are one surrogate."""
    return tuple(sorted((k, str(v)) for k, v in record.config.items() if k != "seed"))


def break_evens(results: Results, required: float) -> list[BreakEven]:
    """By family and method the configuration that pays first."""
    cheapest, made = solves(results, required), []
    for group in results.select("family_surrogate").grouped(but_for_the_seed).values():
        first, errors = group.records[0], group.errors("error_worst")
        solve = cheapest.get(place_of(first))
        if solve is not None and (error := median(errors)) <= required:
            one = BreakEven(
                place_of(first), required, named(first), first.config["snapshots"],
                first.config["steps"] if is_net(first) else None, error,
                median(group.value("seconds_offline")), times_of_all(group), times(solve),
                solve.config["order"], len(group), sum(e > required for e in errors),
                (solve.key, *group.keys()),
            )  # fmt: skip
            made.append(one)
    best: dict[tuple[Place, str], BreakEven] = {}
    for one in sorted(made, key=lambda one: (one.queries, one.offline)):
        best.setdefault((one.place, one.method), one)
    return sorted(best.values(), key=lambda one: (one.place, one.queries, one.method))
