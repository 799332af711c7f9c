"""Raviart–Thomas's space on bricks: component d is V along x_d and Q across, divergence in Q³."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fem.spaces import Array
from fem.spaces.bricks.assembled import Brick
from fem.spaces.bricks.axis import Axis, Indices
from fem.spaces.bricks.mesh import BrickMesh, Face, Mask


def divergence(X: Sequence[Array], mesh: BrickMesh) -> Array:
    """Coefficients of div τ in Q ⊗ Q ⊗ Q, which is orthonormal."""
    D = [axis.derivative for axis in mesh.axes]
    slopes = [np.moveaxis(np.tensordot(D[d], X[d], axes=(1, d)), 0, d) for d in range(3)]
    return np.asarray(sum(slopes))


@dataclass(frozen=True, eq=False)
class RaviartThomas:
    """Sparse matrices in the numbering of the whole grid, for a union of bricks."""

    mesh: BrickMesh

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        axes = self.mesh.axes
        return [
            tuple(axis.size_V if k == d else axis.size_Q for k, axis in enumerate(axes))
            for d in range(3)
        ]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        return np.concatenate([[0], np.cumsum(sizes)])

    @property
    def dofs(self) -> int:
        return int(self.starts[-1])

    def split(self, x: NDArray[np.generic]) -> list[Array]:
        """A flat vector as three arrays, views."""
        parts = np.split(x, self.starts[1:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def brick_dofs(self, brick: Brick) -> list[Indices]:
        axes = list(zip(self.mesh.axes, brick, strict=True))
        found = []
        for d, shape in enumerate(self.shapes):
            along = [(a.dofs_V if k == d else a.dofs_Q)[i] for k, (a, i) in enumerate(axes)]
            found.append(self.starts[d] + np.ravel_multi_index(np.ix_(*along), shape).ravel())
        return found

    @cached_property
    def present(self) -> Mask:
        """Which functions of the grid live on the domain."""
        found = np.zeros(self.dofs, dtype=bool)
        for brick in self.mesh.bricks():
            found[np.concatenate(self.brick_dofs(brick))] = True
        return found

    def mass(self) -> sp.csr_matrix:
        """(t_j, t_i): the mass of V along each component, for all bricks of an interval at once."""
        data, rows, columns = [], [], []
        for d, axis in enumerate(self.mesh.axes):
            active = np.moveaxis(self.mesh.active, d, 0)
            across = [of for k, of in enumerate(self._intervals) if k != d]
            for i in range(axis.intervals):
                local, others = _mass(axis, i), np.nonzero(active[i][np.ix_(*across)])
                dofs = self._line_dofs(d, axis.dofs_V[i], others)
                j, k = np.indices(local.shape).reshape(2, -1)
                data.append(np.repeat(local.ravel(), dofs.shape[1]))
                rows.append(dofs[j].ravel())
                columns.append(dofs[k].ravel())
        index = (np.concatenate(rows), np.concatenate(columns))
        return sp.csr_matrix((np.concatenate(data), index), shape=(self.dofs, self.dofs))

    @property
    def _intervals(self) -> list[Indices]:
        """The interval of each function of Q, by axis."""
        return [np.repeat(np.arange(axis.intervals), axis.orders) for axis in self.mesh.axes]

    def _line_dofs(self, d: int, along: Indices, others: tuple[Indices, ...]) -> Indices:
        """The functions of component d by their places in V along d and in Q along the others."""
        place = [each[None, :] for each in others]
        place.insert(d, along[:, None])
        grid = tuple(np.broadcast_arrays(*place))
        return np.asarray(self.starts[d] + np.ravel_multi_index(grid, self.shapes[d]))

    def divergence(self) -> sp.csr_matrix:
        """To the functions of Q ⊗ Q ⊗ Q on the bricks of the domain."""
        axes = self.mesh.axes
        parts = []
        for d in range(3):
            first, second, third = (
                sp.csr_array(axis.derivative) if k == d else sp.eye_array(axis.size_Q)
                for k, axis in enumerate(axes)
            )
            parts.append(sp.kron(sp.kron(first, second), third))
        active = self.mesh.active[np.ix_(*self._intervals)]
        return sp.csr_matrix(sp.hstack(parts))[np.flatnonzero(active)]

    def face_index(self, face: Face) -> tuple[NDArray[np.integer], ...]:
        """Index of the component across a face for its functions with a normal trace there."""
        return np.ix_(
            *(
                np.array([face.level]) if k == face.axis else axis.dofs_Q[face.brick[k]]
                for k, axis in enumerate(self.mesh.axes)
            )
        )


def _mass(axis: Axis, i: int) -> Array:
    """(v_j, v_i) of V on one interval; that of Q is the identity."""
    x, w = axis.gauss(i)
    V, _ = axis.local_tables(i, x)
    return np.asarray((V.T * w) @ V)
