"""The boundary-value problem as rows that are linear in the field: equation, divergence, boundary.

∇φ/φ × curl u + curl curl u = f/φ, unlike the strong form of trained nets also where div u = 0:
curl curl u in place of −Δu lowers the error by a fifth (`maxwell`, `helix`, 500 features).
"""

from __future__ import annotations

import numpy as np

from bench.methods.collocation import operators as op
from bench.methods.collocation.boundary import boundary_terms
from bench.methods.collocation.clouds import inside_cloud, rim_cloud
from bench.methods.forms.strong import equation_rows
from bench.problems import Array, Problem
from nets.residuals.terms import Residuals


def equation(problem: Problem, x: Array, weights: Array) -> Residuals:
    """At points (3, N), with weights of the squares (N,)."""
    return _weighted(x, "second", *equation_rows(problem, x, "second"), weights, "equation")


def divergence(problem: Problem, x: Array, weights: Array) -> Residuals:
    A = op.divergence("first", x.shape[1])
    return _weighted(x, "first", A, problem.rho(x)[None], weights, "divergence")


def _weighted(x: Array, order: str, A: Array, b: Array, weights: Array, label: str) -> Residuals:
    root = np.sqrt(weights)
    return Residuals(x=x.T, order=order, A=A * root, b=b * root, labels=(label,) * len(b))


def terms(
    problem: Problem, points: int, rim_points: int, seed: int, draw: str, weight: float, stream: int
) -> list[Residuals]:
    """All rows at points of that stream of the seed; means of squares, `weight` at the boundary."""
    inside = inside_cloud(problem, points, seed, draw, stream)
    rim = rim_cloud(problem, rim_points, seed, draw, stream)
    return [
        equation(problem, inside.x, inside.weights),
        divergence(problem, inside.x, inside.weights),
        *boundary_terms(problem, rim, weight),
    ]
