"""`femnets fem`: best approximations on a family of meshes, with errors, rates and cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.errors import UserError
from bench.finite_elements import RATIO

if TYPE_CHECKING:
    from bench.cli._convergence import LiveTable
    from bench.cli._fem_jobs import Job
    from bench.problems import Problem
    from fem import Solution

DEFAULT_N = "1,2,4,8,16"
ALONG = "1"  # bricks along the edge, for layers
COARSEST = "2"  # cells per side of the mesh that is refined
REFINEMENTS = 8


def command(
    n: Annotated[
        str | None,
        typer.Option(help="Cells per side: 1,2,4,8 or 1-10.", show_default="1,2,4,8,16"),
    ] = None,
    element: Annotated[str, typer.Option(help="Element; `femnets list` names them.")] = "N0",
    order: Annotated[
        str | None, typer.Option(help="Order, for elements of any order (hexP): 6 or 1-8.")
    ] = None,
    solve: Annotated[
        bool,
        typer.Option("--solve", help="Solve the boundary-value problem, told f, φ and the trace."),
    ] = False,
    solver: Annotated[str, typer.Option(help="auto, or one of the element's solvers.")] = "auto",
    problem: Annotated[str, typer.Option(help="The field to approximate.")] = "maxwell",
    mesh: Annotated[
        Path | None, typer.Option(help="Tetrahedra from this file instead of the cube.")
    ] = None,
    grading: Annotated[
        float | None,
        typer.Option(help="Grade tets towards the singular edge, for example 2.5."),
    ] = None,
    layers: Annotated[
        str | None,
        typer.Option(
            help="Geometric layers of bricks (hexP) towards the singular edge, with orders that "
            "grow away from it: 6 or 1-8. --n and --order are along the edge."
        ),
    ] = None,
    ratio: Annotated[float, typer.Option(help="Of the layers' thicknesses.")] = RATIO,
    adaptive: Annotated[
        bool,
        typer.Option("--adaptive", help="With --solve: refine tets where the estimator says so."),
    ] = False,
    refine: Annotated[
        int | None,
        typer.Option(min=1, help="Refinements of --adaptive, a row each.", show_default="8"),
    ] = None,
    tol: Annotated[float, typer.Option(help="Relative residual of iterative solvers.")] = 1e-8,
    guess: Annotated[
        bool,
        typer.Option(
            "--guess", help="Start from the interpolant; iterations from zero are counted too."
        ),
    ] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads, for solvers that use them.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Write the convergence plot to this PNG.")
    ] = None,
    vtu: Annotated[
        Path | None, typer.Option(help="Write the last field to this VTU for ParaView.")
    ] = None,
) -> None:
    """Best approximations of a field in H(curl), or with --solve the boundary-value problem:
    errors, rates, iterations, seconds, memory."""
    from bench import problems
    from bench.cli import _fem_jobs as jobs
    from bench.cli._convergence import document, save_plot
    from bench.finite_elements import Discretisation

    _check_paths(plot, vtu)
    if guess and solve:
        raise UserError("--guess starts a best approximation; it does not go with --solve")
    wanted = problems.get(problem)
    common = Discretisation(
        element=element,
        grading=grading,
        ratio=ratio,
        refine=_refinements(adaptive, refine),
        solve=solve,
        solver=solver,
        tol=tol,
        threads=threads,
    )
    orders = parse_sizes(order, "--order") if order else []
    depths = parse_sizes(layers, "--layers") if layers else []
    sizes = parse_sizes(n or (ALONG if depths else COARSEST if adaptive else DEFAULT_N))
    plan = jobs.plan(common, sizes, orders, depths, mesh)
    for job in plan:
        job.chosen.check(wanted)
    title = f"{problem}, element {element}" + (", boundary-value problem" if solve else "")
    live, solutions, extras = _computed(plan, wanted, title, guess)
    if vtu is not None:
        jobs.write_vtu(vtu, wanted, plan[-1].chosen, solutions[-1])
    result = document(problem, element, tol, solutions, extras)
    if plot is not None:
        save_plot(result, plot)
    if as_json:
        typer.echo(json.dumps(result, indent=1, allow_nan=False))
    else:
        live.print_table()


def _computed(
    plan: list[Job], problem: Problem, title: str, guess: bool
) -> tuple[LiveTable, list[Solution], list[dict[str, object]]]:
    """Every row with what it says beyond the common columns, shown as it comes."""
    from bench.cli._convergence import LiveTable
    from bench.cli._fem_jobs import fields

    solutions: list[Solution] = []
    extras: list[dict[str, object]] = []
    with LiveTable([job.weight for job in plan], title=title) as live:
        for job in plan:
            live.begin(job.chosen.n, job.weight)
            for solution, extra in fields(job, problem, live.progress, guess):
                solutions.append(solution)
                extras.append(extra)
                live.show(solutions, by_unknowns=job.chosen.refine is not None)
            live.finish()
    return live, solutions, extras


def _refinements(adaptive: bool, refine: int | None) -> int | None:
    if refine is not None and not adaptive:
        raise UserError("--refine counts the refinements of --adaptive; add it")
    return (refine or REFINEMENTS) if adaptive else None


def _check_paths(plot: Path | None, vtu: Path | None) -> None:
    """Where the results will go, before they have cost anything."""
    for option, path, suffix in (("--plot", plot, ".png"), ("--vtu", vtu, ".vtu")):
        if path is None:
            continue
        if path.suffix.lower() != suffix:
            kind = suffix[1:].upper()
            raise UserError(f"{option} writes a {kind}, got {path}; end the name in {suffix}")
        if not path.parent.is_dir():
            raise UserError(f"{option}: no directory {path.parent}; make it first")


def parse_sizes(text: str, option: str = "--n") -> list[int]:
    """Numbers from "1,2,4", "1-10" or a mixture, ascending, each once."""
    from bench.settings import Refused, whole_numbers

    try:
        sizes = sorted(set(whole_numbers(text)))
    except Refused as error:
        raise UserError(f"{option} {error}") from None
    except ValueError:
        raise UserError(f"{option} takes integers such as 1,2,4,8 or 1-10, got {text!r}") from None
    if sizes[0] < 1:
        raise UserError(f"{option} takes numbers from 1 upwards, got {text!r}")
    return sizes
