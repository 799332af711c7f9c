"""Families of problems: from how many queries does a surrogate pay?

A solve per query is entered at every order, with the tolerance of each required error, so that the
cheapest one that meets the error is found. A surrogate has the order that meets it, and a ladder of
snapshots. Nets are trained with several seeds, in every dimension of the first family at its first
contrast: a net in (x, μ) takes half a minute, and there are some fifty nets in each dimension. Nets
trained on the equation take five minutes each: three seeds, in dimension one alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log10
from typing import Any

from bench.cells import Cell

YIELDS = (
    "error_worst", "error_median", "modes", "seconds_offline", "seconds_functional",
    "seconds_grid", "effectivity_high",
)  # fmt: skip
LADDERS = {1: (2, 3, 4, 6, 8, 12), 2: (8, 16, 24, 40, 64, 100), 4: (64, 128, 256, 500, 860)}
SHORT = {1: (2, 5), 2: (12, 24), 4: (64,)}
MOST_MODES = 120  # of a reduced basis: beyond, its dense system takes as long as a solve
COARSE = {"N0": 4, "N1": 2}  # cells per side


@dataclass(frozen=True)
class Config:
    families: tuple[str, ...] = ("bump", "source", "shifted")
    dimension: tuple[int, ...] = (1, 2, 4)
    contrasts: tuple[float, ...] = (10.0, 1000.0)
    errors: tuple[float, ...] = (1e-2, 1e-3, 1e-4)
    orders: tuple[int, ...] = tuple(range(3, 16))
    methods: tuple[str, ...] = ("rb", "rb-greedy", "chebyshev", "polynomial", "kernel", "features")
    snapshots: tuple[int, ...] = ()
    nets: tuple[str, ...] = ("net", "space-features", "space-net", "equation-net")
    taus: tuple[str, ...] = ("fixed", "learned")
    # Trained on the equation: no verdict hangs on them, and three seeds take a quarter of an hour.
    equation_dimension: tuple[int, ...] = (1,)
    equation_seeds: int = 3
    net_error: float = 1e-2
    net_snapshots: int = 128
    steps: int = 600
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    queries: int = 200
    reference: int = 18
    short: bool = False


PRESETS = {
    "quick": Config(
        families=("bump",),
        dimension=(1, 2),
        contrasts=(10.0,),
        errors=(1e-2, 1e-3),
        orders=(5, 6, 7, 8),
        methods=("rb", "chebyshev", "kernel"),
        nets=("net", "space-net", "equation-net"),
        taus=("fixed",),
        net_snapshots=16,
        steps=15,
        seeds=(0,),
        queries=16,
        reference=12,
        short=True,
    ),
    "paper": Config(),
    "full": Config(
        dimension=(1, 2, 4, 8),
        errors=(1e-2, 1e-3, 1e-4, 1e-6),
        orders=tuple(range(3, 21)),
        net_snapshots=512,
        steps=3000,
        seeds=tuple(range(1100, 1120)),
        reference=22,
    ),
}


def cells(config: Config) -> list[Cell]:
    return [cell for shared in _families(config) for cell in _of_family(config, shared)]


def _families(config: Config) -> Iterator[dict[str, Any]]:
    """Families with their dimensions and contrasts, as far as they have them."""
    from bench.problems.families import REGISTRY

    for name in config.families:
        for dimension in config.dimension:
            if dimension not in REGISTRY.get(name).DIMENSIONS:
                continue
            for contrast in config.contrasts if name == "bump" else config.contrasts[:1]:
                yield {
                    "family": name, "dimension": dimension, "contrast": contrast,
                    "queries": config.queries, "reference": config.reference,
                }  # fmt: skip


def _of_family(config: Config, shared: dict[str, Any]) -> Iterator[Cell]:
    yield Cell("family_solve", {**shared, "element": "none"})
    for element, n in COARSE.items():
        yield Cell("family_solve", {**shared, "element": element, "n": n, "tol": 1e-2})
    for error in config.errors:
        for order in config.orders:
            yield Cell("family_solve", {**shared, "order": order, "tol": error})
        for method in config.methods:
            for snapshots in _ladder(config, shared["dimension"], method):
                yield Cell("family_surrogate", {
                    **shared, **_truth(error, shared["contrast"]), "method": method,
                    "snapshots": snapshots,
                    "modes": MOST_MODES if method.startswith("rb") else 0,
                })  # fmt: skip
    if (shared["family"], shared["contrast"]) == (config.families[0], config.contrasts[0]):
        yield from _nets(config, shared)


def _nets(config: Config, shared: dict[str, Any]) -> Iterator[Cell]:
    for method in config.nets:
        equation = method == "equation-net"
        if equation and shared["dimension"] not in config.equation_dimension:
            continue
        for tau in config.taus if method in ("space-net",) else config.taus[:1]:
            for seed in config.seeds[: config.equation_seeds if equation else None]:
                yield Cell("family_surrogate", {
                    **shared, **_truth(config.net_error, shared["contrast"]), "method": method,
                    "snapshots": config.net_snapshots, "tau": tau, "steps": config.steps,
                    "seed": seed,
                })  # fmt: skip


def _ladder(config: Config, dimension: int, method: str) -> tuple[int, ...]:
    """Numbers of snapshots: few for the greedy choice; a fit by validation holds a fifth out."""
    offered = (SHORT if config.short else LADDERS).get(dimension, (64, 256, 1024))
    least = 5 if method in ("polynomial", "kernel", "features") else 1
    most = 64 if method == "rb-greedy" else 10**6
    return tuple(n for n in config.snapshots or offered if least <= n <= most)


def _truth(error: float, contrast: float) -> dict[str, Any]:
    """The order and tolerance of snapshots that leave a part of the required error."""
    digits = log10(1.0 / error)
    order = round(3 * digits - 1 + max(0.0, log10(contrast / 10.0)))
    return {"order": max(order, 3), "tol": 0.3 * error}
