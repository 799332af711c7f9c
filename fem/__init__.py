"""Nédélec finite elements: best approximations of a vector field given as callables, boundary-value
problems, fits to samples.

    from fem import best_approximation
    solution = best_approximation(u, curl_u, n=8)     # Kuhn tetrahedra of the unit cube
    solution.l2_error, solution(points)               # a number, and u_h at points (3, ...)

What is named here, `fem.elements`, `fem.meshes` and `fem.rules` are meant to be imported; the rest
may move. Importing this loads no scikit-fem: each solver brings its own when it is chosen.
"""

from fem.best_approximation import best_approximation, rates
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution, solve_boundary_value
from fem.choice import make_space
from fem.errors import InputError, NotConverged
from fem.least_squares import Fit, fit
from fem.norms import l2_error
from fem.solutions import Errors, Solution
from fem.spaces import How, Space

__all__ = [
    "BoundaryValueProblem",
    "BoundaryValueSolution",
    "Errors",
    "Fit",
    "How",
    "InputError",
    "NotConverged",
    "Solution",
    "Space",
    "best_approximation",
    "fit",
    "l2_error",
    "make_space",
    "rates",
    "solve_boundary_value",
]
