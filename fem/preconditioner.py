"""The auxiliary-space preconditioner for anyone's lowest-order Nédélec matrix on tetrahedra.

M = fem.hcurl_preconditioner(A, mesh, phi=phi, beta=beta, free=I)
x, info = scipy.sparse.linalg.cg(A[I][:, I], b[I], rtol=1e-8, M=M)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from base.errors import UserError
from fem.meshes.tets import Tets
from fem.solvers.hiptmair_xu import HiptmairXu
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array

Indices = NDArray[np.integer[Any]]


def hcurl_preconditioner(
    A: Any, mesh: Any, phi: Any = 1.0, beta: Any = 1.0, free: Any = None
) -> LinearOperator:
    """B ≈ A⁻¹ for the matrix A of (φ curl u, curl v) + (β u, v), to be passed to SciPy's `cg` as M.

    The mesh is a `MeshTet` of scikit-fem and A is assembled with `ElementTetN0`. φ > 0 and β ≥ 0
    are numbers, values (cells,) or functions of points (3, ...). `free` are the dofs without
    essential condition, as numbers or a mask; A is then given for all dofs or for the free ones,
    and B acts on the free ones. Without `free`, dofs whose row has only a diagonal (scikit-fem's
    `enforce`) are recognised. Where β = 0, A is singular: the right-hand side must be orthogonal
    to the gradients of that region, and of the solution only A u is determined.
    """
    tets = _tetrahedra(mesh)
    phi = _weight(tets, phi, "phi", "be positive", lambda w: w > 0)
    beta = _weight(tets, beta, "beta", "not be negative", lambda w: w >= 0)
    matrix, numbers = _over_all_edges(sp.csr_array(A), free, len(tets.edges))
    fixed = np.ones(len(tets.edges), bool)
    fixed[numbers] = False
    _check(matrix, numbers)
    correct = HiptmairXu.build(Symmetric.of(matrix), tets, phi, beta, fixed)
    kept = np.arange(len(fixed)) if free is None else numbers
    inverse = np.where(fixed, 1 / matrix.diagonal(), 0.0)

    def apply(r: Array) -> Array:
        whole = np.zeros(len(fixed))
        whole[kept] = np.ravel(r)
        return (correct(whole) + inverse * whole)[kept]

    return LinearOperator((len(kept),) * 2, matvec=apply, rmatvec=apply, dtype=float)


def _tetrahedra(mesh: Any) -> Tets:
    t = np.asarray(mesh.t)
    if t.shape[0] != 4 or mesh.p.shape[0] != 3:
        raise UserError(f"the mesh must consist of tetrahedra, its cells have {len(t)} vertices")
    used, t = np.unique(t, return_inverse=True)  # nodes without a cell do not count
    t = t.reshape(4, -1).T.astype(np.int32)
    return Tets(np.ascontiguousarray(mesh.p[:, used]), np.sort(t, axis=1))


def _weight(tets: Tets, weight: Any, name: str, rule: str, allowed: Any) -> Array:
    if not callable(weight) and np.shape(weight) not in ((), (len(tets.t),)):
        raise UserError(
            f"{name} must be a number, a function or one value for each of the {len(tets.t)} "
            f"cells, got shape {np.shape(weight)}"
        )
    values = tets.cell_average(weight)
    if not (np.isfinite(values) & allowed(values)).all():
        raise UserError(f"{name} must {rule}, got values from {values.min():g} to {values.max():g}")
    return values


def _over_all_edges(A: Any, free: Any, edges: int) -> tuple[Any, Indices]:
    """The matrix over all edges, and the numbers of the free ones."""
    if free is None:
        if A.shape != (edges, edges):
            raise UserError(
                f"A is {A.shape[0]} × {A.shape[1]}, but the mesh has {edges} edges; pass the "
                "numbers of the dofs that are left as free=…, and assemble with ElementTetN0"
            )
        return A, np.flatnonzero((A - sp.diags_array(A.diagonal())).count_nonzero(axis=1))
    free = np.asarray(free)
    numbers = np.flatnonzero(free) if free.dtype == bool else free.astype(np.int64)
    if A.shape == (edges, edges):
        return A, numbers
    if A.shape != (len(numbers),) * 2:
        raise UserError(
            f"A is {A.shape[0]} × {A.shape[1]}; with {len(numbers)} free dofs of a mesh with "
            f"{edges} edges it must have one row for each free dof or one for each edge"
        )
    inside = sp.csr_array(
        (np.ones(len(numbers)), (numbers, np.arange(len(numbers)))), shape=(edges, len(numbers))
    )
    held = np.ones(edges)
    held[numbers] = 0.0
    return sp.csr_array(inside @ A @ inside.T + sp.diags_array(held)), numbers


def _check(A: Any, free: Indices) -> None:
    if A.dtype.kind == "c":
        raise UserError("A must be real; precondition a complex system by its real, positive part")
    if not np.isfinite(A.data).all() or not (A.diagonal()[free] > 0).all():
        raise UserError("A must be finite, with a positive diagonal at the free dofs")
