"""Reduced basis: Galerkin's method on the span of a few snapshots v(μ_i).

The basis is orthonormal in L² (the divergence constraint is built into the modes). What depends on
μ is interpolated empirically, with the inverse of the interpolation folded into the stored terms:
online A = A₀ + Σ_k θ_k(μ) A_k is a sum of small matrices, whatever the order of the truth.
Snapshots are taken at a space-filling design, or greedily where the bound η (`Truth.bound`) of the
reduced solution is largest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bench.methods.surrogates.interpolation import Interpolation
from bench.methods.surrogates.truth import Truth
from bench.problems.families import Array

NEGLIGIBLE = 1e-11  # singular values over the largest: directions of rounding
GREEDY_CANDIDATES = 32  # per step of the greedy choice


@dataclass(frozen=True, eq=False)
class Basis:
    """Orthonormal fields v_i as rows (N, 3, modes, modes, modes), by singular values descending."""

    truth: Truth
    fields: Array
    singular: Array

    @classmethod
    def of(
        cls, truth: Truth, snapshots: Sequence[Array], most: int = 0, least: float = 0.0
    ) -> Basis:
        """The proper orthogonal decomposition of solutions y: at most `most` fields (0: all) with
        singular values above `least` times the largest."""
        shape = snapshots[0].shape
        matrix = np.stack([(y / truth.system.scale).ravel() for y in snapshots])
        Q, R = np.linalg.qr(matrix.T)
        left, singular, _ = np.linalg.svd(R)
        keep = int((singular > max(least, NEGLIGIBLE) * singular[0]).sum())
        keep = min(keep, most or keep)
        return cls(truth, (Q @ left[:, :keep]).T.reshape(keep, *shape), singular)

    def __len__(self) -> int:
        return len(self.fields)

    @cached_property
    def ys(self) -> Array:
        """The same fields as y = |κ| v."""
        return self.fields * self.truth.system.scale

    @cached_property
    def increments(self) -> Array:
        """The same fields in the space's own basis, (N, dofs)."""
        return np.stack([self.truth.increment(y) for y in self.ys])

    @cached_property
    def curls(self) -> Array:
        """Their curls at the points of the rule, (N, 3, points)."""
        return np.stack([_joined(self.truth.system.curls(y)) for y in self.ys])

    def project(self, y: Array) -> Array:
        """Coefficients of the L² projection of v = y/|κ|."""
        v = (y / self.truth.system.scale).ravel()
        return np.asarray(self.fields.reshape(len(self), -1) @ v)

    def combined(self, a: Array) -> Array:
        """y of Σ a_i v_i."""
        return np.tensordot(a, self.ys, axes=1)


@dataclass(frozen=True, eq=False)
class Lifts:
    """u₁(μ) = u₁(middle) + Σ θ_k(μ) l_k; without terms where f and g are fixed."""

    interpolation: Interpolation
    middle: Array
    terms: Array  # (M, dofs), or (0, dofs)

    @classmethod
    def of(cls, truth: Truth, interpolation: Interpolation) -> Lifts:
        middle = truth.lift(truth.family.middle).x
        if truth.family.varies == "phi":
            return cls(interpolation, middle, np.zeros((0, len(middle))))
        others = np.stack([truth.lift(mu).x - middle for mu in interpolation.mus])
        return cls(interpolation, middle, interpolation.inverse.T @ others)

    def __call__(self, mu: Array) -> Array:
        if not len(self.terms):
            return self.middle
        return np.asarray(self.middle + self.interpolation.values(mu) @ self.terms)


@dataclass(frozen=True, eq=False)
class Galerkin:
    """The reduced system: (A₀ + Σ θ_k A_k) a = b₀ + Σ θ_k b_k."""

    interpolation: Interpolation
    A0: Array  # (N, N)
    A: Array  # (M, N, N), M = 0 where φ is fixed
    b0: Array  # (N,)
    b: Array  # (M, N)

    @classmethod
    def of(cls, basis: Basis, interpolation: Interpolation) -> Galerkin:
        made = _with_phi if basis.truth.family.varies == "phi" else _with_data
        A0, A, b0, b = made(basis, interpolation.mus)
        fold = interpolation.inverse.T
        return cls(interpolation, A0, np.tensordot(fold[:, : len(A)], A, axes=1), b0, fold @ b)

    def __call__(self, mu: Array) -> Array:
        """The coefficients a(μ)."""
        theta = self.interpolation.values(mu)
        matrix = self.A0
        if self.A.size:
            matrix = matrix + (theta @ self.A.reshape(len(theta), -1)).reshape(matrix.shape)
        return np.asarray(np.linalg.solve(matrix, self.b0 + theta @ self.b))

    def batch(self, mus: Array) -> Array:
        """Rows of coefficients for rows μ."""
        theta = np.stack([self.interpolation.values(mu) for mu in mus])
        A = self.A0 + (np.tensordot(theta, self.A, axes=1) if self.A.size else 0.0)
        return np.asarray(np.linalg.solve(A, (self.b0 + theta @ self.b)[..., None])[..., 0])


def _with_phi(basis: Basis, mus: Array) -> tuple[Array, Array, Array, Array]:
    """A₀, A_k, b₀, b_k where φ varies: ((φ_k − 1) curl v_i, curl v_j) and with curl u₁."""
    truth, C, ys = basis.truth, basis.curls, basis.ys.reshape(len(basis), -1)
    weights = _joined([w[None] for w in truth.system.weights])
    spin = _joined(truth.lift(truth.family.middle).curls)
    terms, loads = [], []
    for mu in mus:
        phi = _joined([phi[None] for phi in truth.coefficient(mu).values])
        weighted = (C * ((phi - 1.0) * weights)).reshape(len(C), -1)
        terms.append(weighted @ C.reshape(len(C), -1).T)
        loads.append(-weighted @ spin.ravel())
    return ys @ ys.T, np.stack(terms), np.zeros(len(C)), np.stack(loads)


def _with_data(basis: Basis, mus: Array) -> tuple[Array, Array, Array, Array]:
    """The same where f and g vary: one matrix, and a load for each lift."""
    truth, ys = basis.truth, basis.ys.reshape(len(basis), -1)
    phi = truth.coefficient(truth.family.middle)
    A0 = np.stack([phi.apply(y).ravel() for y in basis.ys]) @ ys.T
    b0 = ys @ phi.load(truth.lift(truth.family.middle).curls).ravel()
    b = np.stack([ys @ phi.load(truth.lift(mu).curls).ravel() - b0 for mu in mus])
    return A0, np.zeros((len(mus), 0, 0)), b0, b


def _joined(slabs: Sequence[Array]) -> Array:
    """Values on the slabs of a grid as (components, points)."""
    return np.concatenate([part.reshape(len(part), -1) for part in slabs], axis=1)


def greedy_snapshots(
    truth: Truth, interpolation: Interpolation, count: int, tol: float, seed: int
) -> list[Array]:
    """Solutions where the bound of the reduced solution is largest among fresh candidates."""
    found = [truth.solve(truth.family.from_unit(np.ones((1, truth.family.dimension)))[0], tol).y]
    while len(found) < count:
        basis = Basis.of(truth, found)
        reduced = Galerkin.of(basis, interpolation)
        mus = truth.family.sample(GREEDY_CANDIDATES, seed + len(found))
        worst = max(mus, key=lambda mu: truth.bound(mu, basis.combined(reduced(mu))))
        found.append(truth.solve(worst, tol).y)
    return found
