"""Empirical interpolation of what depends on μ (Barrault, Maday, Nguyen, Patera 2004).

A function d_μ, which is φ − 1, or the data (f, trace) minus those in the middle of the range, is
written as Σ_k θ_k(μ) d_k, where θ(μ) are its values at a few positions. Functions and positions are
chosen greedily: the function that is interpolated worst, and the position where. It is done on a
coarse grid: on that of the truth it would take longer than the snapshots. It is linear, so that
functions are compared at maximum 1: an amplitude costs no term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.methods.surrogates.truth import cube_rule
from bench.problems.families import Array, Family
from fem.rules.quadrature import gauss

POINTS = 10  # per direction of the coarse grid
CANDIDATES = {1: 16, 2: 80, 4: 1000, 8: 2000}  # functions, by dimension
MOST = 250  # terms
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Samples:
    """The values of d_μ at every position, or at some."""

    family: Family

    @cached_property
    def _faces(self) -> Array:
        x, _ = gauss(POINTS)
        square = np.stack(np.meshgrid(x, x, indexing="ij")).reshape(2, -1)
        return np.hstack(
            [np.insert(square, axis, end, axis=0) for axis, end in product(range(3), (0.0, 1.0))]
        )

    @property
    def _parts(self) -> list[tuple[Callable[[Array, Array], Array], Array]]:
        """The functions that vary, with their points."""
        if self.family.varies == "phi":
            return [(lambda mu, x: self.family.phi(mu, x)[None] - 1.0, cube_rule(POINTS)[0])]
        parts = [(self.family.f, cube_rule(POINTS)[0])]
        return parts + [(self.family.trace, self._faces)] * (self.family.varies == "f and g")

    def _raw(self, mu: Array) -> Array:
        return np.concatenate([function(mu, x).ravel() for function, x in self._parts])

    @cached_property
    def _base(self) -> Array | float:
        return 0.0 if self.family.varies == "phi" else self._raw(self.family.middle)

    def all(self, mu: Array) -> Array:
        """d_μ at every position."""
        return self._raw(mu) - self._base

    def at(self, positions: Indices) -> Callable[[Array], Array]:
        """μ to the values at some positions; it computes no others."""
        picks, start = [], 0
        for function, x in self._parts:
            rows = 1 if self.family.varies == "phi" else 3
            size = rows * x.shape[1]
            here = np.flatnonzero((positions >= start) & (positions < start + size))
            component, point = np.divmod(positions[here] - start, x.shape[1])
            picks.append((function, here, component, np.ascontiguousarray(x[:, point])))
            start += size

        base = self._base if isinstance(self._base, float) else self._base[positions]

        def values(mu: Array) -> Array:
            out = np.empty(len(positions))
            for function, here, component, x in picks:
                if len(here):
                    out[here] = function(mu, x)[component, np.arange(len(here))]
            return out - base

        return values


@dataclass(frozen=True, eq=False)
class Interpolation:
    """d_μ ≈ Σ_k c_k d(μ_k) with c = `inverse` θ(μ); θ are the values at the positions."""

    family: Family
    mus: Array
    positions: Indices
    inverse: Array

    @cached_property
    def values(self) -> Callable[[Array], Array]:
        return Samples(self.family).at(self.positions)

    @classmethod
    def of(cls, family: Family, tol: float, seed: int = 0) -> Interpolation:
        """Terms until every candidate is interpolated to `tol` of its maximum."""
        samples = Samples(family)
        mus = family.design(CANDIDATES[family.dimension], seed)
        functions = np.stack([samples.all(mu) for mu in mus])
        sizes = abs(functions).max(axis=1)
        mus, functions = mus[sizes > 0.0], functions[sizes > 0.0] / sizes[sizes > 0.0, None]
        rest, chosen, positions = functions.copy(), [], []
        for _ in range(min(MOST, len(mus))):
            k = int(abs(rest).max(axis=1).argmax())
            q = int(abs(rest[k]).argmax())
            if abs(rest[k, q]) <= tol:
                break
            chosen.append(k)
            positions.append(q)
            direction = rest[k] / rest[k, q]
            rest -= np.outer(rest[:, q], direction)
        places = np.array(positions)
        raw = np.stack([samples.all(mu)[places] for mu in mus[chosen]], axis=1)
        return cls(family, mus[chosen], places, np.linalg.inv(raw))

    @classmethod
    def none(cls, family: Family) -> Interpolation:
        """No terms: for methods that do not need φ, where f and g are fixed."""
        return cls(
            family, np.zeros((0, family.dimension)), np.zeros(0, dtype=int), np.zeros((0, 0))
        )
