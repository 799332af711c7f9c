"""The spaces on a whole grid of bricks in the modes of its axes, where constant coefficients are
diagonal: curl is κ ×, grad is κ, and what is left to iterate on is the variation of φ alone.

Per mode the curl-curl matrix is |κ|² I − κκᵀ, with pseudo-inverse (I − κκᵀ/|κ|²)/|κ|², and that of
H(curl) is (1 + |κ|²) I − κκᵀ, with inverse (I + κκᵀ)/(1 + |κ|²). Preconditioned by the first, φ
brings the condition number max φ / min φ, whatever the orders, the number of bricks and their
shapes: geometric layers of ratio 1e-10 cost no iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fem.spaces import Array
from fem.spaces.bricks.mesh import BrickMesh, Mask
from fem.spaces.bricks.modes import Held, Modes
from fem.spaces.bricks.tensor import Family, Grid, moments, values


@dataclass(frozen=True, eq=False)
class BoxModes:
    """Nédélec's space and its potentials on a box, held or free at the sides."""

    mesh: BrickMesh
    held: tuple[Held, Held, Held]

    @cached_property
    def modes(self) -> list[Modes]:
        return [Modes(axis, held) for axis, held in zip(self.mesh.axes, self.held, strict=True)]

    @cached_property
    def kappa(self) -> Array:
        """κ as (3, modes, modes, modes)."""
        return np.stack(np.meshgrid(*(m.kappa for m in self.modes), indexing="ij"))

    @cached_property
    def squares(self) -> Array:
        """|κ|², 1 where it is zero: there curl and gradient vanish."""
        total = np.asarray((self.kappa**2).sum(axis=0))
        return np.where(total > 0.0, total, 1.0)

    @cached_property
    def present(self) -> Mask:
        """Which of the modes of each component exist, (3, …)."""
        return np.stack([self._products(component=d) for d in range(3)])

    @cached_property
    def potentials(self) -> Mask:
        """Which modes are potentials with a gradient."""
        return self._products(component=None) & ((self.kappa**2).sum(axis=0) > 0.0)

    def _products(self, component: int | None) -> Mask:
        x, y, z = (
            np.asarray((m.S if k == component else m.C).any(axis=0))
            for k, m in enumerate(self.modes)
        )
        return x[:, None, None] & y[:, None] & z

    @property
    def dofs(self) -> int:
        return int(self.present.sum())

    def space(self, grid: Grid) -> Family:
        """The modes of Nédélec's space at the points of a grid."""
        return Family(*self._tables(grid))

    def curls(self, grid: Grid) -> Family:
        return Family(*reversed(self._tables(grid)))

    def scalars(self, grid: Grid) -> list[Array]:
        return self._tables(grid)[1]

    def _tables(self, grid: Grid) -> tuple[list[Array], list[Array]]:
        pairs = list(zip(grid.rules, self.modes, strict=True))
        return [rule.Q @ m.S for rule, m in pairs], [rule.V @ m.C for rule, m in pairs]

    def curl(self, X: Array) -> Array:
        """κ × X; as a matrix it is skew, so that its transpose is −κ ×."""
        return cross(self.kappa, X)

    def divergence(self, X: Array) -> Array:
        """(u, ∇q) for the potentials q of the modes."""
        return np.where(self.potentials, (self.kappa * X).sum(axis=0), 0.0)

    def poisson(self, b: Array) -> Array:
        """p with (∇p, ∇q) = b."""
        return np.where(self.potentials, b / self.squares, 0.0)

    @cached_property
    def _onto_modes(self) -> Family:
        return Family([m.S.T for m in self.modes], [m.C.T for m in self.modes])

    def project(self, parts: Sequence[Array]) -> Array:
        """(u, v) of a field with coefficients in V and Q for all modes v."""
        return values(parts, Family(self._onto_modes.along, [m.project_V.T for m in self.modes]))

    def coefficients(self, X: Array) -> list[Array]:
        """Coefficients of the same field in V and Q."""
        return moments(X, self._onto_modes)

    def tested(self, moments: Sequence[Array]) -> Array:
        """Moments against the functions of V and Q, turned to those against the modes."""
        return values(moments, self._onto_modes)

    def project_curl(self, parts: Sequence[Array]) -> Array:
        """(w, curl v) of a field in V along, Q across, for all modes v."""
        family = Family([m.project_V.T for m in self.modes], self._onto_modes.along)
        return -self.curl(values(parts, family))

    def solve_curl_curl(self, b: Array) -> Array:
        """The solution without gradient part of (curl u, curl v) = b, φ = 1."""
        return self.without_gradients(b) / self.squares

    def without_gradients(self, X: Array) -> Array:
        return X - self.kappa * (self.divergence(X) / self.squares)

    def solve_hcurl(self, b: Array) -> Array:
        """(I + κκᵀ) b / (1 + |κ|²): the best approximation in H(curl)."""
        kappa = self.kappa
        B = np.where(self.present, b, 0.0)
        return (B + kappa * (kappa * B).sum(axis=0)) / (1.0 + (kappa**2).sum(axis=0))


def cross(a: Array, b: Array) -> Array:
    """a × b of fields (3, …); np.cross takes as long as the transforms of a small box."""
    out = np.empty_like(b)
    for d in range(3):
        first, second = (d + 1) % 3, (d + 2) % 3
        np.multiply(a[first], b[second], out=out[d])
        out[d] -= a[second] * b[first]
    return out


def flat(parts: Sequence[Array] | NDArray[np.float64]) -> Array:
    return np.concatenate([part.ravel() for part in parts])
