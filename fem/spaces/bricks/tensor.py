"""Fields on a grid of bricks: values, integrals and errors, axis by axis.

A *family* holds per axis one table (points, functions) for the direction of a component and one
for the directions across. Q along and V across is Nédélec's space; V along and Q across holds its
curls. Everything is three products of small matrices per component (sum factorisation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fem.spaces import Array, Field, Line
from fem.spaces.bricks.axis import AxisRule
from fem.spaces.bricks.mesh import BrickMesh, Mask

VALUES_AT_ONCE = 1 << 19  # points of one slab of a grid: fields take about 100 bytes per point
Scalar = Callable[[Array], Array]


class Family(NamedTuple):
    """Tables (points, functions) per axis: along the component's own direction, and across."""

    along: Sequence[Array]
    across: Sequence[Array]

    def tables(self, component: int) -> list[Array]:
        return [(self.along if k == component else self.across)[k] for k in range(3)]

    def cut(self, slab: slice) -> Family:
        """The tables at some of the points of the first axis."""
        return Family(
            [self.along[0][slab], *self.along[1:]], [self.across[0][slab], *self.across[1:]]
        )


def combine(X: Array, A: Array, B: Array, C: Array, out: Array | None = None) -> Array:
    """Σ A_xi B_yj C_zk X_ijk, written to `out` if it is given."""
    lines = X @ C.T
    planes = np.matmul(B, lines)
    out = np.empty((len(A), len(B), len(C))) if out is None else out
    np.matmul(A, planes.reshape(len(X), -1), out=out.reshape(len(A), -1))
    return out


def values(X: Sequence[Array], family: Family) -> Array:
    """The field with coefficients X at the points of the tables, (3, …)."""
    out = np.empty((3, *(len(table) for table in family.along)))
    for d in range(3):
        A, B, C = family.tables(d)
        combine(X[d], A, B, C, out=out[d])
    return out


def moments(F: Array, family: Family) -> list[Array]:
    """Σ_q F_d(q) v(q) for all functions v of component d; weights belong to F."""
    return [combine(F[d], *(table.T for table in family.tables(d))) for d in range(3)]


def curl(X: Sequence[Array], D: Sequence[Array]) -> list[Array]:
    """Coefficients of curl u in V along, Q across: ∂_a is the matrix D[a] along axis a."""

    def slope(component: int, axis: int) -> Array:
        return np.moveaxis(np.tensordot(D[axis], X[component], axes=(1, axis)), 0, axis)

    return [slope((d + 2) % 3, (d + 1) % 3) - slope((d + 1) % 3, (d + 2) % 3) for d in range(3)]


def curl_transposed(W: Sequence[Array], D: Sequence[Array]) -> list[Array]:
    """The transpose of `curl`: moments against curls to moments against fields."""

    return curl(W, [-derivative.T for derivative in D])


def gradient(p: Array, D: Sequence[Array]) -> list[Array]:
    """Coefficients of ∇p in Nédélec's space."""
    return [np.moveaxis(np.tensordot(D[d], p, axes=(1, d)), 0, d) for d in range(3)]


@dataclass(frozen=True, eq=False)
class Grid:
    """A tensor rule on the bricks of a mesh, handed out in slabs of the first axis."""

    mesh: BrickMesh
    rules: tuple[AxisRule, AxisRule, AxisRule]

    @classmethod
    def on(cls, mesh: BrickMesh, singular_edge: Line | None = None) -> Grid:
        """Gauss on every brick, graded in x₁ and x₂ towards a singular line {x₁ = a, x₂ = b}."""
        towards = (None, None) if singular_edge is None else singular_edge
        x, y, z = mesh.axes
        return cls(mesh, (x.rule(towards[0]), y.rule(towards[1]), z.rule()))

    @property
    def space(self) -> Family:
        return Family([rule.Q for rule in self.rules], [rule.V for rule in self.rules])

    @property
    def curls(self) -> Family:
        return Family([rule.V for rule in self.rules], [rule.Q for rule in self.rules])

    def slabs(self) -> Iterator[tuple[slice, Array, Array]]:
        """Which points of the first axis, their grid (3, x, y, z), the weights: 0 outside."""
        x, y, z = self.rules
        step = max(1, VALUES_AT_ONCE // (len(y.points) * len(z.points)))
        for start in range(0, len(x.points), step):
            slab = slice(start, start + step)
            points = np.stack(np.meshgrid(x.points[slab], y.points, z.points, indexing="ij"))
            weights = np.einsum("i,j,k->ijk", x.weights[slab], y.weights, z.weights)
            if not self.mesh.is_box:
                bricks = np.ix_(x.intervals[slab], y.intervals, z.intervals)
                weights = weights * self.mesh.active[bricks]
            yield slab, points, weights

    def load(self, f: Field, family: Family) -> list[Array]:
        """(f, v) for the functions of a family."""
        total: list[Array] | None = None
        for slab, points, weights in self.slabs():
            part = moments(within(f, points, weights) * weights, family.cut(slab))
            total = part if total is None else [a + b for a, b in zip(total, part, strict=True)]
        assert total is not None
        return total

    def scalar_load(self, rho: Scalar, tables: Sequence[Array]) -> Array:
        """(ρ, q) for products q of one table per axis."""
        total = np.zeros([table.shape[1] for table in tables])
        for slab, points, weights in self.slabs():
            first = tables[0][slab]
            here = within(rho, points, weights) * weights
            total += combine(here, first.T, tables[1].T, tables[2].T)
        return total

    def errors(
        self, X: Sequence[Array], curl_X: Sequence[Array], u: Field, curl_u: Field
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl), for coefficients in V and Q."""
        l2 = curls = 0.0
        for slab, points, weights in self.slabs():
            rest = within(u, points, weights) - values(X, self.space.cut(slab))
            l2 += float((rest**2 * weights).sum())
            rest = within(curl_u, points, weights) - values(curl_X, self.curls.cut(slab))
            curls += float((rest**2 * weights).sum())
        return float(np.sqrt(l2)), float(np.sqrt(l2 + curls))


def within(field: Callable[[Array], Array], points: Array, weights: Array) -> Array:
    """The field where the weights are not zero, 0 elsewhere: it may not exist outside."""
    inside: Mask = weights > 0.0
    if inside.all():
        return np.asarray(field(points), dtype=float)
    found = np.asarray(field(points[:, inside]), dtype=float)
    values = np.zeros((*found.shape[:-1], *inside.shape))
    values[..., inside] = found
    return values
