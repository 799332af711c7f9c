"""Indicators that need no u: they tell a right field from a wrong one with a small loss.

The distance from a coarse N₀ solve, which comes with an estimate of its own error, and the field's
product with the gradients of that mesh: sup ((v, ∇q) + (ρ, q) − ⟨u·n, q⟩)/‖∇q‖ over potentials q
without trace where u × n is given. The numerator is (v − u, ∇q), so this never exceeds ‖u − v‖.
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
DEGREE = 4  # of the rule on its cells
SIZES, MOST_CELLS = (4, 2, 1), 20_000  # of the solution that a net is compared with


def _mesh(problem: Problem) -> Any:
    n, grading = COARSE
    edge = problem.singular_edge
    return problem.domain.mesh(n, "tet", None if edge is None else grading, edge)


@lru_cache(maxsize=4)
def coarse_solve(name: str) -> tuple[Array, float]:
    """A graded N₀ solve at the points of the domain's rule, and its own estimate η of its error."""
    from fem.boundary_value import solve_boundary_value
    from fem.elements.n0 import ELEMENT

    problem = problems.get(name)
    solution = solve_boundary_value(
        boundary_value_data(problem), element=ELEMENT.name, mesh=_mesh(problem)
    )
    eta = solution.estimate(boundary_value_data(problem))
    assert eta is not None
    return solution(tabulated_domain(problem, ("x",)).inputs.T), eta


@lru_cache(maxsize=2)
def _tests(name: str) -> Any:
    from fem.mixed_tests import mixed_tests

    problem = problems.get(name)
    return mixed_tests(boundary_value_data(problem), _mesh(problem), DEGREE)


def tested_residual(name: str, field: Field) -> float:
    """sup (v − u, ∇q)/‖∇q‖ over the potentials of the coarse mesh."""
    tests = _tests(name)
    return float(np.sqrt(tests.divergence_square(field(tests.points))))


def without_u(name: str, field: Field) -> dict[str, float]:
    """All indicators of a field on a problem's domain."""
    table = tabulated_domain(problems.get(name), ("x",))
    values = field(table.inputs.T)
    coarse, estimate = coarse_solve(name)
    return {
        "coarse_distance": norm(table, values - coarse),
        "coarse_norm": norm(table, coarse),
        "coarse_estimate": estimate,
        "tested_residual": tested_residual(name, field),
        "field_norm": norm(table, values),
    }


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
