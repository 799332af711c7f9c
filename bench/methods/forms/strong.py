"""The equation itself, at points: ∇φ × curl u + φ curl curl u = f and div u = ρ.

Where ρ = 0 the second equation makes curl curl u = −Δu, and one channel of second derivatives does
for six: half the time per evaluation, and better conditioned (`maxwell`, 2-20, 15 s: error 1.3e-7
with −Δu, 3.4e-7 with curl curl u). Elsewhere all six are taken.
"""

from __future__ import annotations

import numpy as np

from bench.methods.collocation import operators as op
from bench.methods.collocation.clouds import Cloud
from bench.problems import Array, Problem, zero
from nets.residuals.terms import Residuals

TITLE = "the equation at points, with second derivatives of the net"
OUTPUTS = 3
SMOOTHNESS = 2


def inside(problem: Problem, cloud: Cloud) -> list[Residuals]:
    x, scale = cloud.x, np.sqrt(cloud.weights)
    order = "laplacian" if problem.rho is zero else "second"
    equation, f = equation_rows(problem, x, order)
    A = np.concatenate([equation, op.divergence(order, len(cloud))]) * scale
    b = np.concatenate([f, problem.rho(x)[None]]) * scale
    labels = ("equation",) * 3 + ("divergence",)
    return [Residuals(x=x.T, order=order, A=A, b=b, labels=labels)]


def equation_rows(problem: Problem, x: Array, order: str) -> tuple[Array, Array]:
    """∇φ/φ × curl u + curl curl u (−Δu in jets of order "laplacian"), and f/φ."""
    N, phi = x.shape[1], problem.phi(x)
    principal = -op.laplacian(N) if order == "laplacian" else op.curl_curl(N)
    A = principal + op.crossed(problem.grad_phi(x) / phi, op.curl(order, N))
    return A, problem.f(x) / phi
