"""Nodal elements Q_p³ on bricks for the boundary-value problem: the classical wrong answer.

The form and its limit at a re-entrant edge are those of `fem.spaces.tets.nodal`. A component is
V in all three directions; on a brick every entry is a product of one table per axis, summed over
Gauss points for all bricks of the same orders together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Unpack

import numpy as np
import scipy.sparse as sp

from fem import memory
from fem.boundary_value import BoundaryValueProblem
from fem.rules.quadrature import gauss
from fem.rules.reference_hexes import collapsed_hex, tensor_hex
from fem.solutions import Clock
from fem.solvers.nodal_fields import Asked, NodalSolution, held_components, solve_nodal
from fem.spaces import PLAIN, Array, Field, How, Line
from fem.spaces.bricks.axis import Axis, Indices
from fem.spaces.bricks.mesh import BrickMesh, Face, uniform
from fem.spaces.bricks.traces import face_rule, sampled, with_natural
from fem.spaces.tets.mixed import positive

BRICKS_AT_ONCE = 512
EXTRA_POINTS = 3  # Gauss points per direction beyond the order
ERROR_POINTS = 4
ON_EDGE = 1e-12


class Group(NamedTuple):
    """Bricks of the same orders and rules: tables per axis, points, weights, dofs."""

    V: list[Array]  # (bricks, points, functions) per axis
    slopes: list[Array]
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
        """v_d against u_e: (w ∂_e u_e, ∂_d v_d), and for d = e Σ_{a≠d} (φ ∂_a u_d, ∂_a v_d), else
        −(φ ∂_d u_e, ∂_e v_d)."""
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
            x, normal, tables, weights = face_rule(self.mesh, face, problem.singular_edge)
            data = problem.natural.curl(x, normal) * weights
            index = self._face_dofs(face)
            first, second = (tables[k][0] for k in face.across)
            for d in range(3):
                b[d][index] += (first.T @ data[d] @ second).ravel()

    def _face_dofs(self, face: Face) -> Indices:
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

    def _hold(
        self, problem: BoundaryValueProblem, natural: bool, face: Face, values: Array
    ) -> None:
        x, normal, samplings = sampled(self.mesh, face, problem.singular_edge)
        first, second = (samplings[k][1] for k in face.across)
        components = np.full((3, x[0].size), np.nan)
        where = np.arange(x[0].size)
        flat = x.reshape(3, -1), normal.reshape(3, -1)
        held_components(problem, natural, *flat, where, components)
        index = self._face_dofs(face)
        for d in range(3):
            if not np.isnan(components[d]).any():
                grid = components[d].reshape(x.shape[1:])
                values[d][index] = (first @ grid @ second.T).ravel()

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        parts = np.stack(self._parts(x)).reshape(3, -1)
        value = curl = 0.0
        for bricks, orders, corner in self._alike(how.singular_edge):
            t, w = _brick_rule(max(orders) + ERROR_POINTS, corner)
            pairs = list(zip(self.mesh.axes, bricks.T, strict=True))
            start = np.stack([axis.breaks[i] for axis, i in pairs])
            length = np.stack([axis.lengths[i] for axis, i in pairs])
            points = start[:, :, None] + length[:, :, None] * t[:, None, :]
            weights = length.prod(axis=0)[:, None] * w
            tables = [_tables(orders[k], t[k], length[k]) for k in range(3)]
            dofs = np.stack([self.mesh.brick_scalars((i, j, k)) for i, j, k in bricks.tolist()])
            local = parts[:, dofs].reshape(3, len(bricks), *(p + 1 for p in orders))
            rest = u(points) - _at(local, tables)
            value += float((rest**2 * weights).sum())
            rest = curl_u(points) - _curl(local, tables)
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

    def _groups(self) -> Iterator[Group]:
        """All bricks. Rules are not graded: φ, f, ρ are bounded, and so is r^{2a}."""
        for bricks, orders, _ in self._alike(None):
            yield self._group(bricks, orders)

    def _alike(
        self, edge: Line | None
    ) -> Iterator[tuple[Indices, tuple[int, ...], tuple[int, int] | None]]:
        """Bricks of the same orders, and at which of their vertical edges the line is, if any."""
        x, y, _ = self.mesh.axes
        alike: dict[tuple[object, ...], list[tuple[int, int, int]]] = {}
        for brick in self.mesh.bricks():
            orders = tuple(axis.orders[i] for axis, i in zip(self.mesh.axes, brick, strict=True))
            corner = None
            if edge is not None:
                ends = (x.breaks[brick[0] : brick[0] + 2], y.breaks[brick[1] : brick[1] + 2])
                at = [
                    np.flatnonzero(abs(end - e) < ON_EDGE)
                    for end, e in zip(ends, edge, strict=True)
                ]
                corner = (int(at[0][0]), int(at[1][0])) if all(len(a) for a in at) else None
            alike.setdefault((orders, corner), []).append(brick)
        for key, bricks in alike.items():
            orders, corner = key[0], key[1]  # type: ignore[assignment]
            size = max(1, BRICKS_AT_ONCE // max(orders) ** 3)
            for start in range(0, len(bricks), size):
                yield np.array(bricks[start : start + size]), orders, corner

    def _group(self, bricks: Indices, orders: tuple[int, ...]) -> Group:
        V, slopes, points, weights = [], [], [], []
        for k, axis in enumerate(self.mesh.axes):
            t, w = gauss(orders[k] + EXTRA_POINTS)
            start, length = axis.breaks[bricks[:, k]], axis.lengths[bricks[:, k]]
            value, slope = _tables(orders[k], t, length)
            V.append(value)
            slopes.append(slope)
            points.append(start[:, None] + length[:, None] * t)
            weights.append(length[:, None] * w)
        x = np.stack(
            np.broadcast_arrays(
                points[0][:, :, None, None],
                points[1][:, None, :, None],
                points[2][:, None, None, :],
            )
        )
        product = np.einsum("bi,bj,bk->bijk", *weights)
        dofs = [self._number[self.mesh.brick_scalars((i, j, k))] for i, j, k in bricks.tolist()]
        return Group(V, slopes, x, product, np.stack(dofs))


def _tables(order: int, t: Array, lengths: Array) -> tuple[Array, Array]:
    """V and its slopes, (bricks, points, functions); bubbles grow with the root of the length."""
    axis = Axis.of(np.array([0.0, 1.0]), order)
    V, Q = axis.local_tables(0, t)
    slopes = Q @ axis.derivative[np.ix_(axis.dofs_Q[0], axis.dofs_V[0])]
    scale = np.ones((len(lengths), 1, order + 1))
    scale[:, 0, 2:] = np.sqrt(lengths)[:, None]
    return V * scale, slopes * scale / lengths[:, None, None]


def _at(local: Array, tables: list[tuple[Array, Array]], along: int | None = None) -> Array:
    """Coefficients (…, bricks, i, j, k) at the points of tables, or their slope along an axis."""
    a, b, c = (table[k == along] for k, table in enumerate(tables))
    return np.asarray(np.einsum("...bijk,bqi,bqj,bqk->...bq", local, a, b, c, optimize=True))


def _curl(local: Array, tables: list[tuple[Array, Array]]) -> Array:
    return np.stack(
        [
            _at(local[(d + 2) % 3], tables, (d + 1) % 3)
            - _at(local[(d + 1) % 3], tables, (d + 2) % 3)
            for d in range(3)
        ]
    )


def _brick_rule(points: int, corner: tuple[int, int] | None) -> tuple[Array, Array]:
    """Gauss on the unit cube; at a singular vertical edge collapsed onto it, s = σ³."""
    if corner is None:
        return tensor_hex(points)
    return collapsed_hex(points + 4, corner, along=2, power=3)


def _sums(group: Group, weights: Array, left: int, right: int) -> Array:
    """Σ_q w ∂_left v_i ∂_right u_j, (bricks, functions, functions), axis by axis."""
    total, count = weights, len(weights)
    for k in range(3):  # the first axis goes, its pair of functions comes last
        a, b = (group.slopes[k] if k == along else group.V[k] for along in (left, right))
        pair = np.einsum("bqi,bqj->bqij", a, b).reshape(count, a.shape[1], -1)
        rest = total.reshape(count, a.shape[1], -1)
        total = (np.swapaxes(rest, 1, 2) @ pair).reshape(count, *total.shape[2:], -1)
    sizes = [table.shape[2] for table in group.V]
    split = [size for size in sizes for _ in range(2)]
    functions = int(np.prod(sizes))
    ordered = total.reshape(count, *split).transpose(0, 1, 3, 5, 2, 4, 6)
    return ordered.reshape(count, functions, functions)


def _moments(values: Array, group: Group, along: int | None) -> Array:
    """Σ_q values ∂_along v_i (None: v_i), (bricks, functions)."""
    tables = [group.slopes[k] if k == along else group.V[k] for k in range(3)]
    found = np.einsum("bxyz,bxi,byj,bzk->bijk", values, *tables, optimize=True)
    return np.asarray(found.reshape(len(values), -1))


def _scattered(local: Array, dofs: Indices, size: int) -> sp.csr_matrix:
    functions = dofs.shape[1]
    rows, columns = np.repeat(dofs, functions, axis=1), np.tile(dofs, (1, functions))
    return sp.csr_matrix((local.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size))


def solve_nodal_on_bricks(
    problem: BoundaryValueProblem,
    *,
    n: int | None = None,
    order: int | None = None,
    mesh: BrickMesh | None = None,
    **asked: Unpack[Asked],
) -> NodalSolution:
    """Q_p³ on the cube with n bricks per side of one order or on a mesh of bricks."""
    memory.reset_peak()
    clock = Clock()
    chosen = with_natural(uniform(n, order) if mesh is None else mesh, problem.natural)
    return solve_nodal(NodalBricks(chosen), problem, clock, n=n, **asked)
