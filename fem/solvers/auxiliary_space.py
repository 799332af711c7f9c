"""Preconditioners by subspace correction: the lowest order inside hierarchical spaces.

`fem.preconditioner` and `fem.solvers.multigrid` do the lowest order. Spaces of second order
hold it as a part of their hierarchical bases, so that Gauss–Seidel around it is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fem.meshes.tets import Tets
from fem.solvers.cg import MAX_ITERATIONS, MatrixSystem, conjugate_gradients
from fem.solvers.multigrid import Multigrid
from fem.solvers.symmetric import Symmetric
from fem.solvers.thin_cells import has_thin_cells
from fem.spaces import PLAIN, Array, How, LinearSolve

Action = Callable[[Array], Array]
Indices = NDArray[np.integer[Any]]


def multigrid(A: sp.csr_matrix, mesh: Any = None) -> Action:
    """One symmetric V-cycle for one right-hand side; the mesh tells whether its cells are thin."""
    cycle = Multigrid(A, mesh is not None and has_thin_cells(Tets.of(mesh)))
    return lambda r: cycle(r[:, None])[:, 0]


def gauss_seidel(A: sp.csr_matrix) -> Action:
    """Symmetric Gauss–Seidel."""
    half = Symmetric.of(A)
    inverse = 1.0 / half.diagonal

    def apply(b: Array) -> Array:
        x, rest = half.forward(inverse, b)
        half.backward(inverse, rest, x)
        return x

    return apply


def two_level(A: sp.csr_matrix, coarse: Indices, solve: Action) -> Action:
    """For hierarchical bases: Gauss–Seidel on all dofs, `solve` on the lowest-order ones.

    What the lowest order leaves is local (edge and face bubbles), so that Gauss–Seidel on them
    converges at a rate independent of the mesh width.
    """
    half = Symmetric.of(A)
    inverse = 1.0 / half.diagonal

    def apply(b: Array) -> Array:
        x, rest = half.forward(inverse, b)
        correction = np.zeros_like(b)
        correction[coarse] = solve(rest[coarse])
        half.correct_backward(inverse, correction, rest, x)
        return x

    return apply


def solve(
    A: Any,
    b: Array,
    precondition: Action,
    how: How = PLAIN,
    max_iterations: int = MAX_ITERATIONS,
) -> LinearSolve:
    """Conjugate gradients from x0 (or zero)."""
    x = np.zeros_like(b) if how.x0 is None else np.array(how.x0, dtype=float)
    system = MatrixSystem(lambda p: A @ p, precondition)
    norm_b = float(np.linalg.norm(b))
    return conjugate_gradients(system, b - A @ x, x, how, norm_b, max_iterations)
