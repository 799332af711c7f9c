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
    is_net,
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
    nets: list[BreakEven] = []
    for required in ERRORS:
        for place, record in solves(results, required).items():
            yield Fact.of(
                [record], name=f"{_name(place)}-{required:.0e}-solve", value=times(record)[0],
                unit="s", domain="cube",
                conditions=f"{_words(place)}; one p-version solve of order "
                f"{record.config['order']} with a worst relative L² error of at most {required:g}",
            )  # fmt: skip
        able = break_evens(results, required)
        nets += [one for one in able if _by_a_net(one)]
        pays = [one for one in able if isfinite(one.queries)]
        for one in pays:
            yield from _queries(one, _plain(one.method))
        first = {one.place: one for one in reversed(pays)}
        for one in first.values():
            yield from _queries(one, "first")
        firsts += first.values()
    if firsts:
        yield from _cases(results, firsts, nets)


def _cases(results: Results, firsts: list[BreakEven], nets: list[BreakEven]) -> Iterator[Fact]:
    """Places and required errors at which some surrogate pays; those where a net was trained, where
    it meets the error, where it pays, and where it pays first."""
    cases = Fact(
        name="cases", value=len(firsts), unit="cases", domain="cube", seeds=1,
        cells=tuple(key for one in firsts for key in one.cells),
        conditions="a family, its dimension, its contrast and a required error at which some "
        "surrogate pays",
    )  # fmt: skip
    yield cases
    trained = {place_of(r) for r in results.select("family_surrogate") if is_net(r)}
    met = {(one.place, one.required) for one in nets}
    paid = {(one.place, one.required) for one in nets if isfinite(one.queries)}
    counts = {
        "with-net": sum(one.place in trained for one in firsts),
        "net-meets": sum((one.place, one.required) in met for one in firsts),
        "net-pays": sum((one.place, one.required) in paid for one in firsts),
        "net-first": sum(map(_by_a_net, firsts)),
    }
    for name, count in counts.items():
        yield cases.named(f"cases-{name}", count, "cases")


def _by_a_net(one: BreakEven) -> bool:
    return KINDS.get(one.method.partition(",")[0]) == "net"


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


def _queries(one: BreakEven, which: str) -> Iterator[Fact]:
    """The number of queries, and what was spent before the first."""
    low, high = one.interval
    name = f"{_name(one.place)}-{one.required:.0e}-{which}"
    trained = f" in {one.steps} steps" if one.steps else ""
    failed = f" ({one.failed} of {one.seeds} seeds do not meet it)" if one.seeds > 1 else ""
    queries = Fact(
        name=f"{name}-queries", value=one.queries, unit="queries", domain="cube", seeds=one.seeds,
        cells=one.cells,
        conditions=f"{_words(one.place)}; {one.method} from {one.snapshots} snapshots{trained}, "
        f"worst relative L² error {one.error:.1e}{failed}, one functional per query, against "
        f"solves of order {one.order}; interval {low:.3g} to {high:.3g}",
    )  # fmt: skip
    yield queries
    yield queries.named(f"{name}-offline", one.offline, "s")
    yield queries.named(f"{name}-snapshots", one.snapshots, "snapshots")
    if one.steps:
        yield queries.named(f"{name}-steps", one.steps, "steps")
        yield queries.named(f"{name}-failed", one.failed, "seeds")


def _name(place: Place) -> str:
    family, dimension, contrast = place
    return f"{family}-{dimension}-{contrast:g}"


def _words(place: Place) -> str:
    family, dimension, contrast = place
    return f"family {family}, {dimension} parameters, contrast {contrast:g}"
