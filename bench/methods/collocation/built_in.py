"""Boundary values built into the field: u = lift + factors · net, with u × n = g whatever the net.

On a box with faces along the axes the component u_i is tangential to the four faces that contain
the direction e_i. Its factor is the product of the distances from these faces, each scaled to 1 in
the middle; its lift interpolates u_i between them (Coons), from the traces alone. The lift is held
as a tensor product of Chebyshev polynomials, so that its derivatives are exact; that needs traces
which are smooth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import chebyshev

from base.errors import UserError
from bench.methods.collocation.operators import CHANNELS, SECOND
from bench.problems import Array, Problem
from nets.residuals.terms import Residuals

DEGREE = 20
Jets = Callable[[Array, str], Array]  # points (3, N), order -> (channels, 3, N)


@dataclass(frozen=True)
class BuiltIn:
    """Factors d and lift l, as functions that give their jets at points."""

    factors: Jets
    lift: Jets

    def of_the_net(self, term: Residuals) -> Residuals:
        """Residuals of u as residuals of the net v: u_i = l_i + d_i v_i and the product rule."""
        x, order = np.ascontiguousarray(term.x.T), term.order
        d, lift = self.factors(x, order), self.lift(x, order)
        A, b = term.A[:, :, :3], term.b - np.einsum("mcin,cin->mn", term.A[:, :, :3], lift)
        new = A * d[0]  # every channel of u has d times that channel of v
        if CHANNELS[order] >= 4:
            for j in range(3):
                new[:, 0] += A[:, 1 + j] * d[1 + j]
        if order == "laplacian":
            new[:, 0] += A[:, 4] * d[4]
            for j in range(3):
                new[:, 1 + j] += 2 * A[:, 4] * d[1 + j]
        if order == "second":
            for (j, k), c in SECOND.items():
                new[:, 0] += A[:, c] * d[c]
                new[:, 1 + j] += A[:, c] * d[1 + k]
                new[:, 1 + k] += A[:, c] * d[1 + j]
        rest = term.A[:, :, 3:]
        return replace(term, A=np.concatenate([new, rest], axis=2), b=b)

    def field(self, x: Array, v: Array, order: str) -> Array:
        """The jets of u from those of the net v, (channels, 3, N); not of order laplacian."""
        d, lift = self.factors(x, order), self.lift(x, order)
        u = lift + d[0] * v
        for j in range(min(CHANNELS[order] - 1, 3)):
            u[1 + j] += d[1 + j] * v[0]
        if order == "second":
            for (j, k), c in SECOND.items():
                u[c] += d[c] * v[0] + d[1 + j] * v[1 + k] + d[1 + k] * v[1 + j]
        return u


def box_values(problem: Problem) -> BuiltIn:
    """Boundary values built in on the unit cube; a UserError where that cannot be done."""
    domain = problem.domain
    if not domain.structured:
        raise UserError(
            f"boundary values are built in on the cube only, not on {domain.name}; use "
            "--boundary penalty (at re-entrant edges: femnets run reentrant)"
        )
    if not problem.smooth:
        raise UserError(
            f"the boundary values of {problem.name} are singular, and no lift of them is smooth; "
            "use --boundary penalty"
        )
    if problem.natural:
        raise UserError(
            f"{problem.name} has natural faces, which are not built in; use --boundary penalty"
        )
    return BuiltIn(distance_factors, _chebyshev(_coons(problem)))


def distance_factors(x: Array, order: str) -> Array:
    """d_i = Π_{j≠i} 4 x_j (1 − x_j)."""
    value, slope, bend = 4 * x * (1 - x), 4 * (1 - 2 * x), np.full_like(x, -8.0)
    out = np.zeros((CHANNELS[order], 3, x.shape[1]))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[0, i] = value[j] * value[k]
        if len(out) >= 4:
            out[1 + j, i], out[1 + k, i] = slope[j] * value[k], value[j] * slope[k]
        if order == "laplacian":
            out[4, i] = bend[j] * value[k] + value[j] * bend[k]
        elif order == "second":
            out[SECOND[j, j], i], out[SECOND[k, k], i] = bend[j] * value[k], value[j] * bend[k]
            out[SECOND[min(j, k), max(j, k)], i] = slope[j] * slope[k]
    return out


def no_lift(x: Array, order: str) -> Array:
    """The jets of a lift that vanishes."""
    return np.zeros((CHANNELS[order], 3, x.shape[1]))


def _coons(problem: Problem) -> Callable[[Array], Array]:
    """Transfinite interpolation of each component between the faces where it is given."""

    def lift(x: Array) -> Array:
        out = np.zeros_like(x)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3

            def trace(*, axis: dict[int, float], component: int = i) -> Array:
                y = x.copy()
                for direction, value in axis.items():
                    y[direction] = value
                return np.asarray(problem.u(y)[component])  # tangential there: part of g

            for side, weight in ((0.0, 1 - x[j]), (1.0, x[j])):
                out[i] += weight * trace(axis={j: side})
                for other, second in ((0.0, 1 - x[k]), (1.0, x[k])):
                    out[i] -= weight * second * trace(axis={j: side, k: other})
            for side, weight in ((0.0, 1 - x[k]), (1.0, x[k])):
                out[i] += weight * trace(axis={k: side})
        return out

    return lift


def _chebyshev(field: Callable[[Array], Array]) -> Jets:
    """A field on the unit cube as a polynomial of degree `DEGREE` in each variable, with jets."""
    nodes = chebyshev.chebpts1(DEGREE + 1)
    inverse = np.linalg.inv(chebyshev.chebvander(nodes, DEGREE))
    grid = np.stack(np.meshgrid(*([(nodes + 1) / 2] * 3), indexing="ij")).reshape(3, -1)
    values = field(grid).reshape(3, *[DEGREE + 1] * 3)
    coefficients = np.einsum(
        "pa,qb,rc,iabc->ipqr", inverse, inverse, inverse, values, optimize=True
    )

    def jets(x: Array, order: str) -> Array:
        tables = [_derivatives(2 * x[j] - 1) for j in range(3)]
        wanted: list[tuple[int, ...]] = [(0, 0, 0)]
        wanted += [tuple(int(j == a) for a in range(3)) for j in range(3)]
        wanted += [tuple(int(j == a) + int(k == a) for a in range(3)) for j, k in SECOND]
        first = CHANNELS[order] if order != "laplacian" else 4
        out = [_evaluate(coefficients, tables, orders) for orders in wanted[:first]]
        if order == "laplacian":
            pure = [tuple(2 * int(j == a) for a in range(3)) for j in range(3)]
            parts = [_evaluate(coefficients, tables, orders) for orders in pure]
            out.append(np.sum(parts, axis=0))
        return np.stack(out)

    return jets


def _derivatives(t: Array) -> list[Array]:
    """T_n, d/dx and d²/dx² of T_n(2x − 1) at the points, each (N, DEGREE + 1)."""
    identity = np.eye(DEGREE + 1)
    slope, bend = (chebyshev.chebder(identity, m) for m in (1, 2))
    vander: Array = np.asarray(chebyshev.chebvander(t, DEGREE), dtype=np.float64)
    return [vander, 2 * vander[:, :-1] @ slope, 4 * vander[:, :-2] @ bend]


def _evaluate(c: Array, tables: list[list[Array]], orders: tuple[int, ...]) -> Array:
    X, Y, Z = (tables[j][orders[j]] for j in range(3))
    inner = np.tensordot(c, Z, axes=([3], [1]))  # (3, p, q, N)
    inner = np.einsum("ipqn,nq->ipn", inner, Y)
    return np.einsum("ipn,np->in", inner, X)
