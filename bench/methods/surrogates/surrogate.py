"""Methods that answer for every μ of a family: `surrogate(mu)(points)`.

An answer is asked for in three ways, which are timed: as a field at points, on a whole grid, and as
one functional, its mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bench.methods.surrogates.nets import SpaceNet
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.reduced_basis import Basis, Lifts
from bench.methods.surrogates.truth import Truth, cube_rule, grid_points
from bench.problems.families import Array, Family
from fem.boundary_value import solve_boundary_value

MEAN_POINTS = 8  # Gauss points per direction for the mean of a field without coefficients


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """u(μ) for many μ; subclasses define `field`."""

    truth: Truth

    @property
    def family(self) -> Family:
        return self.truth.family

    def field(self, mu: Array) -> Callable[[Array], Array]:
        """u(μ): points (3, …) to values."""
        raise NotImplementedError

    def whole(self, mu: Array) -> Array:
        """u(μ) on GRID³ points."""
        return self.field(mu)(grid_points())

    def mean(self, mu: Array) -> float:
        """The mean of the first component of u(μ) over the cube: one functional."""
        points, weights = cube_rule(MEAN_POINTS)
        return float(self.field(mu)(points)[0] @ weights)


class OnBrick(Answers):
    """u(μ) by its coefficients on the truth's brick; subclasses define `x`."""

    def x(self, mu: Array) -> Array:
        """Coefficients of u(μ)."""
        raise NotImplementedError

    def field(self, mu: Array) -> Callable[[Array], Array]:
        x = self.x(mu)
        return lambda points: self.truth.space.evaluate(x, points)

    def whole(self, mu: Array) -> Array:
        return self.truth.on_grid(self.x(mu))

    def mean(self, mu: Array) -> float:
        return float(self.x(mu) @ self.truth.mean)


@dataclass(frozen=True, eq=False, kw_only=True)
class Solver(OnBrick):
    """One p-version solve per query; `none` leaves v out: the solution for φ = 1."""

    tol: float
    none: bool = False

    def x(self, mu: Array) -> Array:
        if self.none:
            return self.truth.lift(mu).x
        return self.truth.coefficients(mu, self.truth.solve(mu, self.tol).y)


@dataclass(frozen=True, eq=False, kw_only=True)
class Meshed(Answers):
    """One solve per query on n cells per side with a low-order element."""

    element: str
    n: int
    tol: float

    def field(self, mu: Array) -> Callable[[Array], Array]:
        problem = self.family.problem(mu)
        return solve_boundary_value(problem, self.n, element=self.element, tol=0.1 * self.tol)


@dataclass(frozen=True, eq=False, kw_only=True)
class Surrogate(Answers):
    """Answers that were prepared once (offline), in these seconds."""

    plan: Plan
    lifts: Lifts
    seconds: dict[str, float] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)  # what a file keeps

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

    def bound(self, mu: Array) -> float | None:
        """η: an upper bound of ‖φ^½ curl(u_p − u(μ))‖, u_p the p-version's solution; None if this
        surrogate does not combine modes, or u₁ is interpolated."""
        return None


@dataclass(frozen=True, eq=False, kw_only=True)
class OnBasis(OnBrick, Surrogate):
    """u(μ) = u₁(μ) + Σ a_i(μ) v_i with the fields of a basis."""

    basis: Basis
    coefficients: Callable[[Array], Array]  # μ -> a; with `batch` for many

    def x(self, mu: Array) -> Array:
        return np.asarray(self.lifts(mu) + self.coefficients(mu) @ self.basis.increments)

    @cached_property
    def _means(self) -> tuple[float, Array, Array]:
        """Of u₁ in the middle, of the terms of u₁, and of the fields."""
        mean, lifts = self.truth.mean, self.lifts
        return float(lifts.middle @ mean), lifts.terms @ mean, self.basis.increments @ mean

    def mean(self, mu: Array) -> float:
        total, lifted, based = self._means
        if len(lifted):
            total += float(self.lifts.interpolation.values(mu) @ lifted)
        return total + float(self.coefficients(mu) @ based)

    def combined(self, mu: Array) -> Array:
        """y of Σ a_i v_i."""
        return self.basis.combined(self.coefficients(mu))

    def bound(self, mu: Array) -> float | None:
        return self.truth.bound(mu, self.combined(mu)) if self.family.varies == "phi" else None


@dataclass(frozen=True, eq=False, kw_only=True)
class OnSpace(Surrogate):
    """u(μ) = u₁(μ) + v with a net or random features v of (x, μ)."""

    space: SpaceNet

    def _v(self, mu: Array, points: Array) -> Array:
        flat = np.asarray(points, dtype=float).reshape(3, -1)
        return self.space(flat, self.family.unit(mu)[0]).reshape(np.shape(points))

    def field(self, mu: Array) -> Callable[[Array], Array]:
        lift = self.lifts(mu)
        return lambda points: self.truth.space.evaluate(lift, points) + self._v(mu, points)

    def whole(self, mu: Array) -> Array:
        return self.truth.on_grid(self.lifts(mu)) + self._v(mu, grid_points())

    def mean(self, mu: Array) -> float:
        points, weights = cube_rule(MEAN_POINTS)
        return float(self.lifts(mu) @ self.truth.mean + self._v(mu, points)[0] @ weights)
