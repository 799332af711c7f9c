"""Certificates by the distance from a reference: a p- or hp-solution that has one itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError
from bench.methods.boundary_value import boundary_value_data
from bench.methods.certificates.residuals import recovered
from bench.methods.certificates.unseen import as_far, random_points
from bench.methods.finite_elements import Discretisation
from bench.problems import Array, Problem

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate
    from fem.rules.quadrature import Quadrature, Rule

ORDER = 12  # of the reference on one brick, where u is smooth
# layers of the reference at a singular edge, tried in this order: on the cube (fast), on other
# domains, and there with data that do not change along the edge
CUBE_LAYERS, LAYERS, UNCHANGING_LAYERS = (4, 8), (2, 3), (3,)
SAMPLED, SHIFT = 256, 0.37  # points at which data are compared along the edge, and how far apart
MOST_POINTS = 200_000  # of a mesh, for comparisons
CLOSE = 0.2  # a reference is good enough if its own bound is below this share of the distance


@lru_cache(maxsize=8)
def reference(problem: Problem, layers: int | None) -> tuple[Any, Certificate]:
    """A solution by hexP, in layers towards a singular edge, and its certificate; u is not used."""
    from fem.boundary_value import solve_boundary_value
    from fem.elements.hex_p import ELEMENT

    order = ORDER if layers is None else (1 if unchanging(problem) else None)
    chosen = Discretisation(element=ELEMENT.name, n=1, order=order, layers=layers, solve=True)
    chosen.check(problem)
    solution = solve_boundary_value(
        boundary_value_data(problem), **chosen.place(problem), **chosen.options
    )
    return solution, recovered(solution, problem)


@lru_cache(maxsize=8)
def unchanging(problem: Problem) -> bool:
    """Whether no data change along the singular edge of a prism with natural ends, by sampling.

    Then order 1 along the edge loses nothing. A wrong answer makes a bound larger, not wrong.
    """
    if not problem.natural or problem.domain.structured:
        return False
    data = boundary_value_data(problem, whole_trace=True)
    inside, rim = problem.domain.sample(SAMPLED, 0), problem.domain.sample_boundary(SAMPLED, 0)
    ends = abs(rim.normal[2]) > 0.5
    sides, caps = (rim.x[:, ~ends], rim.normal[:, ~ends]), (rim.x[:, ends], rim.normal[:, ends])
    assert data.natural is not None
    pairs: list[tuple[Array, Array | float]] = [
        (data.f(inside), data.f(_shifted(inside))),
        (problem.phi(inside), problem.phi(_shifted(inside))),
        (problem.rho(inside), problem.rho(_shifted(inside))),
        (data.g(*sides), data.g(_shifted(sides[0]), sides[1])),
        (data.natural.normal(*caps), 0.0),
        (data.natural.curl(*caps), 0.0),
    ]
    return all(np.allclose(here, there, rtol=0.0, atol=1e-12) for here, there in pairs)


def _shifted(x: Array) -> Array:
    """The same points at another height."""
    return np.stack([x[0], x[1], (x[2] + SHIFT) % 1.0])


def _depths(problem: Problem) -> tuple[int | None, ...]:
    if problem.smooth:
        return (None,)
    if problem.domain.structured:
        return CUBE_LAYERS
    return UNCHANGING_LAYERS if unchanging(problem) else LAYERS


def by_reference(field: Any, problem: Problem) -> Certificate:
    """|‖u − v‖ − ‖w − v‖| ≤ B(w) for a reference w with the bound B(w) (maths 12.5)."""
    for layers in _depths(problem):
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
    certificate = Certificate(
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
    if _has_cells(field):  # polynomials there, which the rule of the cells integrates
        return certificate
    there = np.asarray(field(random_points(problem))) - _at_random_points(problem, layers)
    return as_far(certificate, there, problem)


@lru_cache(maxsize=4)
def _at_random_points(problem: Problem, layers: int | None) -> Array:
    return np.asarray(reference(problem, layers)[0](random_points(problem)))


def _bound(of_it: Certificate, name: str) -> float:
    bound = of_it.l2_bound if name == "l2" else of_it.energy_bound
    assert bound is not None
    return bound


def _distances(
    field: Any, problem: Problem, layers: int | None, level: int, rooted: bool
) -> dict[str, float]:
    """‖w − v‖, ‖v‖ and, with `rooted`, both in the energy norm, by the rule of a level."""
    total = dict.fromkeys(("l2", "value", *(("energy", "energy_norm") if rooted else ())), 0.0)
    for piece, w, curl_w in _pieces(field, problem, layers, level, rooted):
        x = piece.points
        v = np.asarray(field(x))
        rests = {"l2": w - v, "value": v}
        if rooted:
            assert curl_w is not None
            root, c = np.sqrt(problem.phi(x)), _curl(field, x)
            rests |= {"energy": root * (curl_w - c), "energy_norm": root * c}
        for name, rest in rests.items():
            total[name] += float(piece.weights @ (rest**2).sum(axis=0))
    return {name: float(np.sqrt(value)) for name, value in total.items()}


def _pieces(
    field: Any, problem: Problem, layers: int | None, level: int, rooted: bool
) -> Iterator[tuple[Rule, Array, Array | None]]:
    """A rule with the values and, if `rooted`, the curl of the reference: the Gauss points of an
    element's own cells, where it is smooth, and the domain's rule for all other fields."""
    rule = _cell_rule(field, problem, level)
    if rule is None:
        yield _tabulated(problem, layers, level, rooted)
        return
    if len(rule) > MOST_POINTS:
        raise UserError("this mesh has too many cells for a comparison with a reference")
    solution, _ = reference(problem, layers)
    for piece in rule.chunks():
        x = piece.points
        yield piece, solution(x), solution.curl(x) if rooted else None


def _cell_rule(field: Any, problem: Problem, level: int) -> Quadrature | None:
    from fem.rules.on_mesh import on_mesh

    mesh, n = _cells(field)
    if mesh is not None:
        return on_mesh(mesh, level + 1, problem.singular_edge)
    if n is not None:
        return problem.domain.gauss_rule(n, "tet", 2 * level, problem.singular_edges)
    return None


def _has_cells(field: Any) -> bool:
    return _cells(field) != (None, None)


def _cells(field: Any) -> tuple[Any, int | None]:
    """The mesh of an element solution, or the number of cells per side of the cube."""
    space = getattr(field, "space", None)
    mesh = getattr(getattr(space, "complex", space), "mesh", None)  # nodal elements have a complex
    n = getattr(space, "n", None)
    return mesh if hasattr(mesh, "t") else None, n if isinstance(n, int) else None


@lru_cache(maxsize=6)
def _tabulated(
    problem: Problem, layers: int | None, level: int, rooted: bool
) -> tuple[Rule, Array, Array | None]:
    """The domain's rule of a level with the values and the curl of the reference."""
    geometry = problem.domain.geometry(problem.natural)
    assert geometry.rules is not None
    rule = geometry.rules(level, problem.singular_edge).volume
    solution, _ = reference(problem, layers)
    x = rule.points
    return rule, solution(x), solution.curl(x) if rooted else None


def _curl(field: Any, x: Array) -> Array:
    from fem.certificates.jets import curl

    return curl(field.jets(x, "first")) if hasattr(field, "jets") else np.asarray(field.curl(x))
