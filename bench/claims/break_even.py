"""From how many queries a surrogate pays: Q* = offline / (solve − query), for a required error.

The solve is the cheapest p-version of the run whose worst L² error over the unseen μ meets the
requirement; a query is one functional. A surrogate meets it if its worst error does; of a net the
median over its seeds. Infinite means never: a query takes as long as a solve. The interval comes
from the quartiles of the times of queries and solves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

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
    error: float
    offline: float
    query: tuple[float, float, float]  # median and quartiles, s
    solve: tuple[float, float, float]
    order: int  # of the solve
    seeds: int
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


def solves(results: Results, required: float) -> dict[Place, StoredResult]:
    """By family the cheapest p-version that meets the required error."""
    found: dict[Place, StoredResult] = {}
    for record in results.select("family_solve", element="hexP"):
        if _meets(record.values.get("error_worst"), required):
            best = found.get(place_of(record))
            if best is None or times(record)[0] < times(best)[0]:
                found[place_of(record)] = record
    return found


def _meets(error: float | None, required: float) -> bool:
    return error is not None and error <= required


def named(record: StoredResult) -> str:
    """A method as tables call it; a net says how its steps are set."""
    method, tau = record.config["method"], record.config["tau"]
    return f"{method}, τ {tau}" if method == "space-net" else str(method)


def groups(results: Results) -> dict[tuple[object, ...], list[StoredResult]]:
    """Surrogates that differ by their seed alone."""
    found: dict[tuple[object, ...], list[StoredResult]] = defaultdict(list)
    for record in results.select("family_surrogate"):
        rest = tuple(sorted((k, str(v)) for k, v in record.config.items() if k != "seed"))
        found[rest].append(record)
    return found


def break_evens(results: Results, required: float) -> Iterator[BreakEven]:
    """By family and method the configuration that pays first."""
    cheapest = solves(results, required)
    best: dict[tuple[Place, str], BreakEven] = {}
    for records in groups(results).values():
        first = records[0]
        place, solve = place_of(first), cheapest.get(place_of(first))
        error = median([r.values.get("error_worst") for r in records])
        if solve is None or not _meets(error, required):
            continue
        made = BreakEven(
            place, required, named(first), first.config["snapshots"], error,
            median([r.values["seconds_offline"] for r in records]), times(first), times(solve),
            solve.config["order"], len(records), (solve.key, *(r.key for r in records)),
        )  # fmt: skip
        known = best.get((place, made.method))
        if known is None or (made.queries, made.offline) < (known.queries, known.offline):
            best[place, made.method] = made
    yield from sorted(best.values(), key=lambda one: (one.place, one.queries, one.method))
