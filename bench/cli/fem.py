"""`femnets fem`: best approximations on a family of meshes, with errors, rates and cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bench.errors import UserError

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem import Solution
    from fem.space import Progress

DEFAULT_N = "1,2,4,8,16"


def command(
    n: Annotated[str, typer.Option(help="Cells per side: 1,2,4,8 or 1-10.")] = DEFAULT_N,
    element: Annotated[str, typer.Option(help="Element; `femnets list` names them.")] = "N0",
    solver: Annotated[str, typer.Option(help="auto, or one the element has.")] = "auto",
    problem: Annotated[str, typer.Option(help="The field to approximate.")] = "maxwell",
    tol: Annotated[float, typer.Option(help="Relative residual of iterative solvers.")] = 1e-8,
    guess: Annotated[
        bool,
        typer.Option(
            "--guess", help="Start from the interpolant, and count iterations from zero too."
        ),
    ] = False,
    threads: Annotated[int, typer.Option(min=1, help="Threads, where the solver has them.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Write the convergence plot to this PNG.")
    ] = None,
) -> None:
    """Best approximations of a field in H(curl): errors, rates, iterations, seconds, memory."""
    from bench import problems
    from bench.cli._convergence import LiveTable, document, save_plot
    from fem import make_space

    sizes = parse_sizes(n)
    field = problems.get(problem)
    if plot is not None and plot.suffix.lower() != ".png":
        raise UserError(f"--plot writes a PNG, got {plot}; end the name in .png")
    for size in sizes:  # refuse before the first of them has cost anything
        make_space(size, element=element, solver=solver, threads=threads)
    solutions: list[Solution] = []
    from_zero: list[int] | None = [] if guess else None
    with LiveTable(sizes, title=f"{field.name}, element {element}") as live:
        for size in sizes:
            live.begin(size)
            run = _Run(field, size, element, solver, tol, threads, live.progress)
            if from_zero is not None:
                from_zero.append(run(None).iterations)
            solutions.append(run(field.u if guess else None))
            live.show(solutions)
    result = document(field.name, element, tol, solutions, from_zero)
    if plot is not None:
        save_plot(result, plot)
    if as_json:
        typer.echo(json.dumps(result, indent=1, allow_nan=False))
    else:
        live.print_table()


class _Run:
    """One mesh of the family, from a given initial guess."""

    def __init__(
        self,
        field: Problem,
        n: int,
        element: str,
        solver: str,
        tol: float,
        threads: int,
        progress: Progress,
    ) -> None:
        self.field, self.n = field, n
        self.options = {
            "element": element,
            "solver": solver,
            "tol": tol,
            "threads": threads,
            "progress": progress,
            "singular_edge": field.singular_edge,
        }

    def __call__(self, x0: object) -> Solution:
        from fem import best_approximation

        return best_approximation(self.field.u, self.field.curl_u, self.n, x0=x0, **self.options)  # type: ignore[arg-type]


def parse_sizes(text: str) -> list[int]:
    """Cells per side from "1,2,4", "1-10" or a mixture, ascending, each once."""
    sizes: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            low = int(first)
            high = int(last) if dash else low
        except ValueError:
            raise UserError(
                f"--n takes integers such as 1,2,4,8 or 1-10, got {part.strip()!r}"
            ) from None
        if low < 1 or high < low:
            raise UserError(f"--n takes sizes from 1 upwards, got {part.strip()!r}")
        sizes.update(range(low, high + 1))
    return sorted(sizes)
