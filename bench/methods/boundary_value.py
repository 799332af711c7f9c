"""Data of the *solve* track: a problem's f, φ, ρ and boundary trace, and nothing else of u."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bench.problems import Array, Problem
    from fem.boundary_value import BoundaryValueProblem, Natural

NEAR = 1e-9  # of points and normals to a face


def boundary_value_data(
    problem: Problem, *, whole_trace: bool = False, div_exponent: float | None = None
) -> BoundaryValueProblem:
    """f, φ, ρ and the trace g: the problem's own, or u × n, of which a singular gradient part comes
    as its potential; on natural faces u·n and φ curl u × n. Elements that need the trace in one
    piece get the `whole_trace`; `div_exponent` a weights the divergence by r^{2a}, r the distance
    from the re-entrant edges."""
    from fem.boundary_value import BoundaryValueProblem

    def g(x: Array, n: Array) -> Array:
        u = problem.u(x)
        if problem.grad_potential is not None and not whole_trace:
            u = u - problem.grad_potential(x)
        return np.cross(u, n, axis=0)

    return BoundaryValueProblem(
        f=problem.f,
        phi=problem.phi,
        grad_phi=problem.grad_phi,
        g=problem.g or g,
        rho=problem.rho,
        potential=None if whole_trace else problem.potential,
        singular_edge=problem.singular_edge,
        natural=_natural(problem),
        div_weight=_div_weight(problem, div_exponent),
    )


def _div_weight(problem: Problem, exponent: float | None) -> Callable[[Array], Array] | None:
    """w = r^{2a}: Costabel and Dauge's weighted regularisation."""
    if exponent is None or exponent == 0:
        return None
    return lambda x: problem.domain.edge_distance(x) ** (2 * exponent)


def _natural(problem: Problem) -> Natural | None:
    """u·n and φ curl u × n on the faces that the problem names."""
    from fem.boundary_value import Natural

    if not problem.natural:
        return None
    faces = [problem.domain.faces[k] for k in problem.domain.face_indices(problem.natural)]

    def where(x: Array, n: Array) -> NDArray[np.bool_]:
        on = [
            (np.tensordot(face.normal, n, 1) > 1 - NEAR)
            & (abs(np.tensordot(face.normal, x, 1) - face.offset) < NEAR)
            for face in faces
        ]
        return np.asarray(np.any(on, axis=0))

    return Natural(
        where=where,
        normal=lambda x, n: (problem.u(x) * n).sum(axis=0),
        curl=lambda x, n: np.cross(problem.phi(x) * problem.curl_u(x), n, axis=0),
    )
