"""`femnets fem`: best approximations on a family of meshes, with errors, rates and cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import SHOWN, UserError
from bench.cells.fem import Config
from bench.core.plugins import display
from bench.core.settings import MOST_THREADS, Refused, configured, inherited, setting, whole_numbers
from bench.methods.finite_elements import RATIO
from fem import elements
from femnets.cli import EXIT_FAILED_CELLS
from femnets.cli._options import options_of
from femnets.cli._output import show_json

if TYPE_CHECKING:
    from bench.methods.finite_elements import Discretisation
    from bench.problems import Problem
    from fem.solutions import Solution
    from femnets.cli._fem_jobs import Job

DEFAULT_N = "1,2,4,8,16"
ALONG = "1"  # bricks along the edge, for layers
COARSEST = "2"  # cells per side of the mesh that is refined
REFINEMENTS = 8
MOST_REFINEMENTS = 30  # with --adaptive only marked cells are halved


def solver_names() -> str:
    """Return the solvers by element, of best approximations and of boundary-value problems."""
    found = {}
    for name, element in elements.elements().items():
        solving = element.boundary_value.solvers if element.boundary_value else ()
        found[name] = [s for s in dict.fromkeys([*element.solvers, *solving]) if s != "auto"]
    return "; ".join(f"{name} {', '.join(solvers)}" for name, solvers in found.items() if solvers)


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of `femnets fem`; lists are text, because 1-10 is a list."""

    n: str | None = setting(
        None,
        unset=DEFAULT_N,
        help="Cells per side of the cube, or per unit length: 1,2,4,8 or 1-10.",
    )
    element: str = inherited(Config, "element")
    order: str | None = setting(None, help="Order, for elements of any order (hexP): 6 or 1-8.")
    solve: bool = setting(False, help="Solve the boundary-value problem, given f, φ and the trace.")
    solver: str = setting("auto", help=f"auto, or one of the element's: {solver_names()}.")
    problem: str = setting("maxwell", help="The field to approximate.")
    grading: float | None = setting(
        None, above=0, help="Grade tets towards the singular edge, for example 2.5."
    )
    layers: str | None = setting(
        None,
        help="Geometric layers of bricks (hexP) towards the singular edge, with orders that "
        "grow away from it: 6 or 1-8. --n and --order are along the edge.",
    )
    ratio: float = setting(RATIO, help="Ratio of the thicknesses of successive layers.")
    adaptive: bool = setting(False, help="With --solve: refine tets by an error estimator.")
    refine: int | None = setting(
        None,
        min=1,
        max=MOST_REFINEMENTS,
        help="Number of halvings of the coarsest mesh, one row each; with --adaptive "
        f"(default {REFINEMENTS}) only cells with a large estimated error are halved.",
    )
    certify: bool = setting(
        False, help="With --solve: bound the errors from the data alone, one bound per row."
    )
    div_weight: float | None = setting(
        None,
        min=0,
        unset="none",
        help="Exponent a of the weight r^a on the divergence of nodal elements, "
        "1/3 < a ≤ 1 at a re-entrant edge.",
    )
    estimate: bool = setting(
        False, help="With --solve: show the error that the method itself estimates, without u."
    )
    tol: float = setting(1e-8, help="Relative residual of iterative solvers.")
    threads: int = setting(1, min=1, max=MOST_THREADS, help="Threads, for solvers that use them.")

    def discretisation(self) -> Discretisation:
        """Return the settings that all meshes of the call share."""
        from bench.methods.finite_elements import Discretisation

        shared = ("element", "grading", "ratio", "solve", "solver", "tol", "threads")
        values = {name: getattr(self, name) for name in shared}
        return Discretisation(
            **values,
            refine=(self.refine or REFINEMENTS) if self.adaptive else None,
            div_exponent=self.div_weight,
        )


