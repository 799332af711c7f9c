"""Families: the solve that just meets an error, from how many queries each surrogate pays."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from bench.claims.break_even import (
    ERRORS,
    BreakEven,
    Place,
    break_evens,
    but_for_the_seed,
    named,
    place_of,
    solves,
    times,
)
from bench.claims.facts import Fact
from bench.methods.surrogates.names import KINDS
from bench.store.results import Results, StoredResult, median


def facts(results: Results) -> Iterator[Fact]:
    """For every family, dimension and required error."""
    for record in results.select("family_solve", element="none"):
        place = place_of(record)
        yield Fact.of(
            [record], name=f"{_name(place)}-none", value=record.values["error_worst"],
            unit="relative L² error", domain="cube",
            conditions=f"{_words(place)}; the solution for φ = 1 in place of u, worst over unseen "
            "μ",
        )  # fmt: skip
    for (place, method), group in results.select("family_surrogate").grouped(_of_method).items():
        yield from _best(f"{_name(place)}-{_plain(method)}", group, f"{_words(place)}; {method}")
    firsts: list[BreakEven] = []
    for required in ERRORS:
        for place, record in solves(results, required).items():
            yield Fact.of(
                [record], name=f"{_name(place)}-{required:.0e}-solve", value=times(record)[0],
                unit="s", domain="cube",
                conditions=f"{_words(place)}; one p-version solve of order "
                f"{record.config['order']} with a worst relative L² error of at most {required:g}",
            )  # fmt: skip
        pays = [one for one in break_evens(results, required) if isfinite(one.queries)]
        for one in pays:
            yield _queries(one, _plain(one.method))
        first = {one.place: one for one in reversed(pays)}
        for one in first.values():
            yield _queries(one, "first")
        firsts += first.values()
    if firsts:
        yield from _cases(firsts)


def _cases(firsts: list[BreakEven]) -> Iterator[Fact]:
    """Places and required errors at which some surrogate pays, and those where a net is first."""
    cases = Fact(
        name="cases", value=len(firsts), unit="cases", domain="cube", seeds=1,
        cells=tuple(key for one in firsts for key in one.cells),
        conditions="a family, its dimension, its contrast and a required error at which some "
        "surrogate pays",
    )  # fmt: skip
    yield cases
    nets = [one for one in firsts if KINDS.get(one.method.partition(",")[0]) == "net"]
    yield cases.named("cases-net-first", len(nets), "cases")


def _of_method(record: StoredResult) -> tuple[Place, str]:
    return place_of(record), named(record)


def _plain(method: str) -> str:
    return method.replace(", τ ", "-")


def _best(name: str, group: Results, words: str) -> Iterator[Fact]:
    """The configuration with the smallest worst error, of nets the median over seeds."""
    settings = group.grouped(but_for_the_seed).values()
    best = min(settings, key=lambda seeds: median(seeds.errors("error_worst")))
    error = Fact.of(
        best, name=f"{name}-error", value=median(best.errors("error_worst")),
        unit="relative L² error", domain="cube", conditions=f"{words}, worst over unseen μ",
    )  # fmt: skip
    yield error
    for suffix in ("offline", "functional"):
        yield error.named(f"{name}-{suffix}", median(best.value(f"seconds_{suffix}")), "s")


def _queries(one: BreakEven, which: str) -> Fact:
    low, high = one.interval
    return Fact(
        name=f"{_name(one.place)}-{one.required:.0e}-{which}-queries", value=one.queries,
        unit="queries", domain="cube", seeds=one.seeds, cells=one.cells,
        conditions=f"{_words(one.place)}; {one.method} from {one.snapshots} "
        f"snapshots, worst relative L² error {one.error:.1e}, one functional per query, against "
        f"solves of order {one.order}; interval {low:.3g} to {high:.3g}",
    )  # fmt: skip


def _name(place: Place) -> str:
    family, dimension, contrast = place
    return f"{family}-{dimension}-{contrast:g}"


def _words(place: Place) -> str:
    family, dimension, contrast = place
    return f"family {family}, {dimension} parameters, contrast {contrast:g}"
