"""Nédélec finite elements: best approximations of a vector field given as callables.

    from fem import best_approximation
    solution = best_approximation(u, curl_u, n=8)     # Kuhn tetrahedra of the unit cube
    solution.l2_error, solution(points)               # a number, and u_h at points (3, ...)

Importing this loads no scikit-fem: each solver brings its own when it is chosen.
"""

from fem.best_approximation import best_approximation, make_space, rates
from fem.errors import InputError, NotConverged
from fem.norms import l2_error
from fem.spaces import Solution, Space

__all__ = [
    "InputError",
    "NotConverged",
    "Solution",
    "Space",
    "best_approximation",
    "l2_error",
    "make_space",
    "rates",
]