@options_of(Request)
def command(
    given: dict[str, Any],
    *,
    mesh: Annotated[
        list[Path] | None,
        typer.Option(help="Tetrahedra from this file instead of the cube; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    vtu: Annotated[
        Path | None, typer.Option(help="Write the last field to this VTU for ParaView.")
    ] = None,
) -> int:
    """Best approximations of a field in H(curl), or with --solve the boundary-value problem:
    errors, rates, iterations, seconds, memory."""
    from bench import problems
    from bench.core.guards.output import file_for
    from bench.core.threads import limit_threads
    from femnets.cli import _fem_jobs as jobs
    from femnets.cli._fem_table import print_table, rows
    from femnets.cli._postponed import postpone_f2py

    postpone_f2py()
    file_for(vtu, "--vtu", ".vtu")
    asked = configured(Request, given, where="femnets fem")
    limit_threads(asked.threads)
    wanted = problems.get(asked.problem)
    _check_combination(asked, wanted)
    plan = _planned(asked, mesh or [], wanted)
    wanted = wanted if vtu else plan[0].chosen.frame(wanted)  # files have the domain's coordinates
    for job in plan:
        job.chosen.check(wanted)
    solutions, extras, failure = _computed(plan, wanted, asked)
    if asked.certify:
        extras = jobs.certified(wanted, solutions, extras)
    if not wanted.known:
        far = jobs.distances(wanted, plan, solutions)
        extras = [extra | each for extra, each in zip(extras, far, strict=True)]
    if vtu is not None:
        last = plan[min(len(plan), len(solutions)) - 1]
        jobs.write_vtu(vtu, wanted, last.chosen, solutions[-1])
    records = rows(solutions, extras)
    if as_json:
        show_json(_document(asked, records, failure))
    else:
        what = ", boundary-value problem" if asked.solve else ""
        print_table(f"{display(asked.problem)}, element {asked.element}{what}", records)
        for line in jobs.bounds(extras) if asked.certify else ():
            typer.echo(line)
    if failure is not None:
        raise failure
    refused = asked.certify and not all(extra["certified"] for extra in extras)
    return EXIT_FAILED_CELLS if refused else 0


def _document(
    asked: Request, records: list[dict[str, Any]], failure: Exception | None
) -> dict[str, Any]:
    exact = all(row["l2_error"] is not None for row in records)
    compared = "the closed form" if exact else "the finest solution, and the method's own estimate"
    head = {"problem": asked.problem, "element": asked.element, "tol": asked.tol}
    stopped = {} if failure is None else {"stopped": str(failure)}
    return {**head, "compared_with": compared, "rows": records, **stopped}


def _check_combination(asked: Request, problem: Problem) -> None:
    if not problem.known and not asked.solve:
        name = display(problem.name)
        raise UserError(f"{name} has no closed form to approximate; add --solve to solve it")
    if asked.certify and not asked.solve:
        raise UserError("--certify bounds the error of the boundary-value problem; add --solve")
    if asked.estimate and not asked.solve:
        raise UserError("--estimate judges the boundary-value problem; add --solve")


def _planned(asked: Request, meshes: list[Path], problem: Problem) -> list[Job]:
    from femnets.cli._fem_jobs import halved, plan

    orders = parse_sizes(asked.order, "--order") if asked.order else []
    depths = parse_sizes(asked.layers, "--layers") if asked.layers else []
    usual = ALONG if depths else COARSEST if asked.adaptive else DEFAULT_N
    sizes = parse_sizes(asked.n or usual)
    if asked.n is None:  # a mesh from a file offers few sizes
        sizes = [n for n in sizes if problem.domain.offers(n)] or [1]
    if asked.refine is None or asked.adaptive:
        return plan(asked.discretisation(), sizes, orders, depths, meshes)
    coarsest = sizes[:1] if asked.n else [1]
    return halved(plan(asked.discretisation(), coarsest, orders, depths, meshes), asked.refine)


def _computed(
    plan: list[Job], problem: Problem, asked: Request
) -> tuple[list[Solution], list[dict[str, Any]], Exception | None]:
    """Compute every row and its extra columns; after a failure the finished rows are returned
    with it."""
    from bench.methods.preparing import prepare
    from femnets.cli._fem_jobs import fields
    from femnets.cli._fem_table import MeshProgress

    for job in plan:
        prepare(problem, job.chosen)
    estimated = asked.estimate or not problem.known
    solutions: list[Solution] = []
    extras: list[dict[str, Any]] = []
    with MeshProgress([job.weight for job in plan]) as live:
        try:
            for job in plan:
                live.begin(job.chosen.n, job.weight)
                for solution, extra in fields(job, problem, live.progress, estimated):
                    solutions.append(solution)
                    extras.append(extra)
                    live.last = solution
        except SHOWN as error:
            if not solutions:
                raise
            return solutions, extras, error
    return solutions, extras, None


def parse_sizes(text: str, option: str = "--n") -> list[int]:
    """Parse numbers such as "1,2,4", "1-10" or a mixture; return them sorted, without repeats."""
    try:
        sizes = sorted(set(whole_numbers(text)))
    except Refused as error:
        raise UserError(f"{option} {error}") from None
    except ValueError:
        raise UserError(f"{option} takes integers such as 1,2,4,8 or 1-10, got {text!r}") from None
    if sizes[0] < 1:
        raise UserError(f"{option} must be at least 1, got {text!r}")
    return sizes
