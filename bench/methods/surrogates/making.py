"""How a surrogate is made, and what that takes.

`made(plan)` times what happens once (offline): interpolation of φ or the data, snapshots, basis,
fit or training with its search. The set-up of the p-version (tables, u₁ of fixed data), which a
solve per query needs too, is not counted on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.measure.timing import cpu_clocked
from bench.methods.surrogates import nets
from bench.methods.surrogates.interpolation import Interpolation
from bench.methods.surrogates.names import METHODS
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.reduced_basis import Basis, Galerkin, Lifts, greedy_snapshots
from bench.methods.surrogates.regression import (
    BASELINES,
    Chebyshev,
    counts,
    fitted,
    tensor_design,
)
from bench.methods.surrogates.surrogate import OnBasis, OnSpace, Surrogate
from bench.methods.surrogates.truth import Truth
from bench.problems.families import Array, Family

INTRUSIVE = ("rb", "rb-greedy")
ON_SPACE = ("space-features", "space-net", "equation-net")
# Of the interpolation of φ, over the error and the contrast. With 10 in place of 100 it takes up to
# twice the terms, and the worst errors of reduced bases change by less than 16 %.
TERMS_TOL = 100.0
# As many more μ where they cost no solve. 12,800 points in all are too few (2 parameters, 64
# snapshots, 600 steps): the net fits the equation there and is up to 20 % wrong between them; with
# 51,200 points and 300 steps it is 1.9 % wrong.
EQUATION_MUS = 4


def made(plan: Plan, say: Callable[[str], None] = lambda text: None) -> Surrogate:
    """Build a surrogate and time its parts; `say` is called with what comes next."""
    family = plan.chosen()
    say(f"{plan.snapshots} snapshots of order {plan.order}")
    truth = Truth(family, plan.order)
    truth.solve(family.middle, plan.tol)  # set-up and compiled code
    family.design(2, 0)
    seconds: dict[str, float] = {}
    (interpolation, lifts), seconds["interpolation"] = cpu_clocked(
        lambda: _interpolated(plan, truth)
    )
    if plan.method in ON_SPACE:
        return _on_space(plan, truth, lifts, seconds)
    (mus, ys), seconds["snapshots"] = cpu_clocked(lambda: _snapshots(plan, truth, interpolation))
    say(f"{METHODS[plan.method]} from {len(ys)} snapshots")
    basis, seconds["basis"] = cpu_clocked(lambda: _basis(plan, truth, ys))
    map_, seconds["training"] = cpu_clocked(lambda: _map(plan, basis, interpolation, mus, ys))
    coefficients, stored = map_
    kept = {"singular": basis.singular, "fields": basis.fields, **stored}
    return OnBasis(
        plan=plan, truth=truth, lifts=lifts, basis=basis, coefficients=coefficients,
        seconds=seconds, stored=kept,
    )  # fmt: skip


def _interpolated(plan: Plan, truth: Truth) -> tuple[Interpolation, Lifts]:
    """What depends on μ in the equation, where the method needs it; and u₁."""
    family = truth.family
    if plan.method in INTRUSIVE or family.varies != "phi":
        terms = Interpolation.of(family, min(0.1, TERMS_TOL * plan.tol / plan.contrast))
    else:
        terms = Interpolation.none(family)
    return terms, Lifts.of(truth, terms)


def _snapshots(plan: Plan, truth: Truth, interpolation: Interpolation) -> tuple[Array, list[Array]]:
    """The μ of the design and the solutions there; the greedy choice has μ of its own."""
    if plan.method == "rb-greedy":
        ys = greedy_snapshots(truth, interpolation, plan.snapshots, plan.tol, plan.seed)
        return np.zeros((0, plan.dimension)), ys
    if plan.method == "chebyshev":
        mus = tensor_design(truth.family, plan.snapshots)
    else:
        mus = truth.family.design(plan.snapshots, plan.seed)
    return mus, [truth.solve(mu, plan.tol).y for mu in mus]


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
    if plan.method == "equation-net":
        mus = truth.family.design(EQUATION_MUS * plan.snapshots, plan.seed)
        rows = nets.equation_rows(truth, mus, plan.seed)
    else:
        mus = truth.family.design(plan.snapshots, plan.seed)
        ys, seconds["snapshots"] = cpu_clocked(lambda: [truth.solve(mu, plan.tol).y for mu in mus])
        rows = nets.fit_rows(truth, mus, ys, plan.seed)
    features = plan.method == "space-features"
    space, seconds["training"] = cpu_clocked(
        lambda: nets.random_features(rows, plan.seed) if features else nets.space_net(plan, rows)
    )
    stored = {} if space.document is None else {"net": space.document}
    return OnSpace(plan=plan, truth=truth, lifts=lifts, space=space, seconds=seconds, stored=stored)
