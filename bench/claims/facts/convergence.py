"""Best approximations of the paper's field: the largest meshes and the p-version."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.arms import MAIN
from bench.claims.facts import Fact
from bench.store.results import Results

FAR = {
    "tets, n = 128": {"element": "N0", "n": 128},
    "tets, n = 256": {"element": "N0", "n": 256},
    "tets, n = 512": {"element": "N0", "n": 512},
    "hexahedra, n = 128": {"element": "hexN0", "n": 128},
    "p-version, order 6, n = 1": {"element": "hexP", "order": 6, "n": 1},
}
MEASURED = {"unknowns": "dofs", "L² error": "l2_error", "s": "seconds", "bytes": "peak_bytes"}


def facts(results: Results) -> Iterator[Fact]:
    """Unknowns, error, seconds and memory, as `TITLE: UNIT`."""
    given = f"given the field {MAIN}; one thread"
    for title, mesh in FAR.items():
        for record in results.select("fem", problem=MAIN, solve=False, **mesh).records[:1]:
            for unit, name in MEASURED.items():
                yield Fact.of(
                    [record], name=f"{title}: {unit}", value=record.values[name], unit=unit,
                    domain="cube", conditions=given,
                )  # fmt: skip
