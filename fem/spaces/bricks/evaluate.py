"""Fields on bricks at scattered points, through one tensor basis per brick.

On a brick every component of u_h and of its curl is a polynomial of degree p in each coordinate.
Written in Legendre polynomials, Σ X_ijk P_i P_j P_k, the three components share their tables: the
sum over k is one matrix product for all, the sums over j and i are passes over short vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from base.errors import UserError
from fem.spaces import Array
from fem.spaces.bricks.axis import Indices, local_functions
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.tensor import combine

# Points at a time: 206 ns per point at p = 8, against 221 with 128 and 281 with 1024 (the cache).
BLOCK = 256


def at_points(mesh: BrickMesh, X: Sequence[Array], points: Array, *, curls: bool = False) -> Array:
    """u_h (or its curl, whose coefficients X then are) at points (3, …), brick by brick."""
    flat = np.asarray(points, dtype=float).reshape(3, -1)
    bricks = np.stack([axis.locate(flat[d]) for d, axis in enumerate(mesh.axes)])
    _refuse_outside(mesh, flat, bricks)
    out = np.empty_like(flat)
    for here, brick in _by_brick(mesh, bricks):
        series = _legendre_series(mesh, X, brick, curls)
        if here is None:
            _evaluate(mesh, series, brick, flat, out)
        else:
            some = np.empty((3, len(here)))
            _evaluate(mesh, series, brick, flat[:, here], some)
            out[:, here] = some
    return out.reshape(np.shape(points))


def _by_brick(mesh: BrickMesh, bricks: Indices) -> Iterator[tuple[Indices | None, Indices]]:
    """The points of each brick that has some, None for all, and the brick."""
    if mesh.active.size == 1:
        yield None, np.zeros(3, dtype=int)
        return
    code = np.ravel_multi_index(tuple(bricks), mesh.active.shape)
    order = np.argsort(code, kind="stable")
    for here in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
        if here.size:
            yield here, bricks[:, here[0]]


def _legendre_series(mesh: BrickMesh, X: Sequence[Array], brick: Indices, curls: bool) -> Array:
    """Coefficients (3, …) of the three components on a brick in Legendre polynomials."""
    intervals = list(zip(mesh.axes, brick, strict=True))
    changes = [_to_legendre(axis.orders[i], float(axis.lengths[i])) for axis, i in intervals]
    series = []
    for d in range(3):
        kinds = [int((k == d) != curls) for k in range(3)]  # 1: Q there, 0: V elsewhere
        dofs = [
            (axis.dofs_V[i], axis.dofs_Q[i])[kind]
            for (axis, i), kind in zip(intervals, kinds, strict=True)
        ]
        tables = [change[kind] for change, kind in zip(changes, kinds, strict=True)]
        series.append(combine(X[d][np.ix_(*dofs)], *tables))
    return np.stack(series)


@lru_cache(maxsize=256)
def _to_legendre(degree: int, length: float) -> tuple[Array, Array]:
    """Legendre coefficients of the functions of V and Q on an interval, (p + 1, functions)."""
    x, w = legendre.leggauss(degree + 1)  # exact for the products of degree 2p
    onto = (legendre.legvander(x, degree) * w[:, None]).T * (np.arange(degree + 1)[:, None] + 0.5)
    V, Q = local_functions((x + 1.0) / 2.0, degree, length)
    return onto @ V, onto @ Q


def _evaluate(mesh: BrickMesh, series: Array, brick: Indices, points: Array, out: Array) -> None:
    """Σ X_ijk P_i P_j P_k at points of one brick."""
    from fem.spaces.bricks.evaluation_kernels import legendre_table, sum_lines  # numba: only here

    matrix, shape = series.reshape(-1, series.shape[3]), series.shape[:3]
    ends = [axis.breaks[i : i + 2] for axis, i in zip(mesh.axes, brick, strict=True)]
    for start in range(0, points.shape[1], BLOCK):
        some = points[:, start : start + BLOCK]
        tables = [np.empty((n, some.shape[1])) for n in series.shape[1:]]
        for coordinate, (low, high), table in zip(some, ends, tables, strict=True):
            legendre_table(coordinate, low, high, table)
        lines = (matrix @ tables[2]).reshape(*shape, -1)
        sum_lines(lines, tables[0], tables[1], out, start)


def _refuse_outside(mesh: BrickMesh, flat: Array, bricks: Indices) -> None:
    low, high = (np.array([axis.breaks[end] for axis in mesh.axes])[:, None] for end in (0, -1))
    low, high = low - 1e-12, high + 1e-12
    if mesh.is_box and (flat.T >= low.T).all() and (flat.T <= high.T).all():
        return
    outside = ~((flat >= low) & (flat <= high)).all(axis=0) | ~mesh.active[tuple(bricks)]
    if outside.any():
        at = ", ".join(f"{c:.4g}" for c in flat[:, int(outside.argmax())])
        raise UserError(
            f"{int(outside.sum())} of {flat.shape[1]} points lie outside the mesh, the first is "
            f"({at}); the bricks span {_box(mesh)}"
        )


def _box(mesh: BrickMesh) -> str:
    return " × ".join(f"[{axis.breaks[0]:g}, {axis.breaks[-1]:g}]" for axis in mesh.axes)
