"""The run as a whole: its cells, its computing time and its largest net."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.facts import Fact
from bench.store.results import Results

NETS = ("net", "tuned_net", "solved_net", "reentrant_net")


def facts(results: Results) -> Iterator[Fact]:
    """`cells`, `core-hours` and `largest-net`."""
    if not len(results):
        return
    every = Fact(
        name="cells", value=len(results), unit="cells", domain="the whole run",
        conditions="all studies", cells=results.keys(),
    )  # fmt: skip
    yield every
    seconds = sum(float(r.provenance.get("seconds") or 0.0) for r in results)
    yield every.named("core-hours", seconds / 3600, "hours over all cells")
    sizes = [int(r.values.get("parameters") or 0) for r in results if r.kind in NETS]
    if sizes:
        yield every.named("largest-net", max(sizes), "parameters")
