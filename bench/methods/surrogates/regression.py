"""Coefficients of a basis as functions of μ, from their values at snapshots: no equation is used.

Tensor Chebyshev interpolation chooses its own nodes; the others take any design: baselines of
`bench.methods.baselines` with μ as their input, and a small net.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from base.errors import UserError
from base.registry import name_of
from bench.methods import baselines
from bench.methods.baselines import kernel_ridge, legendre, tanh_features
from bench.problems.families import Array, Family

Fit = Callable[[Array], Array]  # rows t in [−1, 1]^d -> rows of coefficients
FEWEST = 5  # one snapshot in five is held out to choose the settings
BASELINES = {
    "polynomial": name_of(legendre), "kernel": name_of(kernel_ridge),
    "features": name_of(tanh_features),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chebyshev:
    """Interpolation on a tensor grid of Chebyshev nodes; values (n_1, …, n_d, N)."""

    values: Array

    @cached_property
    def _axes(self) -> list[tuple[Array, Array]]:
        """Nodes and barycentric weights of each axis."""
        found = []
        for count in self.values.shape[:-1]:
            signs = (-1.0) ** np.arange(count)
            found.append((nodes(count), signs * np.sin(np.pi * (np.arange(count) + 0.5) / count)))
        return found

    def __call__(self, t: Array) -> Array:
        return np.stack([self._one(row) for row in np.atleast_2d(t)])

    def _one(self, t: Array) -> Array:
        total = self.values
        for (at, weights), coordinate in zip(self._axes, t, strict=True):
            away = coordinate - at
            close = int(abs(away).argmin())
            lagrange = np.eye(len(at))[close] if away[close] == 0.0 else weights / away
            total = np.tensordot(lagrange / lagrange.sum(), total, axes=1)
        return np.asarray(total)


def nodes(count: int) -> Array:
    """Chebyshev's, the zeros of T_count."""
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


def counts(dimension: int, most: int) -> tuple[int, ...]:
    """The most even numbers of nodes per axis with a product of at most `most`."""
    found = [1] * dimension
    while True:
        smallest = min(range(dimension), key=lambda k: (found[k], -k))
        larger = [n + (k == smallest) for k, n in enumerate(found)]
        if np.prod(larger) > most:
            return tuple(found)
        found = larger


def tensor_design(family: Family, most: int) -> Array:
    """The nodes of the Chebyshev grid as rows μ, the last axis fastest."""
    lines = [nodes(count) for count in counts(family.dimension, most)]
    grid = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
    return family.from_unit(grid.reshape(-1, family.dimension))


def fitted(method: str, t: Array, a: Array, seed: int) -> Fit:
    """The coefficients a (n, N) at rows t as a function, by one of `BASELINES`."""
    if len(t) < FEWEST:
        raise UserError(f"method {method} needs at least {FEWEST} snapshots, got {len(t)}")
    order = np.random.default_rng(seed).permutation(len(t))  # a sorted design would extrapolate
    scale = max(float(abs(a).max()), 1e-300)
    made = baselines.fitted(BASELINES[method], t[order], a[order] / scale, seed)
    return lambda t: np.asarray(made.predict(t)) * scale
