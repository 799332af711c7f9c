"""The *solve* track: a problem's f, φ, ρ and boundary trace, and nothing else of u."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.errors import UserError

if TYPE_CHECKING:
    from bench.problems import Array, Problem
    from fem.boundary_value import BoundaryValueProblem


def data_of(problem: Problem) -> BoundaryValueProblem:
    """f, φ, ρ and the trace g: the problem's own, or u × n, of which a singular gradient part comes
    as its potential."""
    from fem.boundary_value import BoundaryValueProblem

    if problem.natural:
        raise UserError(
            f"{problem.name} has natural conditions on {', '.join(problem.natural)}, which the "
            "finite elements do not take; name a problem with u × n on the whole boundary"
        )

    def g(x: Array, n: Array) -> Array:
        u = problem.u(x)
        if problem.grad_potential is not None:
            u = u - problem.grad_potential(x)
        return np.cross(u, n, axis=0)

    return BoundaryValueProblem(
        f=problem.f,
        phi=problem.phi,
        grad_phi=problem.grad_phi,
        g=g if problem.known else problem.g or g,
        rho=problem.rho,
        potential=problem.potential,
        singular_edge=problem.singular_edge,
    )
