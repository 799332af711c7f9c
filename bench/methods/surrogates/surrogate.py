"""A surrogate of a family, whatever its method: `surrogate(mu)(points)`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from base.errors import UserError, nearest
from bench.methods.surrogates import nets
from bench.methods.surrogates.names import METHODS
from bench.methods.surrogates.reduced_basis import Basis, Lifts
from bench.methods.surrogates.truth import Truth, grid_points
from bench.problems.families import Array, Family, get
from fem.rules.quadrature import gauss

MEAN_POINTS = 8  # Gauss points per direction for the mean of a field without coefficients


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a surrogate is made of: family, method, truth, snapshots."""

    family: str = "bump"
    dimension: int = 2
    contrast: float = 10.0
    method: str = "rb"
    order: int = 8
    snapshots: int = 24
    modes: int = 0
    tol: float = 1e-3
    seed: int = 0
    hidden: int = 3
    width: int = 40
    tau: str = "fixed"
    steps: int = 500

    def chosen(self) -> Family:
        if self.method not in METHODS:
            raise UserError(f"unknown method {self.method!r}; {nearest(self.method, [*METHODS])}")
        return get(self.family, self.dimension, self.contrast)

    def net(self, points: int) -> nets.NetOptions:
        return nets.NetOptions(
            hidden=self.hidden, width=self.width, tau=self.tau, steps=self.steps, seed=self.seed,
            points=points,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Surrogate:
    """u(μ) for many μ. `x` gives coefficients on the truth's brick, where there are some."""

    plan: Plan
    truth: Truth
    lifts: Lifts
    basis: Basis | None = None
    coefficients: Callable[[Array], Array] | None = None  # μ -> a
    space: nets.SpaceNet | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)  # what a file keeps

    @property
    def family(self) -> Family:
        return self.truth.family

    def __call__(self, mu: Any) -> Callable[[Array], Array]:
        """The field u(μ): points (3, …) to values; a warning outside the trained range."""
        mu = self.family.checked(mu)
        if beyond := self.family.beyond(mu):
            warnings.warn(
                f"μ = {mu.tolist()} lies {beyond:.2g} half-widths outside the trained range of "
                f"family {self.family.name}; the error there is unknown",
                stacklevel=2,
            )
        return self.field(mu)

    def field(self, mu: Array) -> Callable[[Array], Array]:
        if self.space is None:
            x = self.x(mu)
            return lambda points: self.truth.space.evaluate(x, points)
        lift, t = self.lifts(mu), self.family.unit(mu)[0]

        def values(points: Array) -> Array:
            flat = np.asarray(points, dtype=float).reshape(3, -1)
            v = self.space(flat, t) if self.space else 0.0
            return (self.truth.space.evaluate(lift, flat) + v).reshape(np.shape(points))

        return values

    @property
    def batch(self) -> Callable[[Array], Array] | None:
        """Rows μ to rows of coefficients at once, where the method can."""
        return getattr(self.coefficients, "batch", None)

    def x(self, mu: Array) -> Array:
        """Coefficients of u(μ) on the truth's brick."""
        assert self.basis is not None
        assert self.coefficients is not None
        return np.asarray(self.lifts(mu) + self.coefficients(mu) @ self.basis.increments)

    def whole(self, mu: Array) -> Array:
        """u(μ) on GRID³ points."""
        if self.space is None:
            return self.truth.on_grid(self.x(mu))
        points = grid_points()
        v = self.space(points.reshape(3, -1), self.family.unit(mu)[0])
        return self.truth.on_grid(self.lifts(mu)) + v.reshape(points.shape)

    @cached_property
    def _means(self) -> tuple[Array, Array]:
        assert self.basis is not None
        return self.lifts.terms @ self.truth.mean, self.basis.increments @ self.truth.mean

    @cached_property
    def _middle_mean(self) -> float:
        return float(self.lifts.middle @ self.truth.mean)

    def mean(self, mu: Array) -> float:
        """The mean of the first component of u(μ) over the cube: one functional."""
        if self.space is not None:
            x, w = gauss(MEAN_POINTS)
            points = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
            v = self.space(points, self.family.unit(mu)[0])[0]
            weights = np.einsum("i,j,k->ijk", w, w, w).ravel()
            return float(self.lifts(mu) @ self.truth.mean + v @ weights)
        assert self.coefficients is not None
        lifted, based = self._means
        constant = self._middle_mean
        if len(lifted):
            constant += float(self.lifts.interpolation.values(mu) @ lifted)
        return constant + float(self.coefficients(mu) @ based)

    def bound(self, mu: Array) -> float | None:
        """η: an upper bound of ‖φ^½ curl(u_p − u(μ))‖, u_p the p-version's solution; None if this
        surrogate is no combination of modes, or u₁ is interpolated."""
        if self.basis is None or self.coefficients is None or self.family.varies != "phi":
            return None
        return self.truth.bound(mu, self.basis.combined(self.coefficients(mu)))
