"""Certificates of fields on a problem: bounds of their errors from its data, never from u.

*own*: by the field's residuals, for fields with derivatives. *recovered*: by σ and τ of one order
more, for solutions on bricks. *reference*: by the distance from a p- or hp-solution that has a
certificate itself, for any field.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from base.errors import UserError, nearest
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import Discretisation, approximate
from bench.problems import Array, Problem, one

if TYPE_CHECKING:
    from fem.certificates.certificate import Certificate
    from fem.certificates.constants import PhiBounds
    from fem.rules.quadrature import Quadrature, Rule

METHODS = ("auto", "own", "reference")
STORED = (
    "l2_bound", "l2_lower_bound", "relative_l2_bound", "energy_bound", "energy_lower_bound",
    "own_l2_bound", "certificate", "seconds_certificate",
)  # fmt: skip
SAMPLED = 4096  # points at which an undeclared φ is bounded
ORDER = 12  # of the reference on one brick, where u is smooth
# layers of the reference at a singular edge, tried in this order, on the cube (fast) and elsewhere
CUBE_LAYERS, LAYERS = (4, 8), (2, 3)
MOST_POINTS = 200_000  # of a mesh, for comparisons
CLOSE = 0.2  # a reference is good enough if its own bound is below this share of the distance


def coefficient(problem: Problem) -> tuple[PhiBounds, str | None]:
    """What the problem declares of φ; where it does not, sampled values and a doubt."""
    from fem.certificates.constants import PhiBounds

    if problem.phi is one:
        return PhiBounds(), None
    if problem.phi_min is not None and problem.phi_slope is not None:
        return PhiBounds(minimum=problem.phi_min, slope=problem.phi_slope), None
    x = problem.domain.sample(SAMPLED, 0)
    phi = problem.phi(x)
    slope = np.linalg.norm(problem.grad_phi(x), axis=0) / phi
    doubt = "the problem does not declare phi_min and phi_slope, so they were sampled"
    return PhiBounds(minimum=float(phi.min()), slope=float(slope.max())), doubt


def certify(field: Any, problem: Problem, method: str = "auto") -> Certificate:
    """Bound the error of a field: a callable, with `jets` or `curl` if it has derivatives.

    `auto`: by its own residuals or, on bricks, by recovery, and by a reference; the better counts.
    """
    if method not in METHODS:
        raise UserError(f"unknown method {method!r}; {nearest(method, list(METHODS))}")
    started = perf_counter()
    found = []
    if method != "reference" and (_on_bricks(field) or hasattr(field, "jets")):
        found.append(recovered(field, problem) if _on_bricks(field) else own(field, problem))
    elif method == "own":
        raise UserError("this field has no derivatives (jets); use --method reference")
    if method == "reference" or (method == "auto" and not _on_bricks(field)):
        found.append(by_reference(field, problem))
    return _better(found).took(perf_counter() - started)


def _on_bricks(field: Any) -> bool:
    """Whether a field is the solution of a boundary-value problem on bricks."""
    from fem.spaces.bricks.space import BrickSpace

    return hasattr(field, "multiplier") and isinstance(field.space, BrickSpace)


def _better(found: list[Certificate]) -> Certificate:
    """The certificate with the smaller bound, and the energy bound of another if it has none."""
    best = min(found, key=lambda each: (each.doubt is not None, each.l2_bound or np.inf))
    for other in found:
        if best.energy_bound is None and other.energy_bound is not None and not other.doubt:
            best = replace(best, energy_bound=other.energy_bound, energy_norm=other.energy_norm)
    return best


def own(field: Any, problem: Problem) -> Certificate:
    """The certificate of a field with `jets` by its own residuals."""
    from fem.certificates.own import certify_own

    phi, doubt = coefficient(problem)
    return certify_own(
        field,
        boundary_value_data(problem, whole_trace=True),
        problem.domain.geometry(problem.natural),
        phi,
        twice=problem.domain.structured or getattr(field, "built_in", None) is None,
        doubt=doubt,
    )


def relative_bound(field: Any, problem: Problem) -> float:
    """The relative L² error that a field's own residuals certify; infinite where none is."""
    found = own(field, problem)
    share = None if found.doubt else found.relative_l2_bound
    return np.inf if share is None else share


def recovered(solution: Any, problem: Problem) -> Certificate:
    """The certificate of a boundary-value solution on bricks."""
    from fem.certificates.elements import certify_bricks

    phi, doubt = coefficient(problem)
    data = boundary_value_data(problem, whole_trace=True)
    geometry = problem.domain.geometry(problem.natural)
    return certify_bricks(solution, data, geometry, phi, doubt=doubt)


@lru_cache(maxsize=8)
def reference(problem: Problem, layers: int | None) -> tuple[Any, Certificate]:
    """A solution by hexP, in layers towards a singular edge, and its certificate."""
    from fem.elements.hex_p import ELEMENT

    order = ORDER if layers is None else None
    chosen = Discretisation(element=ELEMENT.name, n=1, order=order, layers=layers, solve=True)
    chosen.check(problem)
    solution = approximate(problem, chosen)
    return solution, recovered(solution, problem)


def by_reference(field: Any, problem: Problem) -> Certificate:
    """|‖u − v‖ − ‖w − v‖| ≤ B(w) for a reference w with the bound B(w) (maths 12.5)."""
    depths: tuple[int | None, ...] = CUBE_LAYERS if problem.domain.structured else LAYERS
    for layers in (None,) if problem.smooth else depths:
        found = _compared(field, problem, layers)
        if found.parts["reference"] <= CLOSE * found.parts["distance"]:
            break
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
        doubt=doubts({}, found.settled, found.change, of_it.doubt),
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
        return problem.domain.gauss_rule(n, "tet", 2 * level + 2, problem.singular_edges)
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


def stored(field: Any, problem: Problem) -> dict[str, Any]:
    """What cells keep of the certificates of a field: null where there is none, with a reason.

    `own_l2_bound` is the bound by the field's own residuals or by recovery.
    """
    found: list[Certificate] = []
    reasons = []
    for method in ("own",) if _on_bricks(field) else ("own", "reference"):
        try:
            found.append(certify(field, problem, method))
        except UserError as error:
            reasons.append(str(error))
    if not found:
        return dict.fromkeys(STORED) | {"certified": False, "certificate_reason": reasons[-1]}
    document = _better(found).document()
    values = {name: document[name] for name in STORED[:5]}
    own = [each.l2_bound for each in found if each.method != "reference"]
    return values | {
        "own_l2_bound": own[0] if own and own[0] is not None and np.isfinite(own[0]) else None,
        "certified": document["certified"],
        "certificate": document["method"],
        "certificate_reason": document["reason"],
        "seconds_certificate": sum(each.seconds for each in found),
    }
