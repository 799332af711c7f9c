"""Where continuous fields go wrong: a re-entrant edge, by Nédélec elements, nodal elements, nets.

The map of the nets: boundary values at the edge by penalty or built in, rules inside and on the
edge's faces uniform or graded: corners with all seeds, other widths and numbers of points with few.
The remedy: the weak form. The related problems `reentrant3d` and `fichera` with smaller nets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from bench.cells import Cell, paired

RULES = ("uniform", "graded")
YIELDS = (
    "l2_relative", "l2_error", "energy", "training_loss", "fine_loss",
    "coarse_distance", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    uniform: tuple[int, ...] = (2, 4, 8, 16, 32)
    graded: tuple[int, ...] = (2, 4, 8, 16, 32)
    exponent: float = 2.5
    refine: int = 12
    layers: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    # The boundary-value problem by Nédélec elements, up to half a minute: graded tets, layers of
    # bricks of order two and more, and tets on the domain of `fichera`.
    solved: tuple[int, ...] = (4, 8, 16, 32)
    solved_layers: tuple[int, ...] = (1, 2, 3, 4)
    fichera: tuple[int, ...] = (2, 4, 8, 16)
    nodal: tuple[int, ...] = (2, 4, 8, 16)
    weight: float = 1.0
    seeds: tuple[int, ...] = tuple(range(1100, 1112))
    # Seeds of the rest of the map, which is for figures; verdicts use its corners.
    few: tuple[int, ...] = (1100,)
    width: int = 20
    widths: tuple[int, ...] = (10, 40)
    points: int = 648
    clouds: tuple[int, ...] = (162, 2592)  # other numbers of points inside
    relatives: tuple[str, ...] = ("reentrant3d", "fichera")
    evaluations: int = 800


# CPU seconds per cell of `paper`, pilot seeds, a busy machine: a net of width 20 on 648 points 3.5
# (72 + 6 of them), 1.9 and 6.3 of width 10 and 40, 2.3 and 5.9 on 162 and 2592 points (12 each), in
# the weak form 12 (15); reentrant3d 4.1 and 13, fichera 7.5 and 12 in the two forms (6 each);
# elements 60 together, of which N₀ at n = 32 takes 23: about 940 in all, under 16 core-minutes.
PRESETS = {
    "quick": Config(
        uniform=(2, 4, 8),
        graded=(2, 4, 8),
        refine=5,
        layers=(1, 2, 3),
        solved=(2,),
        solved_layers=(1,),
        fichera=(),
        nodal=(3, 6, 12),
        seeds=(0,),
        few=(0,),
        width=10,
        widths=(),
        points=162,
        clouds=(),
        relatives=(),
        evaluations=60,
    ),
    "paper": Config(),
    "full": Config(
        refine=16,
        layers=(1, 2, 3, 4, 5, 6, 7, 8),
        few=tuple(range(1100, 1106)),
        widths=(5, 10, 40),
        points=1296,
        clouds=(162, 648, 5184),
        evaluations=2000,
    ),
}


def cells(config: Config) -> list[Cell]:
    return [*_edge_elements(config), *_nodal(config), *_nets(config)]


def _edge_elements(config: Config) -> list[Cell]:
    """Nédélec elements, which converge: best approximations and the boundary-value problem."""
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
    solved = [common | {"n": n, "grading": config.exponent} for n in config.solved]
    solved += [
        {"problem": "reentrant", "element": "hexP", "order": 2, "n": 1, "layers": k}
        for k in config.solved_layers
    ]
    solved += [{"problem": "fichera", "element": "N0", "n": n} for n in config.fichera]
    found = (*uniform, *graded, *layers, *adaptive, *(s | {"solve": True} for s in solved))
    return [Cell("fem", settings) for settings in found]


def _nodal(config: Config) -> list[Cell]:
    nodal: list[dict[str, Any]] = [
        {"element": "nodalP1", "n": n, "div_exponent": a}
        for n, a in product(config.nodal, (None, config.weight))
        if a is None or n <= 8  # with a weight only a factorisation works
    ]
    edge: list[dict[str, Any]] = [
        {"element": "N0", "n": n, "grading": config.exponent} for n in config.nodal if n <= 8
    ]
    return [Cell("edge_solve", settings) for settings in (*nodal, *edge)]


def _nets(config: Config) -> list[Cell]:
    main = _size(config.width, config.points)
    plans = [
        (_corners(config), [main], config.seeds),
        (_extremes(), _other_sizes(config), config.few),
        ([{"form": "weak"}] if len(config.seeds) > 1 else [], [main], config.few),
        (_freed(), [main], config.seeds),
        (_relatives(config), [main], config.few),
    ]
    return [
        Cell(
            "reentrant_net",
            where | size | {"evaluations": config.evaluations} | paired(seed),
        )
        for wheres, sizes, seeds in plans
        for where, size, seed in product(wheres, sizes, seeds)
    ]


def _size(width: int, points: int) -> dict[str, Any]:
    return {"width": width, "points": points, "boundary_points": max(40, points // 2)}


def _other_sizes(config: Config) -> list[dict[str, Any]]:
    """Width or number of points changed, one at a time; time is read off every curve."""
    widths = [_size(width, config.points) for width in config.widths if width != config.width]
    return widths + [_size(config.width, n) for n in config.clouds if n != config.points]


def _corners(config: Config) -> list[dict[str, Any]]:
    """Corners of the map: boundary values × rule inside × rule at the edge. Built-in values need no
    points at the edge; a map of one seed has fewer corners."""
    return [
        {"boundary": boundary, "inside": inside, "rim": rim}
        for boundary, inside, rim in product(("penalty", "exact"), RULES, RULES)
        if (rim == "uniform" if boundary == "exact" else len(config.seeds) > 1 or inside == rim)
    ]


def _extremes() -> list[dict[str, Any]]:
    """The corners of the map whose two rules are the same."""
    return [
        {"boundary": boundary, "inside": rule, "rim": "uniform" if boundary == "exact" else rule}
        for boundary, rule in product(("penalty", "exact"), RULES)
    ]


def _freed() -> list[dict[str, Any]]:
    """Built-in values in the weak form, with every seed: do they still lead to the wrong field?"""
    return [{"form": "weak", "boundary": "exact"}]


def _relatives(config: Config) -> list[dict[str, Any]]:
    """Problems with f ≠ 0, where the energy is not a sum of squares: two other forms are used."""
    graded = {"inside": "graded", "rim": "graded"}
    return [
        {"problem": problem, "form": form, "boundary": boundary} | (graded if strong else {})
        for problem, (form, strong), boundary in product(
            config.relatives, (("first-order", True), ("weak", False)), ("penalty", "exact")
        )
    ]
