"""Families: the solve that just meets an error, from how many queries each surrogate pays."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from bench.claims.break_even import (
    ERRORS,
    BreakEven,
    Place,
    break_evens,
    place_of,
    solves,
    times,
)
from bench.claims.facts import Fact
from bench.store.results import Results


def facts(results: Results) -> Iterator[Fact]:
    """For every family, dimension and required error."""
    for record in results.select("family_solve", element="none"):
        yield Fact(
            name=f"{_name(place_of(record))}-none", value=record.values["error_worst"],
            unit="relative L² error", domain="cube", conditions=f"{_words(place_of(record))}; the "
            "solution for φ = 1 in place of u, worst over unseen μ", cells=(record.key,),
        )  # fmt: skip
    for required in ERRORS:
        for place, record in solves(results, required).items():
            yield Fact(
                name=f"{_name(place)}-{required:.0e}-solve", value=times(record)[0], unit="s",
                domain="cube", cells=(record.key,),
                conditions=f"{_words(place)}; one p-version solve of order "
                f"{record.config['order']} with a worst relative L² error of at most {required:g}",
            )  # fmt: skip
        pays: dict[Place, BreakEven] = {}
        for one in break_evens(results, required):
            if isfinite(one.queries):
                pays.setdefault(one.place, one)
                yield _queries(f"{_name(one.place)}-{required:.0e}-{_slug(one.method)}", one)
        for place, one in pays.items():
            yield _queries(f"{_name(place)}-{required:.0e}-first", one)


def _queries(name: str, one: BreakEven) -> Fact:
    low, high = one.interval
    return Fact(
        name=f"{name}-queries", value=one.queries, unit="queries", domain="cube", seeds=one.seeds,
        cells=one.cells, conditions=f"{_words(one.place)}; {one.method} from {one.snapshots} "
        f"snapshots, worst relative L² error {one.error:.1e}, one functional per query, against "
        f"solves of order {one.order}; interval {low:.3g} to {high:.3g}",
    )  # fmt: skip


def _name(place: Place) -> str:
    family, dimension, contrast = place
    return f"{family}-{dimension}-{contrast:g}"


def _slug(method: str) -> str:
    return method.replace(", τ ", "-")


def _words(place: Place) -> str:
    family, dimension, contrast = place
    return f"family {family}, {dimension} parameters, contrast {contrast:g}"
