"""Nets as surrogates: μ ↦ coefficients of a basis, and (x, μ) ↦ v(x).

v = m ∘ N(x, t), where t is μ in [−1, 1]^d and m_d vanishes on the faces that contain direction d:
v has zero trace as in every other method. N is fitted to snapshots at points, or trained on the
equation: v minimises ‖φ^½ curl v − (1 − φ) φ^−½ curl u₁‖² + ‖div v‖² over x and μ. That has the
minimiser of the energy and needs first derivatives only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from base.registry import name_of
from bench.methods.surrogates.plan import Plan
from bench.methods.surrogates.truth import Truth
from bench.problems.families import Array

if TYPE_CHECKING:
    from nets.module import Network
    from nets.residuals.terms import Residuals

MAP_WIDTH = 40  # of the net in μ, with two hidden layers
FEATURES = 600  # of the random net
POINTS = 200  # for each μ, at which a net in (x, μ) is trained
RIDGE = 1e-10
Term = Callable[[int, Array], tuple[str, Array, Array]]  # k, points -> order, A, b of a residual


def train_map(t: Array, a: Array, steps: int, seed: int) -> Network:
    """A small net from rows t to rows a."""
    from nets.architectures import resnet
    from nets.module import build
    from nets.optimizers import lssbfgs
    from nets.training.loop import train

    net = build(
        net=name_of(resnet), tau="fixed", hidden=2, width=MAP_WIDTH, inputs=t.shape[1],
        outputs=a.shape[1], activation="tanh", seed=seed,
    )  # fmt: skip
    train(net, t, a, optimizer=name_of(lssbfgs), steps=steps, progress=False)
    return net


def predicted(net: Network, rows: Array) -> Array:
    """The outputs of a net at rows."""
    import torch

    with torch.no_grad():
        return net(torch.from_numpy(np.ascontiguousarray(rows))).numpy()


def inputs(x: Array, t: Array) -> Array:
    """Rows (x, t) for points (3, N) and one t (d,)."""
    return np.hstack([2.0 * x.T - 1.0, np.broadcast_to(t, (x.shape[1], len(t)))])


@dataclass(frozen=True, eq=False)
class SpaceNet:
    """(x, t) ↦ v, a net or random features."""

    predict: Callable[[Array], Array]  # rows of inputs -> rows of N
    document: Any = None  # the net, where it can be saved

    def __call__(self, x: Array, t: Array) -> Array:
        """v at points (3, N)."""
        from bench.methods.collocation.built_in import distance_factors

        return distance_factors(x, "value")[0] * self.predict(inputs(x, t)).T


def fit_rows(truth: Truth, mus: Array, ys: list[Array], seed: int) -> Residuals:
    """The residuals m ∘ N − v at points of the snapshots."""
    from bench.methods.collocation import operators as op

    def term(k: int, x: Array) -> tuple[str, Array, Array]:
        v = truth.space.evaluate(truth.increment(ys[k]), x)
        return "value", op.identity("value", POINTS), v

    return _rows(truth, mus, seed, term, ("fit",) * 3)


def equation_rows(truth: Truth, mus: Array, seed: int) -> Residuals:
    """The residuals φ^½ curl v − (1 − φ) φ^−½ curl u₁ and div v at points, for all μ."""
    from bench.methods.collocation import operators as op

    def term(k: int, x: Array) -> tuple[str, Array, Array]:
        root = truth.family.phi(mus[k], x) ** 0.5
        spin = truth.space.evaluate_curl(truth.lift(mus[k]).x, x)
        A = [root * op.curl("first", POINTS), op.divergence("first", POINTS)]
        b = [(1.0 - root**2) / root * spin, np.zeros((1, POINTS))]
        return "first", np.concatenate(A), np.vstack(b)

    return _rows(truth, mus, seed, term, ("curl",) * 3 + ("divergence",))


def _rows(truth: Truth, mus: Array, seed: int, term: Term, labels: tuple[str, ...]) -> Residuals:
    """Residuals of v at points of the cube, others for each μ, as residuals of N(2x − 1, t)."""
    from bench.methods.collocation.built_in import BuiltIn, distance_factors, no_lift
    from nets.residuals.terms import Residuals

    rng, zero_trace = np.random.default_rng([seed, 7]), BuiltIn(distance_factors, no_lift)
    found, z = [], []
    for k, mu in enumerate(mus):
        x = rng.random((3, POINTS))
        order, A, b = term(k, x)
        of_v = Residuals(x=x.T, order=order, A=A, b=b, labels=labels)
        found.append(zero_trace.of_the_net(of_v))
        z.append(inputs(x, truth.family.unit(mu)[0]))
    A = np.concatenate([each.A for each in found], axis=3)
    A[:, 1:] *= 2.0  # d/dx is twice d/d(2x − 1)
    scale = (len(mus) * POINTS) ** -0.5
    b = np.hstack([each.b for each in found])
    return Residuals(x=np.vstack(z), order=order, A=A * scale, b=b * scale, labels=labels)


def space_net(plan: Plan, rows: Residuals) -> SpaceNet:
    """The net that minimises the residuals."""
    from bench.methods.collocation.training import trained_resnet
    from nets.optimizers import lssbfgs

    net = trained_resnet(
        [rows], hidden=plan.hidden, width=plan.width, outputs=3, seed=plan.seed, tau=plan.tau,
        tau0="1/H" if plan.tau == "learned" else 1.0, optimizer=name_of(lssbfgs),
        limits={"steps": plan.steps}, progress=False,
    ).net  # fmt: skip
    return SpaceNet(lambda x: predicted(net, x), net)


def random_features(rows: Residuals, seed: int) -> SpaceNet:
    """tanh features of (x, t) with random frozen weights; their coefficients by least squares."""
    rng = np.random.default_rng([seed, 11])
    W = rng.standard_normal((rows.x.shape[1], FEATURES)) * 0.7
    shift = rng.uniform(-2.0, 2.0, FEATURES)
    c = np.empty((FEATURES, 3))
    values = np.tanh(rows.x @ W + shift)
    for d in range(3):
        matrix = values * rows.A[d, 0, d][:, None]
        gram = matrix.T @ matrix
        gram[np.diag_indices_from(gram)] += RIDGE * np.trace(gram)
        c[:, d] = np.linalg.solve(gram, matrix.T @ rows.b[d])
    return SpaceNet(lambda x: np.tanh(x @ W + shift) @ c)
