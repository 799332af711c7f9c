"""A first-order system with the curl as a second unknown: the net has six outputs (u, v).

curl u = v, ∇φ × v + φ curl v = f (divided by φ), div u = ρ, div v = 0: one derivative of the net,
so that once differentiable activations serve, and fields whose second derivatives are not
square-integrable.
"""

from __future__ import annotations

import numpy as np

from bench.methods.collocation import operators as op
from bench.methods.collocation.clouds import Cloud
from bench.problems import Array, Problem
from nets.residuals.terms import Residuals

TITLE = "a first-order system for u and its curl"
OUTPUTS = 6
SMOOTHNESS = 1


def inside(problem: Problem, cloud: Cloud) -> list[Residuals]:
    N, x = len(cloud), cloud.x
    phi, scale = problem.phi(x), np.sqrt(cloud.weights)
    identity, curl, divergence = (
        op.identity("first", N),
        op.curl("first", N),
        op.divergence("first", N),
    )
    zeros = np.zeros((3, N))
    equation = op.crossed(problem.grad_phi(x) / phi, identity) + curl
    A = np.concatenate(
        [
            _both(np.zeros_like(curl), equation),
            _both(curl, -identity),
            _both(divergence, np.zeros_like(divergence)),
            _both(np.zeros_like(divergence), divergence),
        ]
    )
    b = np.concatenate([problem.f(x) / phi, zeros, problem.rho(x)[None], zeros[:1]])
    labels = ("equation",) * 3 + ("curl",) * 3 + ("divergence",) * 2
    return [Residuals(x=x.T, order="first", A=A * scale, b=b * scale, labels=labels)]


def _both(u: Array, v: Array) -> Array:
    """Rows that act on u and rows that act on v, as rows that act on (u, v)."""
    return np.concatenate([u, v], axis=2)
