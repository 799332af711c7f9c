"""Best approximations of the paper's field: the largest meshes and the p-version."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.arms import MAIN
from bench.claims.facts import Fact
from bench.store.results import Results

# Title, configuration and sizes.
FAR = (
    ("tets", {"element": "N0"}, (128, 256, 512)),
    ("hexahedra", {"element": "hexN0"}, (128,)),
    ("p-version, order 6", {"element": "hexP", "order": 6}, (1,)),
)
MEASURED = {"unknowns": "dofs", "L² error": "l2_error", "s": "seconds", "bytes": "peak_bytes"}


def facts(results: Results) -> Iterator[Fact]:
    """Unknowns, error, seconds and memory, as `TITLE, n = N: UNIT`."""
    for title, config, sizes in FAR:
        for n in sizes:
            found = results.select("fem", problem=MAIN, solve=False, n=n, **config)
            for record in found.records[:1]:
                for unit, value in MEASURED.items():
                    yield Fact(
                        name=f"{title}, n = {n}: {unit}",
                        value=record.values[value],
                        unit=unit,
                        domain="cube",
                        conditions=f"given the field {MAIN}; one thread",
                        cells=(record.key,),
                    )
