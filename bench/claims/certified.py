"""Certificates among results: which fields have bounds, and how these compare with true errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.claims.facts import Fact
from bench.store.results import Results, StoredResult, median

# Of an error. Stored errors come from the rule of `domain_rules`, which has an error of its own: in
# a run of `paper` 118 of 316 certified fields lay outside their bounds by up to 5.3e-3 of the error
# (random features on `helix`); by Gauss rules of 20 and of 28 points per side, which agree, none.
HAIR = 1e-2


def bounded(results: Results) -> list[StoredResult]:
    """Results with a bound of their error and, for comparison, the error itself."""
    return [r for r in results if r.values.get("l2_bound") and r.values.get("l2_error")]


def violated(records: Sequence[StoredResult]) -> list[StoredResult]:
    """Those whose upper bound is below the true error, or whose lower bound is above it."""
    return [
        r
        for r in records
        if r.values["l2_bound"] < (1 - HAIR) * r.values["l2_error"]
        or (r.values["l2_lower_bound"] or 0.0) > (1 + HAIR) * r.values["l2_error"]
    ]


def ratio(record: StoredResult, bound: str = "l2_bound") -> float | None:
    """Bound over true error; None without that bound."""
    value = record.values.get(bound)
    return None if value is None else float(value) / float(record.values["l2_error"])


def certificate_facts(results: Results, domain: str) -> Iterator[Fact]:
    """How many fields are bounded, how many bounds are violated, and how far bounds are off."""
    records = bounded(results)
    if not records:
        return
    fact = Fact(
        name="bounded-fields", value=len(records), unit="fields", domain=domain,
        seeds=len({r.config.get("seed") for r in records}),
        conditions="nets and elements given the equation and boundary data",
        cells=tuple(r.key for r in records),
    )  # fmt: skip
    yield fact
    yield fact.named("violated-bounds", len(violated(records)), "fields")
    yield fact.named("certified-fields", sum(r.values["certified"] for r in records), "fields")
    yield fact.named("bound-ratio", median([ratio(r) for r in records]), "bound over true error")
    own = [value for r in records if (value := ratio(r, "own_l2_bound")) is not None]
    if own:
        yield fact.named("own-bound-ratio", median(own), "bound over true error")
