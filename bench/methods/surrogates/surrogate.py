"""A surrogate of a family, whatever its method: `surrogate(mu)(points)`, and how it is made.

`made(plan)` times what happens once (offline): interpolation of φ or the data, snapshots, basis,
fit or training with its search. The set-up of the p-version (tables, u₁ of fixed data), which a
solve per query needs too, is not counted on either side.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from base.errors import UserError, nearest
from bench.methods.surrogates import nets
from bench.methods.surrogates.interpolation import Interpolation
from bench.methods.surrogates.names import METHODS
from bench.methods.surrogates.reduced_basis import Basis, Galerkin, Lifts, greedy_snapshots
from bench.methods.surrogates.regression import (
    BASELINES,
    Chebyshev,
    counts,
    fitted,
    tensor_design,
)
from bench.methods.surrogates.timing import clocked
from bench.methods.surrogates.truth import Truth, grid_points
from bench.problems.families import Array, Family, get
from fem.rules.quadrature import gauss

INTRUSIVE = ("rb", "rb-greedy")
ON_SPACE = ("space-features", "space-net", "equation-net")
MEAN_POINTS = 8  # Gauss points per direction for the mean of a field without coefficients
EQUATION_SHARE = 8  # as many more μ and as many fewer points for each, where μ cost no solve


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


def made(plan: Plan, say: Callable[[str], None] = lambda text: None) -> Surrogate:
    """Build a surrogate and time its parts; `say` is called with what comes next."""
    family = plan.chosen()
    say(f"{plan.snapshots} snapshots of order {plan.order}")
    truth = Truth(family, plan.order)
    truth.solve(family.middle, plan.tol)  # set-up and compiled code
    family.design(2, 0)
    seconds: dict[str, float] = {}
    needed = plan.method in INTRUSIVE or family.varies != "phi"
    interpolation, seconds["interpolation"] = clocked(
        lambda: (
            Interpolation.of(family, min(0.1, 10.0 * plan.tol / plan.contrast))
            if needed
            else Interpolation.none(family)
        )
    )
    lifts, lifting = clocked(lambda: Lifts.of(truth, interpolation))
    seconds["interpolation"] += lifting
    if plan.method in ON_SPACE:
        return _on_space(plan, truth, lifts, seconds)
    mus = tensor_design(family, plan.snapshots) if plan.method == "chebyshev" else None
    mus = family.design(plan.snapshots, plan.seed) if mus is None else mus
    ys, seconds["snapshots"] = clocked(
        lambda: (
            greedy_snapshots(truth, interpolation, plan.snapshots, plan.tol, plan.seed)
            if plan.method == "rb-greedy"
            else [truth.solve(mu, plan.tol).y for mu in mus]
        )
    )
    say(f"{METHODS[plan.method]} from {len(ys)} snapshots")
    basis, seconds["basis"] = clocked(lambda: _basis(plan, truth, ys))
    map_, seconds["training"] = clocked(lambda: _map(plan, basis, interpolation, mus, ys))
    coefficients, stored = map_
    kept = {"singular": basis.singular, "fields": basis.fields, **stored}
    return Surrogate(plan, truth, lifts, basis, coefficients, None, seconds, kept)


def _basis(plan: Plan, truth: Truth, ys: list[Array]) -> Basis:
    basis = Basis.of(truth, ys, plan.modes, 0.01 * plan.tol)
    basis.increments  # noqa: B018  (offline)
    return basis


def _map(
    plan: Plan, basis: Basis, interpolation: Interpolation, mus: Array, ys: list[Array]
) -> tuple[Callable[[Array], Array], dict[str, Any]]:
    """μ ↦ a, and the arrays that define it."""
    if plan.method in INTRUSIVE:
        reduced = Galerkin.of(basis, interpolation)
        return reduced, {name: getattr(reduced, name) for name in ("A0", "A", "b0", "b")}
    family, a = basis.truth.family, np.stack([basis.project(y) for y in ys])
    stored: dict[str, Any] = {"t": family.unit(mus), "a": a}
    if plan.method == "net":
        net = nets.train_map(stored["t"], a / (scale := abs(a).max()), plan.steps, plan.seed)
        stored |= {"net": net, "scale": np.array([scale])}
    return regressed(plan, family, stored), stored


def regressed(plan: Plan, family: Family, stored: dict[str, Any]) -> Callable[[Array], Array]:
    """μ ↦ a from what is stored: pairs (t, a), and the net where there is one."""
    t, a = stored["t"], stored["a"]
    if plan.method == "chebyshev":
        fit: Any = Chebyshev(a.reshape(*counts(family.dimension, plan.snapshots), -1))
    elif plan.method == "net":
        net, scale = stored["net"], stored["scale"]
        fit = lambda rows: nets.predicted(net, rows) * scale  # noqa: E731
    else:
        assert plan.method in BASELINES
        fit = fitted(plan.method, t, a, plan.seed)
    return Regressed(family, fit)


@dataclass(frozen=True, eq=False)
class Regressed:
    """μ ↦ a by a fit in the coordinates of the range."""

    family: Family
    fit: Callable[[Array], Array]

    def __call__(self, mu: Array) -> Array:
        return np.asarray(self.fit(self.family.unit(mu))[0])

    def batch(self, mus: Array) -> Array:
        return np.asarray(self.fit(self.family.unit(mus)))


def _on_space(plan: Plan, truth: Truth, lifts: Lifts, seconds: dict[str, float]) -> Surrogate:
    """A net or random features in (x, μ)."""
    options = plan.net(200)
    if plan.method == "equation-net":
        mus = truth.family.design(EQUATION_SHARE * plan.snapshots, plan.seed)
        rows = nets.equation_rows(truth, mus, plan.net(200 // EQUATION_SHARE))
    else:
        mus = truth.family.design(plan.snapshots, plan.seed)
        ys, seconds["snapshots"] = clocked(lambda: [truth.solve(mu, plan.tol).y for mu in mus])
        rows = nets.fit_rows(truth, mus, ys, options)
    space, seconds["training"] = clocked(
        lambda: (
            nets.random_features(rows, plan.seed)
            if plan.method == "space-features"
            else nets.train_space_net(truth, rows, options)
        )
    )
    stored = {} if space.document is None else {"net": space.document}
    return Surrogate(plan, truth, lifts, space=space, seconds=seconds, stored=stored)
