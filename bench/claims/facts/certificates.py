"""Certificates: bounds of the error against the error itself, by kind of method."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.certified import bounded, ratio, violated
from bench.claims.facts import Fact
from bench.store.results import Results, StoredResult, median

KINDS = {
    "trained": ("solved_net", "reentrant_net"),
    "untrained": ("untrained_net",),
    "elements": ("fem", "edge_solve"),
}


def by_method(results: Results) -> dict[str, list[StoredResult]]:
    """Fields with a bound and a known error: trained nets, untrained nets, elements."""
    found = {name: [r for k in kinds for r in results.select(k)] for name, kinds in KINDS.items()}
    return {name: group for name, r in found.items() if (group := bounded(Results(r)))}


def facts(results: Results) -> Iterator[Fact]:
    """Counts, ratios of bound to error and seconds, as `all-…`, `trained-…`, `untrained-…` and
    `elements-…`."""
    groups = by_method(results)
    for name, group in groups.items():
        yield from _about(name, group)
    if groups:
        yield from _about("all", [record for group in groups.values() for record in group])


def _about(name: str, group: list[StoredResult]) -> Iterator[Fact]:
    fields = Fact.of(
        group, name=f"{name}-fields", value=len(group), unit="fields",
        domain="domains of all fields", conditions="given the equation and boundary data, never u",
    )  # fmt: skip
    yield fields
    refused = [r for r in group if not r.values["certified"]]
    yield fields.named(f"{name}-violated", len(violated(group)), "fields")
    yield fields.named(f"{name}-refused", len(refused), "fields")
    for suffix, bound in (("ratio", "l2_bound"), ("own-ratio", "own_l2_bound")):
        known = [value for r in group if (value := ratio(r, bound)) is not None]
        if known:
            fact = fields.named(f"{name}-{suffix}", median(known), "bound over true error")
            yield fact
            yield fields.named(f"{name}-{suffix}-largest", max(known), fact.unit)
    for suffix, clock in (("seconds", "seconds_certificate"), ("solve-seconds", "seconds")):
        if None not in (times := Results(group).value(clock)):
            yield fields.named(f"{name}-{suffix}", median(times), "s")
