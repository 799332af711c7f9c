"""One finite-element field on the unit cube: errors, unknowns, iterations, cost.

`solve: False` is the best approximation in H(curl), an oracle (track: oracle); `solve: True` is the
boundary-value problem, given f, φ and the boundary trace, never u (track: solve).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import MACHINE, Result
from bench.core.settings import MOST_THREADS, setting
from bench.methods.competitor import Competitor
from bench.methods.finite_elements import RATIO, Discretisation, approximate, own_measures
from bench.methods.net_names import element_short, element_title
from bench.methods.preparing import prepare

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem.solutions import Solution


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field.")
    element: str = setting("N0", help="The element; see `femnets list`.")
    n: int = setting(min=1, help="Cells per side.")
    order: int | None = setting(None, min=1, help="Order, for elements of any order (hexP).")
    grading: float | None = setting(
        None, above=0, unset="uniform", help="Exponent of the mesh graded to the singular edge."
    )
    layers: int | None = setting(
        None, min=1, help="Geometric layers of bricks (hexP) towards the singular edge."
    )
    ratio: float = setting(RATIO, above=0, help="Thickness ratio of successive layers.")
    refine: int | None = setting(
        None, min=1, help="Adaptive refinements of tetrahedra, by the error estimator."
    )
    solve: bool = setting(False, help="Solve the boundary-value problem; else best approximation.")
    solver: str = setting("auto", help="A solver of the element.")
    tol: float = setting(
        1e-8, above=0, help="Relative residual; from 1e-8 on auto may stop before."
    )
    threads: int = setting(1, min=1, max=MOST_THREADS, help="Threads of the solver.")


ALONE = False
TIMED = MACHINE

# The error is split at r = 1 if the quadrature rule of the mesh has at most so many points:
# up to n = 4 on tets (n = 2 at a singular edge), n = 8 on hexes.
SPLIT_POINTS = 120_000
PROCESS_BYTES = 700 * 2**20
COMMON = ("h", "dofs", "element", "solver", "iterations", "residual", "peak_bytes")
ERRORS = ("l2_error", "hcurl_error", "l2_relative", "hcurl_relative")
# Measures of a boundary-value solution that need no u, and their names in stored results.
OWN = {"divergence": "discrete_divergence", "estimate": "estimated_error"}


def needs_bytes(config: Config) -> int:
    """Memory of the process and of the solver; `fem` refuses what does not fit."""
    from bench import problems

    chosen = Discretisation.of(config)
    domain = chosen.frame(problems.get(config.problem)).domain
    return PROCESS_BYTES + chosen.planned_bytes(domain)


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor | None:
    if values.get("known") is False:
        return None  # without u no error is known
    graded = _kind_of_mesh(config)
    count = f" {config.layers or config.refine}" if config.layers or config.refine else ""
    order = f" p={config.order}" if config.order else ""
    solver = "" if config.solver == "auto" else f", {config.solver}"
    information = "equation" if config.solve else "field"
    return Competitor(
        title=f"{element_title(config.element, values)}{graded}{count}{order} n={config.n}{solver}",
        series=f"{element_short(config.element, values)}{graded}",
        family="finite element",
        look=config.element + ("/graded" if graded else ""),
        information=information,
        unknowns=int(values["dofs"]),
        # solvers in float32 keep the defect in float64
        precision="float32, defect in float64" if values.get("solver") == "kuhn32" else "float64",
    )


def _kind_of_mesh(config: Config) -> str:
    """The mesh as a title adds it to the element; empty for the uniform cube."""
    kinds = {" graded": config.grading, " hp": config.layers, " adaptive": config.refine}
    return next((name for name, value in kinds.items() if value is not None), "")


def solve(config: Config) -> Solution:
    """The field, callable at points of the cube, with its errors."""
    from bench import problems

    chosen = Discretisation.of(config)
    return approximate(chosen.frame(problems.get(config.problem)), chosen)


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.queries import seconds_per_point
    from bench.measure.timing import warm
    from bench.methods.certificates.certify import stored
    from fem import elements

    chosen = Discretisation.of(config)
    problem = chosen.frame(problems.get(config.problem))
    prepare(problem, chosen)
    solution, _ = warm(lambda: solve(config))
    own = own_measures(problem, solution)
    return Result(
        {
            **{name: getattr(solution, name) for name in COMMON},
            **{name: getattr(solution, name) if problem.known else None for name in ERRORS},
            **{OWN.get(name, name): value for name, value in own.items()},
            **elements.get(config.element).labels,
            **_split(config, solution, problem),
            **(stored(solution, problem) if config.solve else {}),
            **{f"seconds_{phase}": value for phase, value in solution.seconds.items()},
            "n": config.n,
            "smooth": problem.smooth,
            "known": problem.known,
            "seconds": solution.total_seconds,
            "seconds_per_point": seconds_per_point(solution, problem.domain),
        }
    )


def _split(config: Config, solution: Any, problem: Problem) -> dict[str, Any]:
    """Errors on the parts of the domain; empty where that is expensive or the mesh is graded.

    The rules have twice the element's degree for the square of the error, and more where few cells
    have to resolve u itself.
    """
    from bench.measure.norms import field_errors, suffix
    from bench.measure.quadrature import mesh_rules

    if _kind_of_mesh(config) or not problem.known:
        return {}
    degree = 2 * (config.order or 1) + (8 if config.n <= 2 else 4)
    rules = mesh_rules(problem, config.n, config.element, degree)
    if sum(len(rule) for rule in rules.values()) > SPLIT_POINTS:
        return {}
    errors = field_errors(solution, problem, curl=solution.curl, rules=rules)
    parts = [f"l2_error{suffix(part)}" for part in rules if suffix(part)]
    return {name: errors[name] for name in (*parts, "curl_error")}
