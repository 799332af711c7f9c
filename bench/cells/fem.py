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


# Bytes per cell of the cube at large n, as `fem` predicts them; asking it would load an engine.
BYTES_PER_CELL = {"N0": 310, "hexN0": 50, "N1": 48_000}


def needs_bytes(config: Mapping[str, Any]) -> int:
    """The process itself and what the solver will take; `fem` refuses what does not fit."""
    order = config["order"] or 4
    high_order = 8 * (15 * (order + 4) ** 3 + 6 * (order + 1) ** 3)
    return 700 * 2**20 + BYTES_PER_CELL.get(config["element"], high_order) * config["n"] ** 3


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
