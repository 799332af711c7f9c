"""One finite-element field on the unit cube: errors, unknowns, iterations, cost.

`solve: False` is the best approximation in H(curl), an oracle (track: oracle); `solve: True` is the
boundary-value problem, told f, φ and the boundary trace, never u (track: solve).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import MACHINE, Result
from bench.cells._appearance import TRACKS, Appearance
from bench.cells._names import element_short, element_title
from bench.settings import setting

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem import Solution
    from fem.boundary_value import BoundaryValueSolution


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field.")
    element: str = setting("N0", help="The element; see `femnets list`.")
    n: int = setting(min=1, help="Cells per side.")
    order: int | None = setting(None, min=1, help="Polynomial order of hexP.")
    grading: float | None = setting(
        None, above=0, unset="uniform", help="Exponent of the mesh graded to the singular edge."
    )
    solve: bool = setting(False, help="The boundary-value problem, not the best approximation.")
    solver: str = setting("auto", help="A solver of the element.")
    tol: float = setting(1e-8, above=0, help="Relative residual at which the solver stops.")
    threads: int = setting(1, min=1, help="Threads of the solver.")


DEPENDS = (
    "fem",
    "bench.boundary_value",
    "bench.measure.ruler",
    "bench.problems",
    "bench.measure.queries",
)
ALONE = False
TIMED = MACHINE

# Bytes per cell of the cube at large n, as `fem` predicts them; asking it would load an engine.
BYTES_PER_CELL = {"N0": 310, "hexN0": 50, "N1": 48_000}
SINGLE_BYTES_PER_CELL = 130  # N0 in defect form, which `fem` turns to beyond this n
LARGEST_DOUBLE = 256
ASSEMBLED_BYTES_PER_CELL = 20_000  # graded meshes and the boundary-value problem: sparse matrices

# The error is split at r = 1 where the rule that stands on the mesh has no more points than this:
# up to n = 4 on tets (n = 2 beside a singular edge), n = 8 on hexes.
SPLIT_POINTS = 120_000
# A first solve also loads compiled code, 2 s in a fresh process: short ones are timed again.
WARM_UP_BELOW_SECONDS = 5.0
MEASURING = "error"  # the phase that only the comparison needs: no cost of the method


def needs_bytes(config: Config) -> int:
    """The process itself and what the solver will take; `fem` refuses what does not fit."""
    order = config.order or 4
    high_order = 8 * (15 * (order + 4) ** 3 + 6 * (order + 1) ** 3)
    per_cell = BYTES_PER_CELL.get(config.element, high_order)
    if config.element == "N0" and config.n > LARGEST_DOUBLE:
        per_cell = SINGLE_BYTES_PER_CELL
    if config.solve or config.grading is not None:
        per_cell = max(per_cell, ASSEMBLED_BYTES_PER_CELL)
    return 700 * 2**20 + per_cell * config.n**3


def appearance(config: Config, values: Mapping[str, Any]) -> Appearance:
    graded = " graded" if config.grading else ""
    order = f" p={config.order}" if config.order else ""
    solver = "" if config.solver == "auto" else f", {config.solver}"
    track = "solve" if config.solve else "oracle"
    return Appearance(
        title=f"{element_title(config.element)}{graded}{order} n={config.n}{solver}",
        series=f"{element_short(config.element)}{graded}",
        family="finite element",
        look=config.element + ("/graded" if graded else ""),
        track=track,
        told=TRACKS[track],
        inputs=TRACKS[track],
        unknowns=int(values["dofs"]),
        # solvers in float32 keep the defect in float64
        precision="float32, defect in float64" if values.get("solver") == "kuhn32" else "float64",
    )


def solve(config: Config) -> Solution | BoundaryValueSolution:
    """The field, callable at points of the cube."""
    from bench import problems

    problem = problems.get(config.problem)
    return _boundary_value(config, problem) if config.solve else _best(config, problem)


def where(config: Config, problem: Problem) -> dict[str, Any]:
    """The mesh as `fem` is told it: n cells per side, or a mesh graded to the singular edge."""
    if config.grading is None:
        return {"n": config.n}
    from fem.meshes.grading import graded_cube

    return {"mesh": graded_cube(config.n, config.grading, problem.singular_edge or (1.0, 0.0))}


def _best(config: Config, problem: Problem) -> Solution:
    from fem import best_approximation

    return best_approximation(
        problem.u,
        problem.curl_u,
        **where(config, problem),
        element=config.element,
        order=config.order,
        solver=config.solver,
        tol=config.tol,
        threads=config.threads,
        singular_edge=problem.singular_edge,
    )


def _boundary_value(config: Config, problem: Problem) -> BoundaryValueSolution:
    from bench.boundary_value import data_of
    from fem.boundary_value import solve_boundary_value

    return solve_boundary_value(
        data_of(problem),
        **where(config, problem),
        element=config.element,
        solver=config.solver,
        tol=config.tol,
    )


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.queries import seconds_per_point
    from fem import memory

    problem = problems.get(config.problem)
    memory.reset_peak()
    solution = solve(config)
    if sum(solution.seconds.values()) < WARM_UP_BELOW_SECONDS:
        solution = solve(config)
    values = _solved(solution, problem) if config.solve else _approximated(solution)
    phases = {f"seconds_{phase}": value for phase, value in solution.seconds.items()}
    return Result(
        {
            "peak_bytes": memory.peak_bytes(),
            **{name: getattr(solution, name) for name in ("h", "dofs", "element", "solver")},
            **{name: getattr(solution, name) for name in ("iterations", "residual")},
            **values,
            **_split(config, solution, problem),
            **phases,
            "n": config.n,
            "smooth": problem.smooth,
            "seconds": sum(t for phase, t in solution.seconds.items() if phase != MEASURING),
            "seconds_per_point": seconds_per_point(solution),
        }
    )


def _approximated(solution: Any) -> dict[str, Any]:
    names = ("l2_error", "hcurl_error", "l2_relative", "hcurl_relative", "peak_bytes")
    return {name: getattr(solution, name) for name in names}


def _solved(solution: Any, problem: Problem) -> dict[str, Any]:
    """Errors against u, and what needs no u: ‖∇p_h‖, the divergence, the estimate of the error."""
    from bench.boundary_value import data_of
    from fem.estimator import estimate, total

    l2, hcurl = solution.errors(problem.u, problem.curl_u, problem.singular_edge)
    eta = total(estimate(data_of(problem), solution))
    return {
        "l2_error": l2,
        "hcurl_error": hcurl,
        "multiplier_norm": solution.multiplier_norm,
        "discrete_divergence": solution.divergence,
        "estimated_error": eta,
        "effectivity": eta / hcurl,
    }


def _split(config: Config, solution: Any, problem: Problem) -> dict[str, Any]:
    """Errors inside and outside the cylinder; nothing where that is dear, or the mesh graded.

    The rules have twice the element's degree for the square of the error, and more where few cells
    have to resolve u itself.
    """
    from bench.measure.ruler import field_errors, mesh_rules

    if config.grading is not None:
        return {}
    degree = 2 * (config.order or 1) + (8 if config.n <= 2 else 4)
    rules = mesh_rules(problem, config.n, config.element, degree)
    if sum(len(rule) for rule in rules.values()) > SPLIT_POINTS:
        return {}
    errors = field_errors(solution, problem, curl=solution.curl, rules=rules)
    wanted = ("l2_error_inside", "l2_error_outside", "curl_error")
    return {name: errors[name] for name in wanted}
