"""Sparse matrices of Nédélec's space on any union of bricks, for a direct solve.

On a brick every entry is a sum over Gauss points of products of one function per axis; the sums go
axis by axis (sum factorisation), so that a matrix of order p costs little more than its entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from fem.spaces import Array
from fem.spaces.bricks.axis import Axis, Indices
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.tensor import Scalar

Brick = tuple[int, int, int]
FILL = 12  # entries of the factors per entry of the saddle point; measured 5 to 12 on L-shapes


@dataclass(frozen=True, eq=False)
class BrickComplex:
    """The step grad : V ⊗ V ⊗ V → Nédélec on bricks, with the names that a saddle point needs.

    Functions that live on no brick of the domain count as held: they keep the value zero.
    """

    mesh: BrickMesh

    @property
    def dofs(self) -> int:
        return self.mesh.grid_dofs

    @cached_property
    def gradient(self) -> sp.csr_matrix:
        axes = self.mesh.axes
        rows = []
        for d in range(3):
            factors = [
                axis.derivative if k == d else sp.eye_array(axis.size_V)
                for k, axis in enumerate(axes)
            ]
            rows.append(sp.kron(sp.kron(factors[0], factors[1]), factors[2]))
        return sp.csr_matrix(sp.vstack(rows))

    @cached_property
    def boundary_dofs(self) -> Indices:
        return np.flatnonzero(self.mesh.held_dofs | ~self.mesh.present)

    @cached_property
    def boundary_scalars(self) -> Indices:
        return np.flatnonzero(self.mesh.held_scalars | ~self.mesh.present_scalars)

    def stiffness(self, phi: Scalar) -> sp.csr_matrix:
        """(φ curl v_j, curl v_i)."""
        return self._assemble(lambda brick: curl_curl(self.mesh, brick, phi))

    def mass(self) -> sp.csr_matrix:
        """(v_j, v_i)."""
        return self._assemble(lambda brick: brick_mass(self.mesh, brick))

    def _assemble(self, local: Callable[[Brick], Array]) -> sp.csr_matrix:
        data, rows, columns = [], [], []
        for brick in self.mesh.bricks():
            matrix = sp.coo_array(local(brick))
            dofs = np.concatenate(self.mesh.brick_dofs(brick)).astype(np.int32)
            data.append(matrix.data)
            rows.append(dofs[matrix.row])
            columns.append(dofs[matrix.col])
        index = (np.concatenate(rows), np.concatenate(columns))
        return sp.csr_matrix((np.concatenate(data), index), shape=(self.dofs, self.dofs))


def assembled_bytes(mesh: BrickMesh) -> int:
    """Peak memory of a sparse factorisation: the entries of the bricks, and the fill-in."""
    entries = 0
    for brick in mesh.bricks():
        p, q, r = (axis.orders[i] for axis, i in zip(mesh.axes, brick, strict=True))
        functions = p * (q + 1) * (r + 1) + q * (p + 1) * (r + 1) + r * (p + 1) * (q + 1)
        entries += functions**2
    return 12 * (FILL + 4) * entries


def brick_mass(mesh: BrickMesh, brick: Brick) -> Array:
    """(v_j, v_i) on a brick: Kronecker products, Q has the identity."""
    V, Q = [], []
    for axis, i in zip(mesh.axes, brick, strict=True):
        _, w, value, _, _ = _tables(axis, i)
        V.append((value.T * w) @ value)
        Q.append(np.eye(axis.orders[i]))
    blocks = [_kron(*(Q[k] if k == d else V[k] for k in range(3))) for d in range(3)]
    return sp.block_diag(blocks).toarray()


def curl_curl(mesh: BrickMesh, brick: Brick, phi: Scalar) -> Array:
    """(φ curl v_j, curl v_i) on a brick.

    Component c of the curl of a function of component d is ± its slope along the third axis a,
    with + where (c, a, d) is cyclic.
    """
    tables = [_tables(axis, i) for axis, i in zip(mesh.axes, brick, strict=True)]
    points = np.stack(np.meshgrid(*(t[0] for t in tables), indexing="ij"))
    weights = np.einsum("i,j,k->ijk", *(t[1] for t in tables)) * phi(points)
    sizes = [len(dofs) for dofs in mesh.brick_dofs(brick)]
    start = np.concatenate([[0], np.cumsum(sizes)])
    total = np.zeros((start[-1], start[-1]))

    def factors(c: int, d: int) -> list[Array]:
        """Per axis the table of curl_c of component d: V, Q or the slopes of V."""
        third = 3 - c - d
        pick = {c: 2, d: 3, third: 4}
        return [tables[k][pick[k]] for k in range(3)]

    for c in range(3):
        d, e = (c + 2) % 3, (c + 1) % 3  # curl_c = ∂_e u_d − ∂_d u_e
        for left, right, sign in ((d, d, 1.0), (e, e, 1.0), (d, e, -1.0)):
            block = sign * _pairs(weights, factors(c, left), factors(c, right))
            rows, columns = (slice(start[k], start[k + 1]) for k in (left, right))
            total[rows, columns] += block
            if left != right:
                total[columns, rows] += block.T
    return total


def _tables(axis: Axis, i: int) -> tuple[Array, Array, Array, Array, Array]:
    """Gauss points of an interval, weights, and V, Q and the slopes of V there."""
    x, w = axis.gauss(i)
    V, Q = axis.local_tables(i, x)
    slopes = Q @ axis.derivative[np.ix_(axis.dofs_Q[i], axis.dofs_V[i])]
    return x, w, V, Q, slopes


def _pairs(weights: Array, left: list[Array], right: list[Array]) -> Array:
    """Σ_q w_q Π_k left_k(q, i_k) right_k(q, j_k) as a matrix (i, j), axis by axis."""
    total = weights
    for a, b in zip(left, right, strict=True):  # the first axis goes, its pair comes last
        pair = np.einsum("qi,qj->qij", a, b).reshape(len(a), -1)
        total = np.moveaxis(np.tensordot(pair, total, axes=(0, 0)), 0, -1)
    shape = [n for a, b in zip(left, right, strict=True) for n in (a.shape[1], b.shape[1])]
    rows, columns = shape[0] * shape[2] * shape[4], shape[1] * shape[3] * shape[5]
    return total.reshape(shape).transpose(0, 2, 4, 1, 3, 5).reshape(rows, columns)


def _kron(a: Array, b: Array, c: Array) -> Array:
    return np.kron(np.kron(a, b), c)
