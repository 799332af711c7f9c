"""The meshes of one `femnets fem` call, and the file of its last field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import UserError
from bench.finite_elements import Discretisation

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem import Solution
    from fem.spaces import Progress

    Row = tuple[Solution, dict[str, Any]]


@dataclass(frozen=True)
class Job:
    """One row: a discretisation, and the name of the file its mesh was read from."""

    chosen: Discretisation
    file: Path | None = None

    @property
    def weight(self) -> int:
        """For the progress bar: what it costs, roughly."""
        chosen = self.chosen
        return (chosen.n or 1) ** 3 * (chosen.order or 1) ** 3 * (chosen.layers or 1) ** 4

    def labels(self) -> dict[str, Any]:
        """What tells the rows apart, beside n."""
        name = None if self.file is None else self.file.name
        found = {"order": self.chosen.order, "grading": self.chosen.grading, "mesh": name}
        if self.chosen.layers is not None:
            found |= {"layers": self.chosen.layers, "ratio": self.chosen.ratio}
        return {name: value for name, value in found.items() if value is not None}


def plan(
    common: Discretisation,
    sizes: Sequence[int],
    orders: Sequence[int],
    layers: Sequence[int],
    file: Path | None,
) -> list[Job]:
    """Every size with every order and number of layers; a file is one job for each order."""
    each_order: list[int | None] = [*orders] or [None]
    each_depth: list[int | None] = [*layers] or [None]
    if file is None:
        return [
            Job(replace(common, n=n, order=p, layers=depth))
            for n in sizes
            for p in each_order
            for depth in each_depth
        ]
    if layers:
        raise UserError("--layers builds its own bricks; it does not go with --mesh")
    if common.grading is not None:
        raise UserError("--grading grades the cube; it does not go with --mesh")
    from fem.meshes.files import read_mesh

    mesh = read_mesh(file)
    return [Job(replace(common, mesh=mesh, order=p), file) for p in each_order]


def fields(job: Job, problem: Problem, progress: Progress, guess: bool) -> Iterator[Row]:
    """The fields of a job, one or a sequence of refinements, each with what it says of itself."""
    from bench.finite_elements import adapted, approximate, own_measures

    if job.chosen.refine is not None:
        for refinement, solution in enumerate(adapted(problem, job.chosen, progress)):
            yield solution, {"refinement": refinement} | own_measures(problem, solution)
        return
    extra: dict[str, Any] = dict(job.labels())
    if guess:
        extra["iterations_from_zero"] = approximate(problem, job.chosen, progress).iterations
    solution = approximate(problem, job.chosen, progress, problem.u if guess else None)
    yield solution, extra | own_measures(problem, solution)


def write_vtu(path: Path, problem: Problem, chosen: Discretisation, solution: Solution) -> None:
    """u_h, curl u_h and the exact u at points of each cell, the errors as cell data."""
    from bench.guards.output import written_whole
    from fem import elements
    from fem.meshes.files import cell_errors, vtu_content

    mesh = chosen.mesh_for(problem)
    fields: dict[str, Any] = {"u_h": solution, "curl_u_h": solution.curl}
    fields |= {"u": problem.u, "curl_u": problem.curl_u}
    errors = {
        "l2_error": cell_errors(mesh, solution, problem.u, problem.singular_edge),
        "curl_error": cell_errors(mesh, solution.curl, problem.curl_u, problem.singular_edge),
    }
    content = vtu_content(mesh, fields, errors, elements.get(chosen.element).quadratic)
    with written_whole(path) as part:
        content.write(part, file_format="vtu")
