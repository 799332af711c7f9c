"""One best approximation in H(curl) on the unit cube: errors, unknowns, iterations, cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.cells import Result

if TYPE_CHECKING:
    from fem import Solution

DEFAULTS = {
    "problem": "maxwell",
    "element": "N0",
    "n": ...,
    "order": None,
    "solver": "auto",
    "tol": 1e-8,
    "threads": 1,
}
DEPENDS = ("fem", "bench.problems")
TIMING = False


def needs_bytes(config: Mapping[str, Any]) -> int:
    """An upper estimate; `fem` itself refuses what does not fit."""
    return 300 * 2**20 + 200 * config["n"] ** 3


def solve(config: Mapping[str, Any]) -> Solution:
    import fem
    from bench import problems

    problem = problems.get(config["problem"])
    return fem.best_approximation(
        problem.u,
        problem.curl_u,
        config["n"],
        element=config["element"],
        order=config["order"],
        solver=config["solver"],
        tol=config["tol"],
        threads=config["threads"],
        singular_edge=problem.singular_edge,
    )


def run(config: Mapping[str, Any]) -> Result:
    solution = solve(config)
    values = {
        name: getattr(solution, name)
        for name in (
            "n", "h", "dofs", "element", "solver", "l2_error", "hcurl_error",
            "l2_relative", "hcurl_relative", "iterations", "residual", "peak_bytes",
        )
    }  # fmt: skip
    phases = {f"seconds_{phase}": value for phase, value in solution.seconds.items()}
    return Result({**values, **phases, "seconds": sum(solution.seconds.values())})
