"""The paper's nets by steepest descent: the smallest median error on the cube, and of which net."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.arms import ANY_ORDERING, NAMES
from bench.claims.facts import Fact
from bench.store.results import Results, StoredResult


def facts(results: Results) -> Iterator[Fact]:
    """`best-net`, under the conditions that name it, and of how many nets it is the best."""
    nets = results.select("net", **ANY_ORDERING).grouped(_title)
    medians = {title: group.median() for title, group in nets.items()}
    known = {title: median for title, median in medians.items() if median is not None}
    if known:
        best = min(known, key=lambda title: known[title])
        error = Fact.of(
            nets[best], name="best-net", value=known[best], unit="L² error", domain="cube",
            conditions=best,
        )  # fmt: skip
        yield error
        yield error.named("nets", len(known), "nets")


def _title(record: StoredResult) -> str:
    config = record.config
    ordering = ", bias ordering" if config["bias_ordering"] else ""
    name = NAMES.get(config["net"], config["net"])
    return f"{name} {config['hidden']}-{config['width']}, τ {config['tau']}{ordering}"
