"""Modes common to V and Q on one axis: what sines and cosines are on the line.

With V's functions held at zero at some of the two ends, the singular values of d/dx : V → Q between
orthonormal bases give

    c_k′ = κ_k s_k,   (c_k, c_l) = (s_k, s_l) = δ_kl,

and what is left over is constant: c_0 if no end is held, s_0 if both are, nothing if one is.
Intervals of 1e-10 next to those of length 1 spread κ over ten decades and more; one-sided Jacobi
rotations (Demmel, Veselić 1992; LAPACK's gejsv) keep the small ones and the orthogonality of both
families, where the eigenvalue problem (c_k′, c_l′) = κ² (c_k, c_l) loses one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack, solve_triangular

from fem.spaces import Array
from fem.spaces.bricks.axis import Axis

Held = tuple[bool, bool]  # whether functions of V vanish at the lower and at the upper end
ACCURATE = 2  # gejsv's JOBA = 'F': relative accuracy for graded matrices


@dataclass(frozen=True, eq=False)
class Modes:
    """κ ascending, and the coefficients of the modes in V and Q; a mode that does not
    exist is a column of zeros."""

    axis: Axis
    held: Held

    @cached_property
    def _decomposed(self) -> tuple[Array, Array, Array]:
        """κ, C (size V, modes), S (size Q, modes)."""
        axis = self.axis
        ends = [end for end, held in zip((0, axis.intervals), self.held, strict=True) if held]
        free = np.setdiff1d(np.arange(axis.size_V), ends)
        kappa, inner, S = _jacobi(axis.mass_V[np.ix_(free, free)], axis.derivative[:, free])
        C = np.zeros((axis.size_V, len(kappa)))
        C[free] = inner
        if sum(self.held) == 1:
            return kappa, C, S
        in_V, in_Q = np.zeros((axis.size_V, 1)), np.zeros((axis.size_Q, 1))
        if not any(self.held):
            in_V[: axis.intervals + 1] = 1.0 / np.sqrt(axis.length)
        else:
            in_Q[[dofs[0] for dofs in axis.dofs_Q], 0] = np.sqrt(axis.lengths / axis.length)
        return np.concatenate([[0.0], kappa]), np.hstack([in_V, C]), np.hstack([in_Q, S])

    kappa = property(lambda self: self._decomposed[0])
    C = property(lambda self: self._decomposed[1])
    S = property(lambda self: self._decomposed[2])

    @cached_property
    def project_V(self) -> Array:
        """(size V, modes): coefficients of v ∈ V to (v, c_k)."""
        return self.axis.mass_V @ self.C


def _jacobi(mass: Array, derivative: Array) -> tuple[Array, Array, Array]:
    """κ > 0 and coefficients of c_k and s_k, from D R⁻¹ = S κ Wᵀ with RᵀR = M, C = R⁻¹ W."""
    if 0 in derivative.shape:
        return np.zeros(0), np.zeros((derivative.shape[1], 0)), np.zeros((derivative.shape[0], 0))
    scale = np.sqrt(np.diag(mass))
    R = np.linalg.cholesky(mass / np.outer(scale, scale)).T
    inverse = solve_triangular(R, np.eye(len(R))) / scale[:, None]
    B = derivative @ inverse
    wide = B.shape[1] > B.shape[0]
    sigma, left, right, work, _, info = lapack.dgejsv(B.T if wide else B, joba=ACCURATE, jobr=0)
    if info != 0:
        raise RuntimeError(f"gejsv returned {info} for a matrix {B.shape}")
    kappa = sigma * work[0] / work[1]
    S, W = (right, left) if wide else (left, right)
    order = np.argsort(kappa)
    return kappa[order], inverse @ W[:, order], S[:, order]
