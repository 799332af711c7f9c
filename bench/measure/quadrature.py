"""The quadrature of the norms: which rule, of which degree, graded towards which edge.

The numbers of points are set by the domains: `DEFAULT` of `bench.domains.cube` and of
`bench.domains.prism`. The rules themselves are in `fem.rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.problems import Problem
from fem import elements

if TYPE_CHECKING:
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

MESH_DEGREE = 6  # polynomials that are integrated exactly on each cell, for finite elements
GAUSS_DEGREE = 4  # the same, for a net "at h"


def domain_rules(problem: Problem, resolution: Resolution | None = None) -> dict[str, Quadrature]:
    """Rules on the parts of a domain, graded to its singular edge: for closed forms and nets."""
    return problem.domain.rules(problem.singular_edges, resolution)


def mesh_rules(
    problem: Problem, n: int, element: str = "N0", degree: int = MESH_DEGREE
) -> dict[str, Quadrature]:
    """Rules on the same parts, built on the domain's mesh with n cells per unit length.

    For a finite-element field, which is smooth on each cell only.
    """
    cell = elements.get(element).cell
    return problem.domain.mesh_rules(n, cell, degree, problem.singular_edges)


def gauss_rule(problem: Problem, n: int) -> Quadrature:
    """The Gauss points of the mesh of tetrahedra with n cells per unit length."""
    return problem.domain.gauss_rule(n, "tet", GAUSS_DEGREE)
