"""Certificates by the distance from a reference: a p- or hp-solution that has one itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError
from bench.methods.boundary_value import boundary_value_data
from bench.methods.certificates.residuals import recovered
from bench.methods.finite_elements import Discretisation
from bench.problems import Array, Problem

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate
    from fem.rules.quadrature import Quadrature, Rule

ORDER = 12  # of the reference on one brick, where u is smooth
# layers of the reference at a singular edge, tried in this order, on the cube (fast) and elsewhere
CUBE_LAYERS, LAYERS = (4, 8), (2, 3)
MOST_POINTS = 200_000  # of a mesh, for comparisons
CLOSE = 0.2  # a reference is good enough if its own bound is below this share of the distance


@lru_cache(maxsize=8)
def reference(problem: Problem, layers: int | None) -> tuple[Any, Certificate]:
    """A solution by hexP, in layers towards a singular edge, and its certificate; u is not used."""
    from fem.boundary_value import solve_boundary_value
    from fem.elements.hex_p import ELEMENT

    order = ORDER if layers is None else None
    chosen = Discretisation(element=ELEMENT.name, n=1, order=order, layers=layers, solve=True)
    chosen.check(problem)
    solution = solve_boundary_value(
        boundary_value_data(problem), **chosen.place(problem), **chosen.options
    )
    return solution, recovered(solution, problem)


def by_reference(field: Any, problem: Problem) -> Certificate:
    """|‖u − v‖ − ‖w − v‖| ≤ B(w) for a reference w with the bound B(w) (maths 12.5)."""
    depths: tuple[int | None, ...] = CUBE_LAYERS if problem.domain.structured else LAYERS
    for layers in (None,) if problem.smooth else depths:
        found = _compared(field, problem, layers)
        if found.doubt or found.parts["reference"] <= CLOSE * found.parts["distance"]:
            break  # more layers settle no quadrature that these do not
    return found


def _compared(field: Any, problem: Problem, layers: int | None) -> Certificate:
    from fem.certificates.certificate import Certificate, doubts
    from fem.certificates.settling import settle

    if problem.domain.geometry(problem.natural).rules is None:
        raise UserError(
            f"no reference is proved on {problem.domain.name}, so none is compared with"
        )
    of_it = reference(problem, layers)[1]
    rooted = of_it.energy_bound is not None and (hasattr(field, "curl") or hasattr(field, "jets"))

    def compute(level: int) -> dict[str, float]:
        return _distances(field, problem, layers, level, rooted)

    def apart(norms: dict[str, float]) -> dict[str, float]:
        return {name: norms[name] for name in ("l2", "energy") if name in norms}

    with np.errstate(all="ignore"):
        found = settle(compute, apart)
    high = {name: value + _bound(of_it, name) for name, value in found.bounds.items()}
    low = {
        name: max(0.0, 2 * found.result[name] - found.bounds[name] - _bound(of_it, name))
        for name in found.bounds
    }
    return Certificate(
        method="reference",
        l2_bound=high["l2"],
        l2_lower_bound=low["l2"],
        energy_bound=high.get("energy"),
        energy_lower_bound=low.get("energy"),
        norm=found.result["value"],
        energy_norm=found.result.get("energy_norm"),
        parts={"distance": found.result["l2"], "reference": _bound(of_it, "l2")},
        constants=of_it.constants,
        change=found.change,
        levels=found.levels,
        doubt=doubts({}, found.unsettled, found.change, of_it.doubt),
        no_energy=None if rooted else of_it.no_energy or "no energy bound: the field has no curl",
    )


def _bound(of_it: Certificate, name: str) -> float:
    bound = of_it.l2_bound if name == "l2" else of_it.energy_bound
    assert bound is not None
    return bound


def _distances(
    field: Any, problem: Problem, layers: int | None, level: int, rooted: bool
) -> dict[str, float]:
    """‖w − v‖, ‖v‖ and, with `rooted`, both in the energy norm, by the rule of a level."""
    total = dict.fromkeys(("l2", "value", *(("energy", "energy_norm") if rooted else ())), 0.0)
    for piece, w, curl_w in _pieces(field, problem, layers, level):
        x = piece.points
        v = np.asarray(field(x))
        rests = {"l2": w - v, "value": v}
        if rooted:
            root, c = np.sqrt(problem.phi(x)), _curl(field, x)
            rests |= {"energy": root * (curl_w - c), "energy_norm": root * c}
        for name, rest in rests.items():
            total[name] += float(piece.weights @ (rest**2).sum(axis=0))
    return {name: float(np.sqrt(value)) for name, value in total.items()}


def _pieces(
    field: Any, problem: Problem, layers: int | None, level: int
) -> Iterator[tuple[Rule, Array, Array]]:
    """A rule with the values and the curl of the reference: the Gauss points of an element's own
    cells, where it is smooth, and the domain's rule for all other fields."""
    rule = _cell_rule(field, problem, level)
    if rule is None:
        yield _tabulated(problem, layers, level)
        return
    if len(rule) > MOST_POINTS:
        raise UserError("this mesh has too many cells for a comparison with a reference")
    solution, _ = reference(problem, layers)
    for piece in rule.chunks():
        yield piece, solution(piece.points), solution.curl(piece.points)


def _cell_rule(field: Any, problem: Problem, level: int) -> Quadrature | None:
    from fem.rules.on_mesh import on_mesh

    space = getattr(field, "space", None)
    mesh = getattr(getattr(space, "complex", space), "mesh", None)  # nodal elements have a complex
    if hasattr(mesh, "t"):
        return on_mesh(mesh, level + 1, problem.singular_edge)
    if isinstance(n := getattr(space, "n", None), int):
        return problem.domain.gauss_rule(n, "tet", 2 * level, problem.singular_edges)
    return None


@lru_cache(maxsize=6)
def _tabulated(problem: Problem, layers: int | None, level: int) -> tuple[Rule, Array, Array]:
    """The domain's rule of a level with the values and the curl of the reference."""
    geometry = problem.domain.geometry(problem.natural)
    assert geometry.rules is not None
    rule = geometry.rules(level, problem.singular_edge).volume
    solution, _ = reference(problem, layers)
    return rule, solution(rule.points), solution.curl(rule.points)


def _curl(field: Any, x: Array) -> Array:
    from fem.certificates.jets import curl

    return curl(field.jets(x, "first")) if hasattr(field, "jets") else np.asarray(field.curl(x))
