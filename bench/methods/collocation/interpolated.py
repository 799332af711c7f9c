"""Nets interpolated into a finite-element space and trained there (compatible FEINN).

Badia, Droniou, Li and others (2024/25) interpolate a net v into Nédélec's space and minimise the
weak residual A π v − b of the interpolant π v. Any preconditioner may stand before it; here it is
the best one, A⁻¹, so that the residual becomes π v − u_h, u_h the element's own solution, measured
in H(curl). It vanishes where the weak residual does. The interpolant cannot do better than u_h by
design; what is claimed is that the net itself does.

The interpolation and the norm are linear maps of the values of v at points; they are found by
asking the space for them, one unit at a time, so every element serves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, hstack

from bench.domains import Domain
from bench.methods.collocation import operators as op
from bench.problems import Array
from nets.residuals.terms import Residuals

if TYPE_CHECKING:
    from fem.solutions import Solution
    from fem.spaces import Field

RULE_CELLS, RULE_DEGREE = 4, 6  # the rule of the norm: its error is far below that of the net


def interpolant(space: Any, v: Field) -> Array:
    """The coefficients of the canonical interpolant of v."""
    from fem.spaces.tets.complex import TetComplex
    from fem.spaces.tets.dofs import canonical_dofs

    found = canonical_dofs(space, v) if isinstance(space, TetComplex) else space.interpolate(v)
    return np.asarray(found)


@dataclass(frozen=True, eq=False)
class Interpolation:
    """x = matrix @ values: the coefficients of the interpolant, from v at the points."""

    points: Array  # (3, Q)
    matrix: csr_array  # (unknowns, 3·Q), the components of v one after the other

    @classmethod
    def into(cls, space: Any) -> Interpolation:
        asked: list[Array] = []

        def recorded(x: Array) -> Array:
            asked.append(np.asarray(x))
            return np.zeros_like(x)

        interpolant(space, recorded)
        sizes = [x[0].size for x in asked]
        points = np.concatenate([x.reshape(3, -1) for x in asked], axis=1)
        columns = [
            csr_array(_answer(space, asked, sizes, k)[:, None]) for k in range(3 * sum(sizes))
        ]
        return cls(points, csr_array(hstack(columns)))


def _answer(space: Any, asked: list[Array], sizes: list[int], unit: int) -> Array:
    """The coefficients for values that are 1 in one component at one point, else 0."""
    component, place = divmod(unit, sum(sizes))
    call = iter(range(len(asked)))

    def one(x: Array) -> Array:
        k = next(call)
        values = np.zeros_like(np.asarray(x))
        within = place - sum(sizes[:k])
        if 0 <= within < sizes[k]:
            values[component].flat[within] = 1.0
        return values

    return interpolant(space, one)


def norm_root(space: Any, domain: Domain, unknowns: int) -> Array:
    """R with ‖R x‖ = ‖v‖ in H(curl), for the function v with the coefficients x."""
    from scipy.linalg import qr

    (rule,) = domain.gauss_rule(RULE_CELLS, "hex", RULE_DEGREE).chunks(10**9)
    root = np.sqrt(rule.weights)
    columns = []
    for x in np.eye(unknowns):
        both = [space.evaluate(x, rule.points), space.evaluate_curl(x, rule.points)]
        columns.append((np.concatenate(both) * root).ravel())
    return np.asarray(qr(np.stack(columns, axis=1), mode="r", check_finite=False)[0][:unknowns])


def residuals(solution: Solution, domain: Domain) -> tuple[Residuals, Interpolation]:
    """R (π v − u_h) as a term of a loss, with the interpolation."""
    interpolation = Interpolation.into(solution.space)
    R = norm_root(solution.space, domain, len(solution.x))
    Q = interpolation.points.shape[1]
    # one more point, at which nothing is asked of the net, carries u_h
    x = np.column_stack([interpolation.points, interpolation.points[:, :1]])
    A = op.identity("value", Q + 1)
    A[..., Q] = 0.0
    b = np.zeros((3, Q + 1))
    b[0, Q] = 1.0
    test = np.zeros((len(R), 3, Q + 1))
    test[:, :, :Q] = (R @ interpolation.matrix.toarray()).reshape(len(R), 3, Q)
    test[:, 0, Q] = R @ solution.x
    whole = csr_array(test.reshape(len(R), -1))
    return Residuals(x=x.T, order="value", A=A, b=b, labels=("weak",), test=whole), interpolation
