"""The equation tested with Nédélec functions: ∫ φ curl u · curl w = ∫ f · w, w × n = 0.

One residual for each edge inside a mesh of tetrahedra, divided by √∫ φ (|w|² + |curl w|²); the
mesh is the coarsest with at least as many of these as the cloud has points, graded towards a
singular edge. Only first derivatives of the net enter. div u = ρ is asked for at the cloud.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack

from bench.domains import Domain, Edge
from bench.methods.collocation import operators as op
from bench.methods.collocation.clouds import Cloud
from bench.problems import Problem
from fem.test_functions import TestFunctions, lowest_order
from nets.residuals.terms import Residuals

TITLE = "the equation tested with Nédélec functions"
OUTPUTS = 3
SMOOTHNESS = 1
GRADING = 2.0
FINEST = 24


def inside(problem: Problem, cloud: Cloud) -> list[Residuals]:
    tests = functions(problem.domain, problem.singular_edge, len(cloud))
    x, Q = tests.points, len(tests.weights)
    phi = problem.phi(x)
    scale = diags_array(1 / tests.norms(phi))
    # rows of r: φ curl u against curl w, then −f against w
    A = np.concatenate([phi * op.curl("first", Q), op.nothing("first", 3, Q)])
    b = np.concatenate([np.zeros((3, Q)), problem.f(x)])
    test = csr_array(scale @ hstack([tests.curls, tests.values]))
    equation = Residuals(x=x.T, order="first", A=A, b=b, labels=("equation",), test=test)
    root = np.sqrt(cloud.weights)
    A = op.divergence("first", len(cloud)) * root
    b = problem.rho(cloud.x)[None] * root
    divergence = Residuals(x=cloud.x.T, order="first", A=A, b=b, labels=("divergence",))
    return [equation, divergence]


@lru_cache(maxsize=4)
def functions(domain: Domain, edge: Edge | None, count: int) -> TestFunctions:
    """The test functions of the coarsest mesh that has `count` of them."""
    tests = None
    for n in range(2, FINEST):
        grading = None if edge is None else GRADING
        tests = lowest_order(domain.mesh(n, "tet", grading, edge))
        if len(tests) >= count:
            break
    assert tests is not None
    return tests
