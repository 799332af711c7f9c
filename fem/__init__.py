"""Nédélec finite elements: best approximations of a vector field given as callables, boundary-value
problems, fits to samples.

    from fem import best_approximation
    solution = best_approximation(u, curl_u, n=8)     # Kuhn tetrahedra of the unit cube
    solution.l2_error, solution(points)               # a number, and u_h at points (3, ...)

The names listed here, `fem.elements`, `fem.meshes` and `fem.rules` are public; the rest
may move. Names are imported when first used, and scikit-fem by the solver that needs it.
"""

from base.lazy import lazily

_HOME = {
    "BoundaryValueProblem": "fem.boundary_value",
    "BoundaryValueSolution": "fem.boundary_value",
    "Errors": "fem.solutions",
    "Fit": "fem.least_squares",
    "How": "fem.spaces",
    "NotConverged": "base.errors",
    "Solution": "fem.solutions",
    "Space": "fem.spaces",
    "UserError": "base.errors",
    "best_approximation": "fem.approximation",
    "fit": "fem.least_squares",
    "hcurl_preconditioner": "fem.preconditioner",
    "l2_error": "fem.norms",
    "make_space": "fem.choice",
    "rates": "fem.approximation",
    "solve_boundary_value": "fem.boundary_value",
}

__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
