"""The edge singularity that `screen` and `curlsing` share: F = √ζ, ζ = 1 − x₁ − i x₂.

F is analytic off the half-plane {x₁ ≥ 1, x₂ = 0}, so Re F and Im F are harmonic, with
∇ Re F = (Re F′, −Im F′) and ∇ Im F = (Im F′, Re F′), F′ = −1/(2√ζ), |F′| = ½ R^{−½}.

Formulas with F take y = x − (1, 0, 0), the position relative to the edge: at R = 1e-14 the
difference 1 − x₁ has two digits, y has all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.domains.parts.edge_cube import edge_cube
from bench.problems import Array, Problem, components

EDGE = (1.0, 0.0)  # {x₁ = 1, x₂ = 0}
Formula = Callable[[ArrayLike], Array]


def root(y1: Array, y2: Array) -> NDArray[np.complex128]:
    """F = √ζ, principal branch."""
    return np.sqrt(-y1 - 1j * y2)


def root_derivative(y1: Array, y2: Array) -> NDArray[np.complex128]:
    """F′ = −1/(2√ζ).

    On the edge itself F′ has no limit; the value there is set to 0, so that sums over mesh
    vertices stay finite. No quadrature rule of femnets has a point on the edge.
    """
    F = root(y1, y2)
    at_edge = F == 0
    return np.where(at_edge, 0, -0.5 / np.where(at_edge, 1, F))


def moved(formula: Formula, sign: int = 1) -> Formula:
    """x ↦ formula(x ± (1, 0, 0)): a formula in y as one in x (sign −1), or the reverse."""

    def at(x: ArrayLike) -> Array:
        x1, x2, x3 = components(x)
        return formula(np.stack([x1 + sign, x2, x3]))

    return at


def about_edge(problem: Problem, **formulas: Formula) -> Problem:
    """The problem with all its functions in y: these formulas, and its others, which are smooth."""
    smooth = {name: moved(getattr(problem, name)) for name in ("f", "curl_u", "phi", "grad_phi")}
    changed: dict[str, Any] = {**smooth, **formulas}
    return replace(problem, **changed, singular_edge=(0.0, 0.0), domain=edge_cube(EDGE))
