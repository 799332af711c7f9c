"""The certificate of a boundary-value solution on bricks, by recovered σ and τ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, prod, sqrt
from time import perf_counter
from typing import Any

import numpy as np

from base.errors import UserError
from fem import memory
from fem.boundary_value import BoundaryValueProblem
from fem.certificates.bounds import NORMS, energy_bound, l2_bound, l2_parts
from fem.certificates.certificate import Certificate, doubts
from fem.certificates.constants import Constants, PhiBounds
from fem.certificates.coons import Mismatch, gauss_line, no_lift, unsettled_lift, without_lift
from fem.certificates.geometry import Geometry
from fem.certificates.raviart_thomas import divergence
from fem.certificates.recovery import Recovered, raised, recovered
from fem.certificates.residuals import given
from fem.certificates.rules import SHRINK
from fem.certificates.settling import Bounds, settle
from fem.certificates.waves import Ends, Waves
from fem.rules.quadrature import gauss
from fem.spaces import Array
from fem.spaces.bricks.assembled import assembled_bytes
from fem.spaces.bricks.axis import Axis, AxisRule
from fem.spaces.bricks.mesh import BrickMesh, Face
from fem.spaces.bricks.space import BrickSpace
from fem.spaces.bricks.tensor import Grid, combine, curl, values, within

MORE_POINTS = (4, 6, 10)  # Gauss points per interval beyond its order, by level
DEPTHS = (4, 7, 10)  # panels towards a singular edge inside the intervals that touch it, by level
MOST_LIFTED = 160  # points per axis of the grid on which boundary values are lifted
MOST_POINTS = 16_000_000  # of the finest rule: minutes, at order 32


def certify_bricks(
    solution: Any,
    problem: BoundaryValueProblem,
    geometry: Geometry,
    phi: PhiBounds,
    *,
    doubt: str | None = None,
) -> Certificate:
    """Bound the error of u_h; `problem` holds the whole trace, not a part as a potential."""
    started, C = perf_counter(), Constants.of(geometry, phi)
    if not isinstance(getattr(solution, "space", None), BrickSpace):
        raise UserError(
            "only solutions on bricks (hexP) are certified by recovery; use --method reference"
        )
    mesh: BrickMesh = solution.space.mesh
    _check_size(raised(mesh, problem.singular_edge), problem)
    found = recovered(problem, mesh, solution.x, C)
    why = no_lift(geometry, problem) or _too_many_points(mesh)
    lifts = why is None

    def compute(level: int) -> Bounds:
        norms = element_norms(found, problem, geometry, level, max(0, len(C.waves) - 1))
        return norms | ({"lifted": _lifted(solution, problem, mesh, level)} if lifts else {})

    def bounds(norms: Bounds) -> Bounds:
        both = {"l2": l2_bound(norms, C)}
        if lifts or norms["trace"] == 0.0:  # nothing to lift
            both["energy"] = energy_bound(norms, C, norms.get("lifted", 0.0))
        return both

    settled = settle(compute, bounds, levels=len(MORE_POINTS))
    why = (why if "energy" not in settled.bounds else None) or unsettled_lift(settled.unsettled)
    tagged = {"C_M": geometry.maxwell, "C_F": geometry.friedrichs}
    return Certificate(
        method="recovered",
        l2_bound=settled.bounds["l2"],
        energy_bound=None if why else settled.bounds["energy"],
        norm=settled.result["value"],
        energy_norm=settled.result["energy"],
        parts=l2_parts(settled.result, C),
        constants=tagged,
        change=settled.change,
        levels=settled.levels,
        seconds=perf_counter() - started,
        doubt=doubts(tagged, without_lift(settled.unsettled), settled.change, doubt),
        no_energy=why,
    )


def _check_size(mesh: BrickMesh, problem: BoundaryValueProblem) -> None:
    points = prod(len(rule.points) for rule in _grid(mesh, problem, len(MORE_POINTS)).rules)
    if points > MOST_POINTS:
        raise UserError(
            f"the certificate needs a rule of {points / 1e6:.0f} million points, at most "
            f"{MOST_POINTS / 1e6:.0f} are used; use a lower order or fewer bricks"
        )
    if mesh.is_box and not mesh.natural:
        return
    need, limit = assembled_bytes(mesh), memory.limit_bytes()
    if need > limit:
        raise UserError(
            f"the certificate needs about {need / 2**30:.1f} GiB, {limit / 2**30:.1f} GiB are "
            "available; use a lower order or fewer bricks"
        )


def element_norms(
    found: Recovered, problem: BoundaryValueProblem, geometry: Geometry, level: int, waves: int = 0
) -> dict[str, float]:
    """The norms of `bounds.NORMS`, on a prism those of so many waves and of the rest, `value` =
    ‖u_h‖ and `energy` = ‖φ^½ curl u_h‖."""
    grid, along = _grid(found.mesh, problem, level), Waves(waves) if waves else None
    total = dict.fromkeys((*NORMS, "value", "energy"), 0.0)
    for name, value in _inside(found, problem, grid, along):
        total[name] += value
    for face in found.mesh.essential_faces:
        rest, x, n, w = _tangential_rest(found.u, grid, face, problem, "essential")
        rest = np.sqrt(problem.phi(x) / geometry.outward(x, n)) * rest
        total["trace"] += float((w * (rest**2).sum(axis=0)).sum())
        if along is not None:
            along.side(face, rest, w, x[2, 0])
    for face in found.mesh.natural_faces:
        rest, x, n, w = _tangential_rest(found.sigma, grid, face, problem, "natural")
        total["natural"] += float((w * (rest**2).sum(axis=0)).sum())
        total["normal"] += _normal_square(found, grid, face, problem)
    total |= {} if along is None else along.total()
    return {name: sqrt(value) for name, value in total.items()}


def _grid(mesh: BrickMesh, problem: BoundaryValueProblem, level: int) -> Grid:
    """A rule of its own for each level, deeper towards a singular edge on the second."""
    edge = problem.singular_edge
    towards = (None, None, None) if edge is None else (*edge, None)
    x, y, z = (_rule(axis, to, level) for axis, to in zip(mesh.axes, towards, strict=True))
    return Grid(mesh, (x, y, z))


def _rule(axis: Axis, towards: float | None, level: int) -> AxisRule:
    points, weights, intervals = [], [], []
    for i, order in enumerate(axis.orders):
        more = MORE_POINTS[level - 1]
        for low, high, share in _panels(axis.breaks[i], axis.breaks[i + 1], towards, level):
            # Within a share s of the interval from its end, the waves of a polynomial of degree p
            # are as many as those of degree p √s in the whole.
            t, w = gauss(ceil(order * sqrt(share)) + more)
            points.append(low + (high - low) * t)
            weights.append((high - low) * w)
            intervals.append(np.full(t.size, i))
    x, where = np.concatenate(points), np.concatenate(intervals)
    return AxisRule(x, np.concatenate(weights), where, *axis.tables(x, where))


def _panels(
    low: float, high: float, towards: float | None, level: int
) -> Iterator[tuple[float, float, float]]:
    """The interval, cut geometrically towards one of its ends: (low, high, share of the interval
    from that end to the far end of the panel)."""
    if towards not in (low, high):
        yield low, high, 1.0
        return
    shares = [*SHRINK ** np.arange(DEPTHS[level - 1]), 0.0]
    for far, near in pairwise(shares):
        a, b = near * (high - low), far * (high - low)
        yield (low + a, low + b, far) if towards == low else (high - b, high - a, far)


def _inside(
    found: Recovered, problem: BoundaryValueProblem, grid: Grid, waves: Waves | None
) -> Iterator[tuple[str, float]]:
    D = [axis.derivative for axis in found.mesh.axes]
    curl_u, curl_s = curl(found.u, D), curl(found.sigma, D)
    ends, z = Ends.of(problem, found.sigma, grid) if waves else None, grid.rules[2].points
    div_t, Q = divergence(found.tau, found.mesh), [rule.Q for rule in grid.rules]
    for slab, x, w in grid.slabs():
        space, curls = grid.space.cut(slab), grid.curls.cut(slab)
        phi = np.where(w > 0, within(problem.phi, x, w), 1.0)
        u, c, s = values(found.u, space), values(curl_u, curls), values(found.sigma, space)
        rho = 0.0 if problem.rho is None else within(problem.rho, x, w)
        rests = {
            "flux": (phi * c - s) / np.sqrt(phi),
            "equation": within(problem.f, x, w) - values(curl_s, curls),
            "recovered": u - values(found.tau, curls),
            "divergence": (combine(div_t, Q[0][slab], Q[1], Q[2]) - rho)[None],
            "value": u,
            "energy": np.sqrt(phi) * c,
        }
        for name, rest in rests.items():
            yield name, float((w * (rest**2).sum(axis=0)).sum())
        if waves is not None and ends is not None:
            there = ends.mismatch(slab, x, w)
            waves.inside(rests["flux"], rests["equation"], there, w, z)


def _on_face(grid: Grid, face: Face) -> tuple[Array, Array, dict[int, tuple[Array, Array]], Array]:
    """Points, normals, the tables V and Q of the two axes of a face, and weights."""
    mesh, tables, lines = grid.mesh, {}, []
    for k in face.across:
        rule, i = grid.rules[k], face.brick[k]
        here = np.flatnonzero(rule.intervals == i)
        axis = mesh.axes[k]
        tables[k] = rule.V[np.ix_(here, axis.dofs_V[i])], rule.Q[np.ix_(here, axis.dofs_Q[i])]
        lines.append((rule.points[here], rule.weights[here]))
    (first, w_first), (second, w_second) = lines
    return *mesh.face_points(face, first, second), tables, np.outer(w_first, w_second)


def _tangential_rest(
    X: list[Array], grid: Grid, face: Face, problem: BoundaryValueProblem, kind: str
) -> tuple[Array, Array, Array, Array]:
    """The tangential field with coefficients X minus the given one, on a face."""
    x, n, tables, w = _on_face(grid, face)
    if kind == "essential":
        data = given(problem, x, n)
    else:
        assert problem.natural is not None
        data = np.cross(n, problem.natural.curl(x, n), axis=0)
    rest = -data
    for d in face.across:
        first, second = (tables[k][1 if k == d else 0] for k in face.across)
        coefficients = np.squeeze(X[d][grid.mesh.face_index(face, d)], face.axis)
        rest[d] += first @ coefficients @ second.T
    return rest, x, n, w


def _normal_square(
    found: Recovered, grid: Grid, face: Face, problem: BoundaryValueProblem
) -> float:
    assert problem.natural is not None
    x, n, tables, w = _on_face(grid, face)
    first, second = (tables[k][1] for k in face.across)
    rows, columns = (grid.mesh.axes[k].dofs_Q[face.brick[k]] for k in face.across)
    plane = np.take(found.tau[face.axis], face.level, axis=face.axis)[np.ix_(rows, columns)]
    rest = face.sign * (first @ plane @ second.T) - problem.natural.normal(x, n)
    return float((w * rest**2).sum())


def _too_many_points(mesh: BrickMesh) -> str | None:
    """Why a mesh is too fine for the lift; None if it is not."""
    most = max((max(axis.orders) + MORE_POINTS[-1]) * axis.intervals for axis in mesh.axes)
    if most <= MOST_LIFTED:
        return None
    return (
        f"no energy bound: the lift needs {most} points per axis, at most {MOST_LIFTED} "
        "are used; take fewer bricks"
    )


def _lines(mesh: BrickMesh, level: int) -> Any:
    orders = [max(axis.orders) + MORE_POINTS[level - 1] for axis in mesh.axes]
    return [
        gauss_line(p, tuple(map(float, axis.breaks)))
        for p, axis in zip(orders, mesh.axes, strict=True)
    ]


def _lifted(solution: Any, problem: BoundaryValueProblem, mesh: BrickMesh, level: int) -> float:
    mismatch = Mismatch(
        _lines(mesh, level), solution, solution.curl, lambda x, n: given(problem, x, n)
    )
    return mismatch.energy(problem.phi)
