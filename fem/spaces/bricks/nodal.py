"""Nodal elements Q_p³ on bricks for the boundary-value problem: the classical wrong answer.

The form and its limit beside a re-entrant edge are those of `fem.spaces.tets.nodal`. A component is
V in all three directions; on a brick every entry is a product of one table per axis, summed over
Gauss points for all bricks of the same orders together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from fem import memory
from fem.boundary_value import BoundaryValueProblem
from fem.solutions import Clock
from fem.solvers.nodal_fields import NodalSolution, held_components, solve_nodal
from fem.spaces import PLAIN, Array, Field, How
from fem.spaces.bricks.axis import Indices
from fem.spaces.bricks.mesh import BrickMesh, uniform
from fem.spaces.bricks.tensor import Grid, combine, within
from fem.spaces.bricks.traces import with_natural
from fem.spaces.tets.mixed import positive

BRICKS_AT_ONCE = 512


class Group(NamedTuple):
    """Bricks of the same orders and rules: tables per axis, points, weights, dofs."""

    V: list[Array]  # (points, functions) per axis
    slopes: list[Array]  # (bricks, points, functions) per axis
    x: Array  # (3, bricks, i, j, k)
    weights: Array  # (bricks, i, j, k)
    dofs: Indices  # (bricks, functions)


@dataclass(frozen=True, eq=False)
class NodalBricks:
    """Coefficients of V ⊗ V ⊗ V on the bricks of the domain, component by component."""

    mesh: BrickMesh

    @cached_property
    def _present(self) -> Indices:
        return np.flatnonzero(self.mesh.present_scalars)

    @cached_property
    def _number(self) -> Indices:
        number = np.full(self.mesh.present_scalars.size, -1)
        number[self._present] = np.arange(len(self._present))
        return number

    @property
    def dofs(self) -> int:
        return 3 * len(self._present)

    @property
    def h(self) -> float:
        return self.mesh.h

    def matrix(self, problem: BoundaryValueProblem) -> sp.csr_matrix:
        """Blocks (d, e): δ_de Σ_{a≠d} (φ ∂_a u_d, ∂_a v_d) − (φ ∂_d u_e, ∂_e v_d) + (w ∂_e u_e, ∂_d v_d)."""
        size = len(self._present)
        blocks: dict[tuple[int, int], list[sp.csr_matrix]] = {}
        phi = positive(problem.phi)
        for group in self._groups():
            stiff = group.weights * phi(group.x)
            gauss = group.weights
            if problem.div_weight is not None:
                gauss = gauss * problem.div_weight(group.x)
            for d in range(3):
                for e in range(d + 1):
                    if d == e:
                        local = _sums(group, gauss, d, d)
                        local += sum(_sums(group, stiff, a, a) for a in range(3) if a != d)
                    else:
                        local = _sums(group, gauss, d, e) - _sums(group, stiff, e, d)
                    found = _scattered(local, group.dofs, size)
                    blocks.setdefault((d, e), []).append(found)
        total = {key: sum(parts[1:], parts[0]) for key, parts in blocks.items()}
        rows = [[total[d, e] if e <= d else total[e, d].T for e in range(3)] for d in range(3)]
        return sp.csr_matrix(sp.block_array(rows, format="csr"))

    def load(self, problem: BoundaryValueProblem) -> Array:
        b = np.zeros((3, len(self._present)))
        for group in self._groups():
            f = problem.f(group.x) * group.weights
            for d in range(3):
                np.add.at(b[d], group.dofs, _moments(f[d], group, None))
            if problem.rho is not None:
                charge = problem.rho(group.x) * group.weights
                if problem.div_weight is not None:
                    charge = charge * problem.div_weight(group.x)
                for d in range(3):
                    np.add.at(b[d], group.dofs, _moments(charge, group, d))
        if problem.natural is not None:
            self._add_natural(problem, b)
        return b.ravel()

    def _add_natural(self, problem: BoundaryValueProblem, b: Array) -> None:
        assert problem.natural is not None
        for face in self.mesh.natural_faces:
            x, normal, tables, weights = self._on_face(face, problem)
            data = problem.natural.curl(x, normal) * weights
            index = self._face_dofs(face)
            for d in range(3):
                b[d][index] += (tables[0].T @ data[d] @ tables[1]).ravel()

    def _on_face(
        self, face: Any, problem: BoundaryValueProblem
    ) -> tuple[Array, Array, list[Array], Array]:
        across = [k for k in range(3) if k != face.axis]
        towards = self._towards(problem)
        rules = [self.mesh.axes[k].gauss(face.brick[k], towards[k]) for k in across]
        first, second = np.meshgrid(rules[0][0], rules[1][0], indexing="ij")
        x = np.empty((3, *first.shape))
        x[face.axis] = self.mesh.axes[face.axis].breaks[face.level]
        x[across[0]], x[across[1]] = first, second
        normal = np.zeros_like(x)
        normal[face.axis] = face.sign
        tables = [
            self.mesh.axes[k].local_tables(face.brick[k], rule[0])[0]
            for k, rule in zip(across, rules, strict=True)
        ]
        return x, normal, tables, np.outer(rules[0][1], rules[1][1])

    def _face_dofs(self, face: Any) -> Indices:
        flat = np.ravel_multi_index(self.mesh.face_index(face, None), self.mesh.scalar_shape)
        return self._number[flat.ravel()]

    def held(self, problem: BoundaryValueProblem) -> tuple[Indices, Array]:
        """Which coefficients the boundary gives: interpolants in V of the components on faces."""
        values = np.full((3, len(self._present)), np.nan)
        for natural, faces in (
            (False, self.mesh.essential_faces),
            (True, self.mesh.natural_faces),
        ):
            for face in faces:
                self._hold(problem, natural, face, values)
        flat = values.ravel()
        fixed = np.flatnonzero(~np.isnan(flat))
        return fixed, flat[fixed]

    def _hold(self, problem: BoundaryValueProblem, natural: bool, face: Any, values: Array) -> None:
        across = [k for k in range(3) if k != face.axis]
        towards = self._towards(problem)
        samplings = [self.mesh.axes[k].sampling(face.brick[k], towards[k]) for k in across]
        first, second = np.meshgrid(samplings[0][0], samplings[1][0], indexing="ij")
        x = np.empty((3, first.size))
        x[face.axis] = self.mesh.axes[face.axis].breaks[face.level]
        x[across[0]], x[across[1]] = first.ravel(), second.ravel()
        normal = np.zeros_like(x)
        normal[face.axis] = face.sign
        sampled = np.full((3, x.shape[1]), np.nan)
        held_components(problem, natural, x, normal, np.arange(x.shape[1]), sampled)
        index = self._face_dofs(face)
        for d in range(3):
            if not np.isnan(sampled[d]).any():
                grid = sampled[d].reshape(first.shape)
                values[d][index] = (samplings[0][2] @ grid @ samplings[1][2].T).ravel()

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        grid, parts = Grid.on(self.mesh, how.singular_edge), self._parts(x)
        V = [rule.V for rule in grid.rules]
        slopes = [
            rule.Q @ axis.derivative for rule, axis in zip(grid.rules, self.mesh.axes, strict=True)
        ]
        value = curl = 0.0
        for slab, points, weights in grid.slabs():
            tables = [[V[0][slab], *V[1:]], [slopes[0][slab], *slopes[1:]]]
            rest = within(u, points, weights) - np.stack([combine(p, *tables[0]) for p in parts])
            value += float((rest**2 * weights).sum())
            rest = within(curl_u, points, weights) - _curl(parts, *tables)
            curl += float((rest**2 * weights).sum())
        return value**0.5, (value + curl) ** 0.5

    def evaluate(self, x: Array, points: Array) -> Array:
        return self._at(x, points, curls=False)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self._at(x, points, curls=True)

    def _at(self, x: Array, points: Array, curls: bool) -> Array:
        flat, parts = np.reshape(points, (3, -1)), self._parts(x)
        found = np.empty_like(flat)
        tables = [axis.tables(flat[d]) for d, axis in enumerate(self.mesh.axes)]
        V = [table[0] for table in tables]
        D = [t[1] @ axis.derivative for t, axis in zip(tables, self.mesh.axes, strict=True)]

        def value(d: int, along: int | None = None) -> Array:
            a, b, c = (D[k] if k == along else V[k] for k in range(3))
            return np.einsum("ijk,qi,qj,qk->q", parts[d], a, b, c, optimize=True)

        for d in range(3):
            e, g = (d + 1) % 3, (d + 2) % 3
            found[d] = value(g, e) - value(e, g) if curls else value(d)
        return found.reshape(np.shape(points))

    def _parts(self, x: Array) -> list[Array]:
        """Three arrays over the grid, zero where no brick is."""
        parts = []
        for part in x.reshape(3, -1):
            whole = np.zeros(self.mesh.present_scalars.size)
            whole[self._present] = part
            parts.append(whole.reshape(self.mesh.scalar_shape))
        return parts

    def _towards(self, problem: BoundaryValueProblem) -> tuple[float | None, float | None, None]:
        edge = problem.singular_edge
        return (None, None, None) if edge is None else (edge[0], edge[1], None)

    def _groups(self) -> Iterator[Group]:
        """All bricks. Rules are not graded: φ, f, ρ are bounded, and so is r^{2a}."""
        alike: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
        for brick in self.mesh.bricks():
            orders = tuple(axis.orders[i] for axis, i in zip(self.mesh.axes, brick, strict=True))
            alike.setdefault(orders, []).append(brick)
        for orders, bricks in alike.items():
            size = max(1, BRICKS_AT_ONCE // max(orders) ** 3)
            for start in range(0, len(bricks), size):
                yield self._group(np.array(bricks[start : start + size]), orders)

    def _group(self, bricks: Indices, orders: tuple[int, ...]) -> Group:
        V, slopes, points, weights = [], [], [], []
        for k, axis in enumerate(self.mesh.axes):
            t, w = gauss(orders[k] + EXTRA_POINTS)
            start, length = axis.breaks[bricks[:, k]], axis.lengths[bricks[:, k]]
            value, slope = _tables(orders[k], t)
            V.append(value)
            slopes.append(slope / length[:, None, None])
            points.append(start[:, None] + length[:, None] * t)
            weights.append(length[:, None] * w)
        x = np.stack(
            np.broadcast_arrays(
                points[0][:, :, None, None], points[1][:, None, :, None], points[2][:, None, None, :]
            )
        )
        product = np.einsum("bi,bj,bk->bijk", *weights)
        dofs = [self._number[self.mesh.brick_scalars((i, j, k))] for i, j, k in bricks.tolist()]
        return Group(V, slopes, x, product, np.stack(dofs))


def _tables(order: int, t: Array) -> tuple[Array, Array]:
    """V of the unit interval and its slopes; bubbles scale with the root of a brick's length, and
    their coefficients with its inverse: here and in `Axis` alike they are not rescaled."""
    axis = Axis.of(np.array([0.0, 1.0]), order)
    V, Q = axis.local_tables(0, t)
    return V, Q @ axis.derivative[np.ix_(axis.dofs_Q[0], axis.dofs_V[0])]


def _curl(parts: list[Array], V: list[Array], D: list[Array]) -> Array:
    """curl of nodal coefficients at the points of tables."""

    def slope(d: int, along: int) -> Array:
        return combine(parts[d], *(D[k] if k == along else V[k] for k in range(3)))

    return np.stack(
        [slope((d + 2) % 3, (d + 1) % 3) - slope((d + 1) % 3, (d + 2) % 3) for d in range(3)]
    )


def _sums(group: Group, weights: Array, left: int, right: int) -> Array:
    """Σ_q w ∂_left v_i ∂_right u_j, (bricks, functions, functions), axis by axis."""
    total = weights
    for k in range(3):  # the first axis goes, its pair of functions comes last
        a, b = (group.slopes[k] if k == along else group.V[k][None] for along in (left, right))
        pair = np.einsum("bqi,bqj->bqij", *np.broadcast_arrays(a, b))
        count, points = total.shape[0], total.shape[1]
        rest = total.reshape(count, points, -1)
        flat = np.broadcast_to(
            pair.reshape(pair.shape[0], points, -1), (count, points, pair.shape[2] ** 2)
        )
        total = np.einsum("bqr,bqp->brp", rest, flat, optimize=True).reshape(
            count, *total.shape[2:], flat.shape[2]
        )
    sizes = [table.shape[1] for table in group.V]
    split = [s for size in sizes for s in (size, size)]
    functions = int(np.prod(sizes))
    return (
        total.reshape(len(total), *split)
        .transpose(0, 1, 3, 5, 2, 4, 6)
        .reshape(-1, functions, functions)
    )


def _moments(values: Array, group: Group, along: int | None) -> Array:
    """Σ_q values ∂_along v_i (None: v_i), (bricks, functions)."""
    tables = [
        group.slopes[k]
        if k == along
        else np.broadcast_to(group.V[k], (len(values), *group.V[k].shape))
        for k in range(3)
    ]
    found = np.einsum("bxyz,bxi,byj,bzk->bijk", values, *tables, optimize=True)
    return np.asarray(found.reshape(len(values), -1))


def _scattered(local: Array, dofs: Indices, size: int) -> sp.csr_matrix:
    functions = dofs.shape[1]
    rows, columns = np.repeat(dofs, functions, axis=1), np.tile(dofs, (1, functions))
    return sp.csr_matrix((local.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size))


def solve_nodal_on_bricks(
    problem: BoundaryValueProblem,
    *,
    element: str,
    solver: str,
    how: How,
    n: int | None = None,
    order: int | None = None,
    mesh: BrickMesh | None = None,
) -> NodalSolution:
    """Q_p³ on the cube with n bricks per side of one order or on a mesh of bricks."""
    memory.reset_peak()
    clock = Clock()
    chosen = with_natural(uniform(n, order) if mesh is None else mesh, problem.natural)
    return solve_nodal(NodalBricks(chosen), problem, element, solver, how, clock, n)
