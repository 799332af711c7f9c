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
from bench.methods.surrogates.truth import Truth
from bench.problems.families import Array

if TYPE_CHECKING:
    from nets.module import Network
    from nets.residuals.terms import Residuals

MAP_WIDTH = 40  # of the net in μ, with two hidden layers
FEATURES = 600  # of the random net
RIDGE = 1e-10


@dataclass(frozen=True, kw_only=True)
class NetOptions:
    """Shape and training of a net (x, μ) ↦ v."""

    hidden: int = 3
    width: int = 40
    tau: str = "fixed"
    steps: int = 500
    points: int = 200  # per μ
    seed: int = 0


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


def factors(x: Array) -> tuple[Array, Array]:
    """m (3, N) and its derivatives [d, j] (3, 3, N): m_d = Π_{k≠d} 4 x_k (1 − x_k)."""
    hats, slopes = 4.0 * x * (1.0 - x), 4.0 - 8.0 * x
    m, derivatives = np.empty_like(x), np.zeros((3, *x.shape))
    for d in range(3):
        a, b = (d + 1) % 3, (d + 2) % 3
        m[d] = hats[a] * hats[b]
        derivatives[d, a], derivatives[d, b] = slopes[a] * hats[b], hats[a] * slopes[b]
    return m, derivatives


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
        return factors(x)[0] * self.predict(inputs(x, t)).T


def _points(truth: Truth, mus: Array, options: NetOptions) -> list[tuple[Array, Array, Array]]:
    """For each μ: itself, its t, and points of the cube of its own."""
    rng = np.random.default_rng([options.seed, 7])
    return [(mu, truth.family.unit(mu)[0], rng.random((3, options.points))) for mu in mus]


def fit_rows(truth: Truth, mus: Array, ys: list[Array], options: NetOptions) -> Residuals:
    """The residuals m ∘ N − v at points of the snapshots."""
    from nets.residuals.terms import Residuals

    rows, A, b = [], [], []
    for (_, t, x), y in zip(_points(truth, mus, options), ys, strict=True):
        rows.append(inputs(x, t))
        A.append(factors(x)[0])
        b.append(truth.space.evaluate(truth.increment(y), x))
    m, scale = np.hstack(A), (len(mus) * options.points) ** -0.5
    matrix = np.zeros((3, 1, 3, m.shape[1]))
    matrix[np.arange(3), 0, np.arange(3)] = m * scale
    return Residuals(
        x=np.vstack(rows), order="value", A=matrix, b=np.hstack(b) * scale, labels=("fit",) * 3
    )


def equation_rows(truth: Truth, mus: Array, options: NetOptions) -> Residuals:
    """The residuals φ^½ curl v − (1 − φ) φ^−½ curl u₁ and div v at points, for all μ."""
    from nets.residuals.terms import Residuals

    rows, A, b = [], [], []
    for mu, t, x in _points(truth, mus, options):
        phi = truth.family.phi(mu, x)
        rows.append(inputs(x, t))
        A.append(_curl_and_divergence(x, phi**0.5))
        spin = truth.space.evaluate_curl(truth.lift(mu).x, x)
        b.append(np.vstack([(1.0 - phi) * phi**-0.5 * spin, np.zeros((1, x.shape[1]))]))
    scale = (len(mus) * options.points) ** -0.5
    return Residuals(
        x=np.vstack(rows), order="first", A=np.concatenate(A, axis=3) * scale,
        b=np.hstack(b) * scale, labels=("curl",) * 3 + ("divergence",),
    )  # fmt: skip


def _curl_and_divergence(x: Array, weight: Array) -> Array:
    """(4 rows, 4 channels, 3 outputs, N): the weighted curl and the divergence of m ∘ N.

    A net's input is 2x − 1, so that its derivative in x is twice that in its input.
    """
    m, derivatives = factors(x)
    A = np.zeros((4, 4, 3, x.shape[1]))

    def add(row: int, d: int, j: int, factor: Array | float) -> None:
        """± ∂_j v_d = ± (∂_j m_d N_d + m_d ∂_j N_d)."""
        A[row, 0, d] += factor * derivatives[d, j]
        A[row, 1 + j, d] += factor * 2.0 * m[d]

    for c in range(3):
        first, second = (c + 1) % 3, (c + 2) % 3
        add(c, second, first, weight)
        add(c, first, second, -weight)
        add(3, c, c, 1.0)
    return A


def train_space_net(truth: Truth, rows: Residuals, options: NetOptions) -> SpaceNet:
    """The net that minimises the residuals."""
    from nets.architectures import resnet
    from nets.module import build
    from nets.optimizers import lssbfgs
    from nets.residuals.objective import ResidualObjective
    from nets.training.budget import Equation, Limits
    from nets.training.loop import minimise

    net = build(
        net=name_of(resnet), tau=options.tau, hidden=options.hidden, width=options.width,
        inputs=3 + truth.family.dimension, outputs=3, activation="tanh", seed=options.seed,
        tau0="1/H" if options.tau == "learned" else 1.0,
    )  # fmt: skip
    minimise(
        net, Equation(ResidualObjective(net, [rows])),
        limits=Limits(steps=options.steps), optimizer=name_of(lssbfgs), progress=False,
    )  # fmt: skip
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
