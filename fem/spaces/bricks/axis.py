"""One axis of a grid of bricks: breakpoints, an order per interval, and the two spaces on it.

V holds the continuous functions that are P_p on each interval, Q the broken ones of degree p − 1,
with the order p free to change from interval to interval. V has hats and integrated Legendre
polynomials, Q has Legendre polynomials of norm one, so that d/dx : V → Q is a sparse matrix without
rounding: a bubble goes to one Legendre polynomial, a hat to two constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from base.errors import UserError
from fem.rules.cell_rules import gauss
from fem.spaces import Array

Indices = NDArray[np.integer[Any]]
# Gauss points per interval beyond p. Six on intervals that hold much of the axis: 2p + 11 exact,
# for errors near rounding; fewer on short ones; ten where a singularity sits at one end of a panel.
EXTRA_POINTS = ((0.3, 6), (0.12, 4), (0.0, 3))
SINGULAR_EXTRA = 10
GRADING = 0.15  # of the panels of a rule towards a singular point, geometric
PANELS = 10  # inside the interval that touches it: 0.15^10 = 6e-9 of its length is left over


class AxisRule(NamedTuple):
    """A rule on an axis with the tables of V and Q at its points, (points, functions)."""

    points: Array
    weights: Array
    intervals: Indices
    V: Array
    Q: Array


@dataclass(frozen=True, eq=False)
class Axis:
    """V and Q on the intervals between ascending breakpoints."""

    breaks: Array
    orders: tuple[int, ...]

    @classmethod
    def of(cls, breaks: Array, orders: int | tuple[int, ...]) -> Axis:
        """A checked axis; one number stands for the same order on all intervals."""
        breaks = np.asarray(breaks, dtype=float)
        if breaks.ndim != 1 or len(breaks) < 2 or not (np.diff(breaks) > 0).all():
            raise UserError(f"two or more breakpoints must ascend, got {breaks.tolist()}")
        if isinstance(orders, int | np.integer):
            orders = (int(orders),) * (len(breaks) - 1)
        if len(orders) != len(breaks) - 1:
            raise UserError(f"{len(breaks) - 1} intervals need as many orders, got {len(orders)}")
        if min(orders) < 1:
            raise UserError(
                f"order must be at least 1 (1 is the lowest-order element), got {min(orders)}"
            )
        return cls(breaks, tuple(int(p) for p in orders))

    @property
    def intervals(self) -> int:
        return len(self.orders)

    @cached_property
    def lengths(self) -> Array:
        return np.diff(self.breaks)

    @property
    def length(self) -> float:
        return float(self.breaks[-1] - self.breaks[0])

    @property
    def size_Q(self) -> int:
        """dim Q = Σ p; V has one more."""
        return sum(self.orders)

    @property
    def size_V(self) -> int:
        return self.size_Q + 1

    @cached_property
    def dofs_Q(self) -> list[Indices]:
        """Per interval the numbers of its Legendre polynomials, by degree."""
        starts = np.concatenate([[0], np.cumsum(self.orders)])
        return [np.arange(a, b) for a, b in pairwise(starts)]

    @cached_property
    def dofs_V(self) -> list[Indices]:
        """Per interval the numbers of its two hats (those of its ends) and its bubbles."""
        first = len(self.breaks) - np.arange(self.intervals)  # the hats, and bubbles p − 1 each
        return [
            np.concatenate([[i, i + 1], first[i] + dofs[:-1]]) for i, dofs in enumerate(self.dofs_Q)
        ]

    @cached_property
    def derivative(self) -> Array:
        """D: coefficients of v ∈ V to those of v′ ∈ Q."""
        D = np.zeros((self.size_Q, self.size_V))
        for i, (v, q) in enumerate(zip(self.dofs_V, self.dofs_Q, strict=True)):
            D[q[0], v[0]] = -1.0 / np.sqrt(self.lengths[i])
            D[q[0], v[1]] = 1.0 / np.sqrt(self.lengths[i])
            D[q[1:], v[2:]] = 1.0
        return D

    @cached_property
    def mass_V(self) -> Array:
        """(v_j, v_i); that of Q is the identity."""
        M = np.zeros((self.size_V, self.size_V))
        for i, v in enumerate(self.dofs_V):
            x, w = gauss(self.orders[i] + 1)
            value, _ = local_functions(x, self.orders[i], self.lengths[i])
            M[np.ix_(v, v)] += (value.T * (w * self.lengths[i])) @ value
        return M

    def locate(self, x: Array) -> Indices:
        """The interval of each point."""
        if self.intervals == 1:
            return np.zeros(len(x), dtype=int)
        found = np.searchsorted(self.breaks, x, side="right") - 1
        return np.clip(found, 0, self.intervals - 1)

    def rule(self, towards: float | None = None) -> AxisRule:
        """Gauss on every interval, in panels that shrink towards a singular point."""
        parts = [self.gauss(i, towards) for i in range(self.intervals)]
        points, weights = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        intervals = np.repeat(np.arange(self.intervals), [part[0].size for part in parts])
        return AxisRule(points, weights, intervals, *self.tables(points, intervals))

    def gauss(self, i: int, towards: float | None = None) -> tuple[Array, Array]:
        """Points and weights on one interval."""
        share = self.lengths[i] / self.length
        extra = next(points for above, points in EXTRA_POINTS if share > above)
        x, w = gauss(self.orders[i] + (extra if towards is None else SINGULAR_EXTRA))
        cuts = self._panels(i, towards)
        points = (cuts[:-1, None] + np.diff(cuts)[:, None] * x).ravel()
        return points, np.outer(np.diff(cuts), w).ravel()

    def _panels(self, i: int, towards: float | None) -> Array:
        """The interval, cut geometrically where the point is one of its ends or lies inside."""
        low, high = self.breaks[i : i + 2]
        if towards is None or not low <= towards <= high:
            return np.array([low, high])
        steps = GRADING ** np.arange(PANELS) * (high - low)
        cuts = np.concatenate([[low, high, towards], towards - steps, towards + steps])
        return np.unique(cuts[(cuts >= low) & (cuts <= high)])

    @cached_property
    def _samplings(self) -> dict[tuple[int, float | None], tuple[Array, Array, Array]]:
        return {}

    def sampling(self, i: int, towards: float | None = None) -> tuple[Array, Array, Array]:
        """Points of interval i, its two ends first, and two matrices (functions, points): values
        of u to the L² projection on Q, and to the interpolant in V; kept for the next call.

        The interpolant has the values of u at the ends and a slope that is the projection of u′;
        as (u − I u, ℓ′) = 0 shows, u itself is enough for that.
        """
        if (i, towards) not in self._samplings:
            self._samplings[i, towards] = self._sampling(i, towards)
        return self._samplings[i, towards]

    def _sampling(self, i: int, towards: float | None) -> tuple[Array, Array, Array]:
        points, weights = self.gauss(i, towards)
        t = (points - self.breaks[i]) / self.lengths[i]
        hats, Q = self.local_tables(i, points)
        onto_Q = np.hstack([np.zeros((self.orders[i], 2)), (Q * weights[:, None]).T])
        bubbles = -(_legendre_slopes(t, self.orders[i], self.lengths[i]) * weights[:, None]).T
        onto_V = np.vstack([np.eye(2, 2 + len(t)), np.hstack([-bubbles @ hats[:, :2], bubbles])])
        return np.concatenate([self.breaks[i : i + 2], points]), onto_Q, onto_V

    def tables(self, x: Array, intervals: Indices | None = None) -> tuple[Array, Array]:
        """V and Q at points, (points, functions)."""
        intervals = self.locate(x) if intervals is None else intervals
        V, Q = np.zeros((len(x), self.size_V)), np.zeros((len(x), self.size_Q))
        for i in np.unique(intervals):
            here = np.flatnonzero(intervals == i)
            value, slope = self.local_tables(i, x[here])
            V[np.ix_(here, self.dofs_V[i])] = value
            Q[np.ix_(here, self.dofs_Q[i])] = slope
        return V, Q

    def local_tables(self, i: int, x: Array) -> tuple[Array, Array]:
        """The functions of V and Q of interval i at its points."""
        return local_functions(
            (x - self.breaks[i]) / self.lengths[i], self.orders[i], self.lengths[i]
        )


def local_functions(t: Array, order: int, length: float) -> tuple[Array, Array]:
    """V and Q of one interval at t ∈ (0, 1): (1 − t, t, bubbles 1..p−1) and Legendre 0..p−1.

    Bubble k is the integral of Legendre polynomial k, which has norm one on the interval.
    """
    P = legendre.legvander(2.0 * t - 1.0, order)
    k = np.arange(order)
    Q = P[:, :order] * np.sqrt((2 * k + 1.0) / length)
    k = k[1:]
    bubbles = (P[:, k + 1] - P[:, k - 1]) * np.sqrt(length / (2 * k + 1.0)) / 2.0
    return np.hstack([1.0 - t[:, None], t[:, None], bubbles]), Q


def _legendre_slopes(t: Array, order: int, length: float) -> Array:
    """Derivatives of the Legendre polynomials 1..p−1 of norm one on the interval."""
    slopes = np.zeros((len(t), order - 1))
    for k in range(1, order):
        derivative = legendre.legder(np.eye(k + 1)[k])
        slopes[:, k - 1] = legendre.legval(2.0 * t - 1.0, derivative)
    norms = np.sqrt((2 * np.arange(1, order) + 1.0) / length)
    return slopes * norms * 2.0 / length
