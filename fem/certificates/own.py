"""The certificate of a field with derivatives by its own residuals."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from base.errors import UserError
from fem.boundary_value import BoundaryValueProblem
from fem.certificates.bounds import energy_bound, l2_bound, l2_parts
from fem.certificates.certificate import Certificate, doubts
from fem.certificates.constants import Constants, PhiBounds
from fem.certificates.coons import no_lift, unsettled_lift, without_lift
from fem.certificates.geometry import Geometry
from fem.certificates.jets import Smooth, curl
from fem.certificates.residuals import own_lift, own_norms
from fem.certificates.settling import Bounds, settle
from fem.spaces import Array


def certify_own(
    field: Smooth,
    problem: BoundaryValueProblem,
    geometry: Geometry,
    phi: PhiBounds,
    *,
    twice: bool = True,
    doubt: str | None = None,
) -> Certificate:
    """Bound the error of a field from f, φ, ρ and the boundary values.

    `twice`: the field has second derivatives. At a singular edge with f = 0, σ = 0 needs none.
    """
    if geometry.rules is None:
        raise UserError(
            "this domain has no rules for residuals of a field; element solutions (hexP) are "
            "bounded by `femnets fem --solve --certify`"
        )
    started, C = perf_counter(), Constants.of(geometry, phi)
    smooth = problem.singular_edge is None
    sigma = "own" if twice and (smooth or _has_source(problem, geometry)) else "zero"
    why = no_lift(geometry, problem)
    if sigma != "own":
        why = why or "no energy bound: the field has no second derivatives"
    lifts = why is None

    def compute(level: int) -> Bounds:
        norms = own_norms(field, problem, geometry, level, sigma)
        return norms | ({"lifted": own_lift(field, problem, level)} if lifts else {})

    def bounds(norms: Bounds) -> Bounds:
        found = {"l2": l2_bound(norms, C)}
        return found | ({"energy": energy_bound(norms, C, norms["lifted"])} if lifts else {})

    with np.errstate(all="ignore"):
        found = settle(compute, bounds)
    why = why or unsettled_lift(found.unsettled)
    tagged = {"C_M": geometry.maxwell, "C_F": geometry.friedrichs}
    return Certificate(
        method="own",
        l2_bound=found.bounds["l2"],
        energy_bound=None if why else found.bounds["energy"],
        norm=found.result["value"],
        energy_norm=None if why else _energy(field, problem, geometry),
        parts=l2_parts(found.result, C),
        constants=tagged,
        change=found.change,
        levels=found.levels,
        seconds=perf_counter() - started,
        doubt=doubts(tagged, without_lift(found.unsettled), found.change, doubt),
        no_energy=why,
    )


def _volume(problem: BoundaryValueProblem, geometry: Geometry) -> tuple[Array, Array]:
    assert geometry.rules is not None
    rule = geometry.rules(2, problem.singular_edge).volume
    return rule.points, rule.weights


def _has_source(problem: BoundaryValueProblem, geometry: Geometry) -> bool:
    return bool(problem.f(_volume(problem, geometry)[0]).any())


def _energy(field: Smooth, problem: BoundaryValueProblem, geometry: Geometry) -> float:
    """‖φ^½ curl v‖."""
    x, w = _volume(problem, geometry)
    squares = problem.phi(x) * (curl(field.jets(x, "first")) ** 2).sum(axis=0)
    return float(np.sqrt(w @ squares))
