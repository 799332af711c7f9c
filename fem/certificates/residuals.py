"""The norms of a field by its own residuals: τ = v, and σ = φ curl v or σ = 0 (maths 12.2)."""

from __future__ import annotations

from math import sqrt

import numpy as np

from fem.boundary_value import BoundaryValueProblem
from fem.certificates.bounds import NORMS
from fem.certificates.coons import Mismatch, gauss_line
from fem.certificates.geometry import Geometry
from fem.certificates.jets import Smooth, curl, curl_curl, divergence
from fem.certificates.rules import ORDERS, FaceRule
from fem.rules.quadrature import Rule
from fem.spaces import Array

SIGMAS = ("own", "zero")  # σ = φ curl v, which takes second derivatives of v, or σ = 0


def own_norms(
    field: Smooth, problem: BoundaryValueProblem, geometry: Geometry, level: int, sigma: str
) -> dict[str, float]:
    """The norms of `bounds.NORMS`, and `value` = ‖v‖, by the rules of a level."""
    assert geometry.rules is not None
    rules = geometry.rules(level, problem.singular_edge)
    total = dict.fromkeys((*NORMS, "value"), 0.0)
    for piece in rules.volume.chunks():
        _add(total, _inside(field, problem, piece, sigma), piece.weights)
    natural = () if geometry.caps is None else rules.ends
    for face in (*rules.sides, *(rules.ends if geometry.caps is None else ())):
        x, n = face.points, face.normals
        rest = tangential(field.jets(x, "value")[0], n) - given(problem, x, n)
        weight = problem.phi(x) / geometry.outward(x, n)
        _add(total, {"trace": weight * (rest**2).sum(axis=0)}, face.weights)
    for face in natural:
        _add(total, _on_natural(field, problem, face, sigma), face.weights)
    return {name: sqrt(value) for name, value in total.items()}


def _add(total: dict[str, float], squares: dict[str, Array], weights: Array) -> None:
    for name, values in squares.items():
        total[name] += float(weights @ values)


def _inside(
    field: Smooth, problem: BoundaryValueProblem, piece: Rule, sigma: str
) -> dict[str, Array]:
    x = piece.points
    J = field.jets(x, "second" if sigma == "own" else "first")
    c, phi = curl(J), problem.phi(x)
    rho = 0.0 if problem.rho is None else problem.rho(x)
    found = {"divergence": (divergence(J) - rho) ** 2, "value": (J[0] ** 2).sum(axis=0)}
    if sigma == "own":
        assert problem.grad_phi is not None
        curl_sigma = np.cross(problem.grad_phi(x), c, axis=0) + phi * curl_curl(J)
        return found | {"equation": ((problem.f(x) - curl_sigma) ** 2).sum(axis=0)}
    squares = {"flux": phi * (c**2).sum(axis=0), "equation": (problem.f(x) ** 2).sum(axis=0)}
    return found | squares


def _on_natural(
    field: Smooth, problem: BoundaryValueProblem, face: FaceRule, sigma: str
) -> dict[str, Array]:
    assert problem.natural is not None
    x, n = face.points, face.normals
    J = field.jets(x, "first")
    normal = (J[0] * n).sum(axis=0) - problem.natural.normal(x, n)
    flux = problem.phi(x) * curl(J) if sigma == "own" else np.zeros_like(x)
    rest = np.cross(flux, n, axis=0) - problem.natural.curl(x, n)
    return {"normal": normal**2, "natural": (rest**2).sum(axis=0)}


def tangential(v: Array, n: Array) -> Array:
    """n × (v × n)."""
    return np.asarray(v - n * (n * v).sum(axis=0))


def given(problem: BoundaryValueProblem, x: Array, n: Array) -> Array:
    """u_T = n × g."""
    return np.cross(n, problem.g(x, n), axis=0)


def own_lift(field: Smooth, problem: BoundaryValueProblem, level: int) -> float:
    """‖φ^½ curl ℓ‖ of the lift of v_T − u_T on the unit cube."""
    line = gauss_line(ORDERS[level - 1])
    mismatch = Mismatch(
        (line, line, line),
        v=lambda x: field.jets(x, "value")[0],
        curl=lambda x: curl(field.jets(x, "first")),
        given=lambda x, n: given(problem, x, n),
    )
    return mismatch.energy(problem.phi)
