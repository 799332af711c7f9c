"""The p-version: hexahedral Nédélec elements of any order on n × n × n cells of the unit cube.

Component d of the space is Q (degree p−1, broken) along x_d and V (degree p, continuous) across,
3·np·(np+1)² unknowns. In the products of the modes of `tensor_basis` the Gram matrix of H(curl)
falls apart into 3 × 3 blocks (1 + |κ|²) I − κκᵀ with inverse (I + κκᵀ)/(1 + |κ|²), so that the
best approximation is three small dense transforms and a division: direct, for any n and p.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fem.errors import InputError
from fem.rules.cell_rules import gauss
from fem.spaces import PLAIN, Array, Field, How, Line, LinearSolve
from fem.spaces.tensor_basis import LineModes

EXTRA_POINTS = 6  # Gauss points per cell beyond p: 2p + 11 exact, enough for errors near rounding
ENTRIES_AT_ONCE = 1 << 24  # of the largest temporary when evaluating at points
GRADING = 0.15  # of the panels towards a singular edge, geometric
PANELS = 12


class AxisRule(NamedTuple):
    """A rule on (0, 1) and the modes c, s at its points, (points, np + 1)."""

    points: Array
    weights: Array
    c: Array
    s: Array


@dataclass(frozen=True)
class TensorSpace:
    """Nédélec's hexahedral space of the given order; coefficients are those of the modes."""

    n: int
    order: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InputError(f"n must be at least 1 cell per side, got {self.n}")
        if self.order < 1:
            raise InputError(
                f"order must be at least 1 (1 is the lowest-order element), got {self.order}"
            )

    @property
    def dofs(self) -> int:
        m = self.n * self.order
        return 3 * m * (m + 1) ** 2

    @property
    def h(self) -> float:
        """The cell diameter √3/n."""
        return float(np.sqrt(3.0) / self.n)

    def predicted_bytes(self, threads: int = 1) -> int:
        """Quadrature grid (three points, four fields at once) and the coefficients."""
        points = (self.n * (self.order + EXTRA_POINTS)) ** 3
        return 8 * (15 * points + 6 * (self.n * self.order + 1) ** 3)

    @cached_property
    def modes(self) -> LineModes:
        return LineModes(self.n, self.order)

    def _axis_rule(self, towards: float | None = None) -> AxisRule:
        """Gauss points and weights on (0, 1) and the modes there; panels shrink towards a point."""
        breaks = np.linspace(0.0, 1.0, self.n + 1)
        if towards is not None:
            steps = GRADING ** np.arange(1, PANELS) / self.n
            graded = np.concatenate([breaks, towards - steps, towards + steps])
            breaks = np.unique(graded[(graded >= 0.0) & (graded <= 1.0)])
        x, w = gauss(self.order + EXTRA_POINTS)
        points = (breaks[:-1, None] + np.diff(breaks)[:, None] * x).ravel()
        return AxisRule(points, np.outer(np.diff(breaks), w).ravel(), *self.modes.values(points))

    def _grid(self, singular_edge: Line | None = None) -> list[AxisRule]:
        """The rule of each axis, graded in x₁ and x₂ towards a singular edge {x₁ = a, x₂ = b}."""
        if singular_edge is None:
            return [self._axis_rule()] * 3
        a, b = singular_edge
        return [self._axis_rule(a), self._axis_rule(b), self._axis_rule()]

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        grid = self._grid(how.singular_edge)
        x = _tensor_points(grid)
        c, s = ([getattr(axis, k) * axis.weights[:, None] for axis in grid] for k in ("c", "s"))
        value = _transform(u(x), c, s, along=True)
        # curl is κ × in the modes, so its transpose is −κ ×
        return (value - self._curl(_transform(curl_u(x), c, s, along=False))).ravel()

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        """(I + κκᵀ)/(1 + |κ|²) per mode: direct, so no iterations and no residual."""
        kappa = self._kappa
        B = np.where(self._present, b.reshape(kappa.shape), 0.0)
        X = (B + kappa * (kappa * B).sum(axis=0)) / (1.0 + (kappa**2).sum(axis=0))
        return LinearSolve(X.ravel(), 0, 0.0)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl), by the Gauss rule of the load."""
        grid = self._grid(how.singular_edge)
        where, X = _tensor_points(grid), self._coefficients(x)
        c, s = [axis.c.T for axis in grid], [axis.s.T for axis in grid]
        l2 = _square(u(where) - _transform(X, c, s, along=True), grid)
        curl = _square(curl_u(where) - _transform(self._curl(X), c, s, along=False), grid)
        return float(np.sqrt(l2)), float(np.sqrt(l2 + curl))

    def interpolate(self, u: Field) -> Array:
        """The L² projection of u: the modes are orthonormal."""
        grid = self._grid()
        c, s = ([getattr(axis, k) * axis.weights[:, None] for axis in grid] for k in ("c", "s"))
        return _transform(u(_tensor_points(grid)), c, s, along=True).ravel()

    def evaluate(self, x: Array, points: Array) -> Array:
        """u_h at points (3, …) of the cube."""
        return self._at_points(self._coefficients(x), points, along=True)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self._at_points(self._curl(self._coefficients(x)), points, along=False)

    def _coefficients(self, x: Array) -> Array:
        return x.reshape(self._kappa.shape)

    @cached_property
    def _kappa(self) -> Array:
        """κ as (3, m, m, m)."""
        kappa = self.modes.kappa
        return np.stack(np.meshgrid(kappa, kappa, kappa, indexing="ij"))

    @cached_property
    def _present(self) -> NDArray[np.bool_]:
        """Component d has no mode s_0 along x_d."""
        return self._kappa > 0.0

    def _curl(self, X: Array) -> Array:
        """κ × X: as c_k′ = κ_k s_k, component 0 of the curl of (X₀ s c c, X₁ c s c, X₂ c c s) is
        (κ₁X₂ − κ₂X₁) c s s, and so on cyclically."""
        k = self._kappa
        return np.stack(
            [k[1] * X[2] - k[2] * X[1], k[2] * X[0] - k[0] * X[2], k[0] * X[1] - k[1] * X[0]]
        )

    def _at_points(self, X: Array, points: Array, along: bool) -> Array:
        flat = points.reshape(3, -1)
        if flat.size and (flat.min() < -1e-12 or flat.max() > 1.0 + 1e-12):
            raise InputError("points must lie in the unit cube [0, 1]³, where the mesh is")
        out = np.empty_like(flat)
        batch = max(1, ENTRIES_AT_ONCE // self.modes.size**2)
        for start in range(0, flat.shape[1], batch):
            chunk = slice(start, start + batch)
            tables = [self.modes.values(np.clip(flat[d, chunk], 0.0, 1.0)) for d in range(3)]
            for component in range(3):
                first, second, third = (
                    tables[d][1 if (d == component) == along else 0] for d in range(3)
                )
                planes = np.einsum("ijk,qk->qij", X[component], third, optimize=True)
                lines = np.einsum("qij,qj->qi", planes, second)
                out[component, chunk] = np.einsum("qi,qi->q", lines, first)
        return out.reshape(points.shape)


def _tensor_points(grid: list[AxisRule]) -> Array:
    return np.stack(np.meshgrid(*(axis.points for axis in grid), indexing="ij"))


def _transform(F: Array, c: list[Array], s: list[Array], along: bool) -> Array:
    """Applies per component s in its own direction and c in the others (`along`), or the reverse.

    The tables are (in, out) per axis: those at points transform values to coefficients, their
    transposes coefficients to values.
    """
    own, other = (s, c) if along else (c, s)
    out = []
    for component in range(3):
        A, B, C = ((own if d == component else other)[d] for d in range(3))
        out.append(np.einsum("xyz,xi,yj,zk->ijk", F[component], A, B, C, optimize=True))
    return np.stack(out)


def _square(field: Array, grid: list[AxisRule]) -> float:
    weights = [axis.weights for axis in grid]
    return float(np.einsum("dxyz,x,y,z->", field**2, *weights, optimize=True))
