"""The weak form at re-entrant edges: a net's field against Nédélec functions and gradients.

The equation and the divergence are asked for in dual norms (`fem.mixed_tests`): nothing of the
divergence has to be square-integrable, which is what shuts continuous fields out of the energy.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from bench.methods.boundary_value import boundary_value_data
from bench.methods.collocation import operators as op
from bench.problems import Problem
from fem.mixed_tests import MixedTests, mixed_tests
from nets.residuals.terms import Residuals

if TYPE_CHECKING:
    from bench.methods.solving import SolvedField

GRADING = 2.5
FINEST = 5  # 2000 functions on the prism: their dense products are what an evaluation costs
FINE = 6  # cells per unit length of the mesh that tests what a net has reached


def size_of(problem: Problem, count: int) -> int:
    """Cells per unit length of the mesh whose number of edges, about 7 n³ times the volume, is next
    to `count` by its ratio."""
    guess = (count / (7 * problem.domain.volume)) ** (1 / 3)
    return min(range(2, FINEST + 1), key=lambda n: abs(np.log(n / guess)))


@lru_cache(maxsize=3)
def tests_of(problem: Problem, n: int, graded: bool) -> MixedTests:
    mesh = problem.domain.mesh(n, "tet", GRADING if graded else None)
    return mixed_tests(boundary_value_data(problem), mesh)


def tested(problem: Problem, n: int, graded: bool) -> Residuals:
    """Residuals whose sum of squares is the sum of both dual squares."""
    tests = tests_of(problem, n, graded)
    curls, gradients, data = tests.whitened()
    Q, R, S = len(tests.phi), len(curls), len(gradients)
    # one more point, at which nothing is asked of the net, carries the data
    x = np.column_stack([tests.points, tests.points[:, :1]])
    A = np.concatenate([op.curl("first", Q + 1), op.identity("first", Q + 1)])
    A[:3] *= np.append(tests.phi, 0.0)
    A[..., Q] = 0.0
    b = np.zeros((6, Q + 1))
    b[0, Q] = 1.0
    test = np.zeros((R + S, 6, Q + 1))
    test[:R, :3, :Q] = curls.reshape(R, 3, Q)
    test[R:, 3:, :Q] = gradients.reshape(S, 3, Q)
    test[:, 0, Q] = data
    return Residuals(
        x=x.T, order="first", A=A, b=b, labels=("equation",),
        test=csr_array(test.reshape(R + S, -1)),
    )  # fmt: skip


def dual_square(problem: Problem, field: SolvedField, n: int = FINE) -> float:
    """Both dual squares by a finer mesh, graded to the edges: never less on a refinement of
    the mesh, and what a field that fits between coarse functions shows."""
    tests = tests_of(problem, n, True)
    jets = field.jets(tests.points, "first")
    curl = np.einsum("mcin,cin->mn", op.curl("first", len(tests.phi)), jets)
    return sum(tests.dual_squares(tests.residuals(jets[0], curl)))
