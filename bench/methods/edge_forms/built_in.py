"""What is built into a net at re-entrant edges: distance factors, or the singular function."""

from __future__ import annotations

from functools import partial, reduce

import numpy as np

from bench.domains import Array
from bench.methods.collocation import operators as op
from bench.methods.collocation.built_in import BuiltIn
from bench.methods.edge_forms.geometry import EdgeFace, edge_faces
from bench.problems import Problem
from bench.problems.parts.wedge import NU, angle, harmonic, harmonic_gradient

CUT = 0.8  # where the singular function has been cut off


def built_in(problem: Problem, *, values: bool, singular: bool) -> BuiltIn | None:
    """u = lift + factors · net, where boundary `values` are built in or the function is added."""
    if not values and not singular:
        return None
    factors = partial(edge_factors, edge_faces(problem)) if values else partial(_constant, 1.0)
    return BuiltIn(factors, cut_off_singularity if singular else partial(_constant, 0.0))


def edge_factors(faces: tuple[EdgeFace, ...], x: Array, order: str) -> Array:
    """For u_i the product of the distances from those faces of the edges that e_i is tangential to:
    on the prism d₂, d₁ and d₁ d₂, d₁ the distance from the face x₁ = 0."""
    components = []
    for i in range(3):
        distances = [face.distance(x) for face in faces if face.axis != i]
        components.append(reduce(_product, distances))
    return np.stack(components, axis=1)[: op.CHANNELS[order]]


def _product(a: Array, b: Array) -> Array:
    """The jets of a product of two functions, each (4, N)."""
    return np.concatenate([a[:1] * b[:1], a[1:] * b[:1] + a[:1] * b[1:]])


def cut_off_singularity(x: Array, order: str) -> Array:
    """The jets of ∇(χ s): the singular function of the edge, cut off smoothly at r = 0.8.

    χ = (1 − r²/c²)³ inside. A net that is given it knows more than the equation: how u behaves at
    the edge, and how strongly.
    """
    x1, x2, _ = x
    q = np.maximum(0.0, 1.0 - (x1**2 + x2**2) / CUT**2)
    # ∇χ = slope · x, ∇slope = bend · x
    chi, slope, bend = q**3, -6 * q**2 / CUT**2, 24 * q / CUT**4
    s, ds = harmonic(x1, x2), np.stack(harmonic_gradient(x1, x2))
    y = np.stack([x1, x2])
    out = np.zeros((op.CHANNELS[order], 3, x1.size))
    out[0, :2] = chi * ds + slope * s * y
    if len(out) == 1:
        return out
    hessian = _harmonic_hessian(x1, x2)
    for i in range(2):
        for j in range(2):
            out[1 + j, i] = chi * hessian[i][j] + slope * (y[j] * ds[i] + y[i] * ds[j])
            out[1 + j, i] += bend * y[i] * y[j] * s + (slope * s if i == j else 0.0)
    return out


def _harmonic_hessian(x1: Array, x2: Array) -> list[list[Array]]:
    """Second derivatives of s = Im F, F = ζ^ν: ∂₁₁s = Im F″, ∂₁₂s = Re F″, ∂₂₂s = −Im F″."""
    size = NU * (NU - 1) * np.hypot(x1, x2) ** (NU - 2)
    phase = (NU - 2) * angle(x1, x2)
    imaginary, real = size * np.sin(phase), size * np.cos(phase)
    return [[imaginary, real], [real, -imaginary]]


def _constant(value: float, x: Array, order: str) -> Array:
    """The jets of a constant."""
    out = np.zeros((op.CHANNELS[order], 3, x.shape[1]))
    out[0] = value
    return out
