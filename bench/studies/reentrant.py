"""Where continuous fields go wrong: a re-entrant edge, by Nédélec elements, nodal elements, nets.

The map of the nets: boundary values at the edge by penalty or built in, rules inside and on the
edge's faces uniform or graded; its corners with every seed. The remedies: the weight r on the
divergence, and the singular function added, which is told more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from bench.cells import Cell

YIELDS = (
    "l2_relative", "l2_error", "energy", "training_loss", "fine_loss", "held_out_loss",
    "coarse_distance", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    uniform: tuple[int, ...] = (2, 4, 8)
    graded: tuple[int, ...] = (2, 4, 8)
    exponent: float = 2.5
    refine: int = 5
    layers: tuple[int, ...] = (1, 2, 3)
    nodal: tuple[int, ...] = (2, 4, 8)
    weight: float = 1.0
    seeds: tuple[int, ...] = (0,)
    widths: tuple[int, ...] = (10,)
    points: tuple[int, ...] = (162,)
    evaluations: int = 60


PRESETS = {
    "quick": Config(),
    "paper": Config(
        uniform=(2, 4, 8, 16, 32),
        graded=(2, 4, 8, 16),
        refine=12,
        layers=(1, 2, 3, 4, 5, 6),
        nodal=(2, 4, 8, 16),
        seeds=tuple(range(1000, 1012)),
        widths=(20,),
        points=(648,),
        evaluations=800,
    ),
    "full": Config(
        uniform=(2, 4, 8, 16, 32),
        graded=(2, 4, 8, 16, 32),
        refine=16,
        layers=(1, 2, 3, 4, 5, 6, 7, 8),
        nodal=(2, 4, 8, 16),
        seeds=tuple(range(1000, 1012)),
        widths=(10, 20, 40),
        points=(324, 648, 1296),
        evaluations=2000,
    ),
}


def cells(config: Config) -> list[Cell]:
    return [*_edge_elements(config), *_nodal(config), *_nets(config)]


def _edge_elements(config: Config) -> list[Cell]:
    """Nédélec's, which are right: best approximations and the boundary-value problem."""
    common: dict[str, Any] = {"problem": "reentrant", "element": "N0"}
    uniform = [common | {"n": n} for n in config.uniform]
    graded = [common | {"n": n, "grading": config.exponent} for n in config.graded]
    layers: list[dict[str, Any]] = [
        {"problem": "reentrant", "element": "hexP", "order": 1, "n": 1, "layers": k}
        for k in config.layers
    ]
    adaptive = [
        common | {"n": 2, "refine": k, "solve": True} for k in range(2, config.refine + 1, 3)
    ]
    return [Cell("fem", told) for told in (*uniform, *graded, *layers, *adaptive)]


def _nodal(config: Config) -> list[Cell]:
    kinds: list[dict[str, Any]] = [{"element": "nodalP1"}, {"element": "nodalQ", "order": 1}]
    told = [
        kind | {"n": n, "div_exponent": a}
        for kind, n, a in product(kinds, config.nodal, (None, config.weight))
        if a is None or n <= 8  # with a weight only a factorisation is left
    ]
    beside: list[dict[str, Any]] = [
        {"element": "N0", "n": n, "grading": config.exponent} for n in config.nodal if n <= 8
    ]
    return [Cell("edge_solve", settings) for settings in (*told, *beside)]


def _nets(config: Config) -> list[Cell]:
    rules = ("uniform", "graded")
    sizes: list[dict[str, Any]] = [
        {"width": width, "points": points, "boundary_points": max(40, points // 2)}
        for width, points in product(config.widths, config.points)
    ]
    corners: list[dict[str, Any]] = [
        {"boundary": boundary, "inside": inside, "rim": rim}
        for boundary, inside, rim in product(("penalty", "exact"), rules, rules)
        # built-in values need no points at the edge; a small map has fewer corners
        if (rim == "uniform" if boundary == "exact" else len(config.seeds) > 1 or inside == rim)
    ]
    remedies: list[dict[str, Any]] = [
        {"div_exponent": config.weight, "inside": "graded", "rim": "graded"},
        {"singular": True, "inside": "graded", "rim": "graded"},
    ]
    told: dict[str, Any] = {"evaluations": config.evaluations}
    mapped = [
        corner | size | told | {"seed": seed}
        for corner, size, seed in product(corners, sizes, config.seeds)
    ]
    cured = [
        remedy | sizes[0] | told | {"seed": seed}
        for remedy, seed in product(remedies, config.seeds[:3])
    ]
    return [Cell("reentrant_net", settings) for settings in (*mapped, *cured)]
