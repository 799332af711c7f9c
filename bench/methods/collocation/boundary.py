"""Boundary values as residuals: u × n = g, or on natural faces u·n and φ curl u × n.

With t₁, t₂, n orthonormal and right-handed, u × n = g means u·t₁ = −g·t₂ and u·t₂ = g·t₁. Every
number on the right is data of the boundary-value problem: a trace of u or of φ curl u.
"""

from __future__ import annotations

import numpy as np

from bench.methods.collocation import operators as op
from bench.methods.collocation.clouds import Rim
from bench.problems import Array, Problem
from nets.residuals.terms import Residuals


def boundary_terms(
    problem: Problem,
    rim: Rim,
    weight: float,
    *,
    given: bool = True,
    natural: str = "both",
    outputs: int = 3,
    flux: bool = False,
) -> list[Residuals]:
    """Residuals on the rim; `given` = False leaves out u × n, which is then built in.

    `natural` says which of the two conditions of a natural face are imposed: "both", "normal"
    (u·n alone, where curl u is known inside), "none" (where a weak form contains them). `outputs`
    beyond the third have no boundary values; with `flux` the outputs 3..5 are curl u, so that a
    natural face needs no derivative.
    """
    free = problem.domain.face_indices(problem.natural) if problem.natural else np.zeros(0, int)
    essential = np.setdiff1d(problem.domain.face_indices(), free)
    terms = []
    on = rim.on(essential)
    if given and len(on):
        terms.append(_given(problem, on, weight, outputs))
    on = rim.on(free)
    if natural != "none" and len(on):
        terms.append(_natural(problem, on, weight, outputs, flux, 3 if natural == "both" else 1))
    return terms


def _given(problem: Problem, rim: Rim, weight: float, outputs: int) -> Residuals:
    g = problem.trace(rim.x, rim.normal)
    t1, t2 = op.tangents(rim.normal)
    u = op.identity("value", len(rim))
    A = np.concatenate([op.along(t1, u), op.along(t2, u)])
    b = np.stack([-_dot(g, t2), _dot(g, t1)])
    scale = np.sqrt(weight * rim.weights)
    A = _padded(A * scale, outputs)
    return Residuals(x=rim.x.T, order="value", A=A, b=b * scale, labels=("boundary",) * 2)


def _natural(
    problem: Problem, rim: Rim, weight: float, outputs: int, flux: bool, rows: int
) -> Residuals:
    """u·n as a boundary value; φ curl u × n, divided by φ, as a derivative (weight 1). The first
    `rows` of these three numbers."""
    order = "value" if flux else "first"
    t1, t2 = op.tangents(rim.normal)
    curl_u = problem.curl_u(rim.x)  # of it only the tangential part is used: data on this face
    u = _padded(op.identity(order, len(rim)), outputs)
    curl = _second_half(len(rim)) if flux else _padded(op.curl(order, len(rim)), outputs)
    scale, slope = np.sqrt(weight * rim.weights), np.sqrt(rim.weights)
    conditions = (
        (rim.normal, u, problem.u(rim.x), scale),
        (t1, curl, curl_u, slope),
        (t2, curl, curl_u, slope),
    )[:rows]
    A = np.concatenate([op.along(t, operator) * root for t, operator, _, root in conditions])
    b = np.stack([_dot(data, t) * root for t, _, data, root in conditions])
    labels = ("boundary", "natural", "natural")[:rows]
    return Residuals(x=rim.x.T, order=order, A=A, b=b, labels=labels)


def _second_half(N: int) -> Array:
    A = op.nothing("value", 3, N, components=6)
    for i in range(3):
        A[i, 0, 3 + i] = 1.0
    return A


def _padded(A: Array, outputs: int) -> Array:
    """Zeros for the outputs beyond the third."""
    rows, channels, have, N = A.shape
    return np.concatenate([A, np.zeros((rows, channels, outputs - have, N))], axis=2)


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("in,in->n", a, b))
