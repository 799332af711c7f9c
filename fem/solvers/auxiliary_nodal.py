"""Two ways to correct an edge function by nodal ones: Π V Πᵀ r + G W Gᵀ r of Hiptmair–Xu.

Π interpolates nodal vector fields on edges, G is the discrete gradient; V and W are multigrid
cycles. Where φ hardly varies, V is the same scalar matrix for the three components, and one cycle
serves all. Where φ jumps and edges are fixed, V is ΠᵀAΠ of one component at a time: it keeps the
normal components of nodes on the boundary, which the first way leaves out. On the cube (n = 12, a
block with 10³ times the φ of the rest, near the boundary) that takes 18 iterations, not 76.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.meshes.tets import Ints, Tets
from fem.solvers.blocks import whole
from fem.solvers.multigrid import Multigrid
from fem.solvers.symmetric import Symmetric
from fem.spaces import Array
from fem.spaces.tets.local_matrices import nodal

Mask = NDArray[np.bool_]
NO_MASS = 1e-3  # of the largest β: W in cells with β = 0, where residuals have no gradient part


@dataclass(frozen=True, eq=False)
class SharedHierarchy:
    """V for (α∇·,∇·) + (max(α/L²,β)·,·) of all components, nodes of fixed edges left out.

    `gradients` is W, or None where V serves both (equal weights) or β = 0 (no gradients in A).
    """

    vectors: Multigrid
    gradients: Multigrid | None
    with_gradients: bool
    ends: Ints  # (edges, 2) numbers of free nodes, −1 at fixed ones
    tangents: Array  # (edges, 3): half of end − start
    free_edges: Mask
    nodes: int  # free ones

    @classmethod
    def build(cls, tets: Tets, alpha: Array, beta: Array, fixed: Mask, thin: bool) -> Any:
        free = _free_nodes(tets, fixed)
        number = np.where(free, np.cumsum(free) - 1, -1).astype(np.int32)
        # Equal weights: (β∇·,∇·) and (β∇·,∇·) + (β·,·) are equivalent away from the constants,
        # and those have no gradient. One hierarchy, and one cycle for four right-hand sides.
        with_gradients = bool(beta.any())
        gradients = None
        if with_gradients and not np.array_equal(alpha, beta):
            gradients = _gradient_cycle(tets, beta, free, thin)
        # max(α/L², β), not β: constants stay out of the kernel where β is small or zero, and it
        # takes 12 iterations instead of 14 (n = 10, β = 1e-4, nothing fixed).
        mass = np.maximum(alpha / np.ptp(tets.p, axis=1).max() ** 2, beta)
        vectors = Multigrid(_restricted(nodal(tets, alpha, mass), free), thin)
        return cls(
            vectors,
            gradients,
            with_gradients,
            number[tets.edges],
            _half_edges(tets),
            ~fixed,
            int(free.sum()),
        )

    def __call__(self, r: Array) -> Array:
        loads = np.zeros((self.nodes, 4))
        _restrict(self.ends, self.tangents, self.free_edges, r, loads)
        if self.with_gradients and self.gradients is None:
            corrections = self.vectors(loads)
        else:
            corrections = np.zeros_like(loads)
            corrections[:, :3] = self.vectors(np.ascontiguousarray(loads[:, :3]))
            if self.gradients is not None:
                corrections[:, 3:] = self.gradients(np.ascontiguousarray(loads[:, 3:]))
        result = np.empty_like(r)
        _prolong(self.ends, self.tangents, self.free_edges, corrections, result)
        return result


@dataclass(frozen=True, eq=False)
class ComponentHierarchies:
    """V for ΠᵀAΠ of each component at all nodes, W for the gradients of free nodes."""

    parts: list[tuple[Any, Any, Multigrid]]  # P and Pᵀ (csr_array), and the cycle for PᵀAP

    @classmethod
    def build(cls, matrix: Symmetric, tets: Tets, beta: Array, fixed: Mask) -> Any:
        A, parts = whole(matrix), []
        for interpolation in _interpolations(tets, fixed):
            product = (interpolation.T @ (A @ interpolation)).tocsr()
            parts.append((interpolation, interpolation.T.tocsr(), Multigrid(product, thin=True)))
        if beta.any():
            free = _free_nodes(tets, fixed)
            gradient = _on_edges(tets, np.tile([-1.0, 1.0], len(fixed)))[:, np.flatnonzero(free)]
            cycle = _gradient_cycle(tets, beta, free, thin=True)
            parts.append((gradient, gradient.T.tocsr(), cycle))
        return cls(parts)

    def __call__(self, r: Array) -> Array:
        result = np.zeros_like(r)
        for interpolation, transposed, cycle in self.parts:
            result += interpolation @ cycle((transposed @ r)[:, None])[:, 0]
        return result


def _interpolations(tets: Tets, fixed: Mask) -> Iterator[Any]:
    """Π of each component, zero on fixed edges, without the nodes it does not see."""
    half = _half_edges(tets) * ~fixed[:, None]
    for d in range(3):
        whole_ = _on_edges(tets, np.repeat(half[:, d], 2))
        whole_.eliminate_zeros()
        yield whole_[:, np.flatnonzero(np.bincount(whole_.indices, minlength=whole_.shape[1]))]


def _on_edges(tets: Tets, values: Array) -> Any:
    """A matrix from nodes to edges with two values a row, for the lower and the higher end."""
    from scipy.sparse import csr_array

    start = np.arange(0, values.size + 1, 2)
    shape = (len(tets.edges), tets.p.shape[1])
    return csr_array((values, tets.edges.ravel(), start), shape=shape)


def _gradient_cycle(tets: Tets, beta: Array, free: Mask, thin: bool) -> Multigrid:
    weight = np.where(beta > 0, beta, NO_MASS * beta.max())
    return Multigrid(_restricted(nodal(tets, weight), free), thin)


def _half_edges(tets: Tets) -> Array:
    return _halves(tets.p, tets.edges)


def _free_nodes(tets: Tets, fixed: Mask) -> Mask:
    free = np.ones(tets.p.shape[1], bool)
    free[tets.edges[fixed]] = False
    return free


def _restricted(matrix: Any, free: Mask) -> Any:
    return matrix if free.all() else matrix[free][:, free]


@njit(cache=True, nogil=True)
def _halves(p: Array, edges: Ints) -> Array:
    result = np.empty((len(edges), 3))
    for e in range(len(edges)):
        for d in range(3):
            result[e, d] = (p[d, edges[e, 1]] - p[d, edges[e, 0]]) / 2
    return result


@njit(cache=True, nogil=True, fastmath={"contract"})
def _restrict(ends: Ints, tangents: Array, free: Mask, r: Array, loads: Array) -> None:
    """loads[:, :3] = Πᵀ r (half the edge vector to either end), loads[:, 3] = Gᵀ r."""
    for e in range(r.size):
        if not free[e]:
            continue
        x, y, z = tangents[e, 0] * r[e], tangents[e, 1] * r[e], tangents[e, 2] * r[e]
        gradient = -r[e]
        for end in range(2):
            if ends[e, end] >= 0:
                node = np.uint32(ends[e, end])
                loads[node, 0] += x
                loads[node, 1] += y
                loads[node, 2] += z
                loads[node, 3] += gradient
            gradient = r[e]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _prolong(ends: Ints, tangents: Array, free: Mask, nodal: Array, x: Array) -> None:
    """x = Π nodal[:, :3] + G nodal[:, 3]."""
    for e in range(x.size):
        total, sign = 0.0, -1.0
        if free[e]:
            for end in range(2):
                if ends[e, end] >= 0:
                    v = nodal[np.uint32(ends[e, end])]
                    total += tangents[e, 0] * v[0] + tangents[e, 1] * v[1] + tangents[e, 2] * v[2]
                    total += sign * v[3]
                sign = 1.0
        x[e] = total
