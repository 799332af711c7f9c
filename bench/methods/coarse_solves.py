"""The distance of a field from an element solution on a coarse mesh: it needs no u.

It tells a right field from a wrong one with a small loss, and says how far a net is from elements
where no u is known.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from bench import problems
from bench.measure.norms import Tabulated, l2_norm, tabulated_domain
from bench.methods.boundary_value import boundary_value_data
from bench.problems import Array, Field, Problem

COARSE = (6, 2.5)  # of the mesh: cells per unit length, and its grading towards a singular edge
SIZES, MOST_CELLS = (4, 2, 1), 20_000  # of the solution that a net is compared with


@lru_cache(maxsize=4)
def coarse_solve(name: str) -> Array:
    """A graded N₀ solve at the points of the domain's rule."""
    from fem.boundary_value import solve_boundary_value
    from fem.elements.n0 import ELEMENT

    problem, (n, grading) = problems.get(name), COARSE
    edge = problem.singular_edge
    mesh = problem.domain.mesh(n, "tet", None if edge is None else grading, edge)
    data = boundary_value_data(problem)
    solution = solve_boundary_value(data, element=ELEMENT.name, mesh=mesh)
    return solution(tabulated_domain(problem, ("x",)).inputs.T)


def coarse_distance(name: str, field: Field) -> dict[str, float]:
    """‖v − u_H‖ and ‖u_H‖ for the coarse solution u_H."""
    table, coarse = tabulated_domain(problems.get(name), ("x",)), coarse_solve(name)
    apart = field(table.inputs.T) - coarse
    return {"coarse_distance": norm(table, apart), "coarse_norm": norm(table, coarse)}


def norm(table: Tabulated, values: Array) -> float:
    """‖v‖ from its values (3, Q) at the points of the rule."""
    return float(np.sqrt(table.weights @ (values**2).sum(axis=0)))


@lru_cache(maxsize=8)
def finest_solution(name: str) -> Any:
    """The boundary-value solution by second-order tets on the finest mesh of a moderate size."""
    from bench.methods.finite_elements import Discretisation, approximate
    from fem.elements.n1 import ELEMENT

    problem = problems.get(name)
    offered = [n for n in SIZES if problem.domain.offers(n)]
    n = next((n for n in offered if problem.domain.cells(n) <= MOST_CELLS), offered[-1])
    return approximate(problem, Discretisation(element=ELEMENT.name, n=n, solve=True))


def distance_to_elements(field: Field, problem: Problem) -> dict[str, Any]:
    """‖field − u_h‖ in L² on the domain, absolute and relative, and what u_h is."""
    solution = finest_solution(problem.name)
    rules = problem.domain.rules(problem.singular_edges).values()
    apart = math.hypot(*(l2_norm(lambda x: field(x) - solution(x), rule) for rule in rules))
    size = math.hypot(*(l2_norm(solution, rule) for rule in rules))
    return {
        "distance": apart,
        "relative_distance": apart / size if size else None,
        "compared_with": f"{solution.element}, n = {solution.n}, {solution.dofs} unknowns",
    }
