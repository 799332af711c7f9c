"""Graded, refined and imported meshes: every solve converges, and iterations hardly grow.

The large cases (n = 48, minutes each and up to 10 GB) run with `pytest -m large` only.
"""

import numpy as np
import pytest
from second_opinions import holed_box

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from bench.methods.finite_elements import Discretisation, approximate
from fem import BoundaryValueProblem, solve_boundary_value
from fem.adaptive import refinements
from fem.boundary_value import trace_of
from fem.meshes.grading import graded_cube

LARGE = pytest.mark.large


def iterations(name, grading, n):
    chosen = Discretisation(n=n, grading=grading, solve=True, solver="spd")
    solution = approximate(problems.get(name), chosen)
    assert solution.residual <= 1e-8
    return solution.iterations


@pytest.mark.parametrize("name", ["screen", "reentrant"])
@pytest.mark.parametrize("grading", [1.0, 3.0])
def test_iterations_on_graded_meshes(name, grading):
    """The three solves together; 0.2.0 ended in nan at n = 16, grading 3."""
    assert iterations(name, grading, 12) <= 1.5 * iterations(name, grading, 8)


@LARGE
@pytest.mark.parametrize("name", ["screen", "curlsing", "reentrant"])
@pytest.mark.parametrize("grading", [1.0, 2.0, 3.0])
def test_iterations_on_fine_graded_meshes(name, grading):
    coarse, middle, fine = (iterations(name, grading, n) for n in (8, 24, 48))
    assert max(middle, fine) <= 2 * coarse


@pytest.mark.parametrize("steps", [2, pytest.param(8, marks=LARGE)])
def test_a_box_with_a_hole_is_refined(steps):
    """0.2.0 looped at 206 nodes, where nothing was left to aggregate."""
    problem = problems.maxwell
    found = list(refinements(boundary_value_data(problem), holed_box(3), steps, solver="spd"))
    assert len(found) == steps + 1
    assert all(solution.residual <= 1e-8 for solution in found)
    settled = found[min(3, steps)]  # on smaller meshes multigrid is one direct solve
    assert found[-1].iterations <= 2 * settled.iterations
    assert found[-1].estimated < found[0].estimated


@pytest.mark.parametrize("mesh", [holed_box(3), graded_cube(8, 2.0)], ids=["hole", "graded"])
@pytest.mark.parametrize("element", ["N0", "N1"])
def test_phi_with_contrast_a_thousand(mesh, element):
    """u = (x₂², 0, 0), φ = 10³ in a block and 1 elsewhere, smoothed over a tenth of it."""

    def phi(x):
        inside = np.prod(1 / (1 + np.exp(-40 * (0.3 - abs(x - 0.4)))), axis=0)
        return 1.0 + 999.0 * inside

    def u(x):
        return np.stack([x[1] ** 2, 0 * x[0], 0 * x[0]])

    data = BoundaryValueProblem(f=lambda x: np.stack([x[1], x[2], x[0]]), phi=phi, g=trace_of(u))
    found = solve_boundary_value(data, mesh=mesh, element=element, solver="spd", tol=1e-8)
    assert found.iterations <= {"N0": 60, "N1": 100}[element]
    assert found.divergence < 1e-7
