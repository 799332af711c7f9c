"""The meshes of one `femnets fem` call, and the file of its last field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from base.errors import UserError
from bench.methods.finite_elements import Discretisation

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem.solutions import Solution
    from fem.spaces import Progress

    Row = tuple[Solution, dict[str, Any]]


@dataclass(frozen=True)
class Job:
    """One row: a discretisation, and the name of the file its mesh was read from."""

    chosen: Discretisation
    file: Path | None = None
    halvings: int = 0

    @property
    def weight(self) -> int:
        """The approximate cost, for the progress bar."""
        chosen = self.chosen
        return (chosen.n or 1) ** 3 * (chosen.order or 1) ** 3 * (chosen.layers or 1) ** 4

    def labels(self) -> dict[str, Any]:
        """The columns that distinguish the rows, besides n."""
        name = None if self.file is None else self.file.name
        found = {"order": self.chosen.order, "grading": self.chosen.grading, "mesh": name}
        if name is not None and self.halvings:
            found["halvings"] = self.halvings
        if self.chosen.layers is not None:
            found |= {"layers": self.chosen.layers, "ratio": self.chosen.ratio}
        return {name: value for name, value in found.items() if value is not None}


def plan(
    common: Discretisation,
    sizes: Sequence[int],
    orders: Sequence[int],
    layers: Sequence[int],
    files: Sequence[Path],
) -> list[Job]:
    """Return a job for every size, order and number of layers; for a file one for each order."""
    each_order: list[int | None] = [*orders] or [None]
    each_depth: list[int | None] = [*layers] or [None]
    if not files:
        return [
            Job(replace(common, n=n, order=p, layers=depth))
            for n in sizes
            for p in each_order
            for depth in each_depth
        ]
    if layers:
        raise UserError("--layers builds its own bricks; leave out --mesh")
    if common.grading is not None:
        raise UserError("--grading grades the cube; leave out --mesh")
    from fem.meshes.files import read_mesh

    read = [(file, read_mesh(file)) for file in files]
    return [
        Job(replace(common, mesh=mesh, order=p), file) for file, mesh in read for p in each_order
    ]


def halved(jobs: Sequence[Job], times: int) -> list[Job]:
    """Return each job on its mesh and on the meshes of `times` successive halvings."""
    found = []
    for job in jobs:
        if job.chosen.layers is not None or job.chosen.grading is not None:
            raise UserError("--refine halves uniform cells; leave out --layers and --grading")
        if job.chosen.mesh is not None:
            _check_halvings(job.chosen, times)
        for k in range(times + 1):
            chosen = job.chosen
            if chosen.mesh is not None:
                chosen = replace(chosen, mesh=chosen.mesh.refined(k) if k else chosen.mesh)
            else:
                chosen = replace(chosen, n=(chosen.n or 1) * 2**k)
            found.append(Job(chosen, job.file, k))
    return found


def _check_halvings(chosen: Discretisation, times: int) -> None:
    """Raise a UserError if the mesh after the halvings, eightfold each, does not fit in memory."""
    from bench.core.guards.sizes import check_memory
    from fem import elements

    element = elements.get(chosen.element)
    needed = element.planned_bytes(
        element.cells(mesh=chosen.mesh) * 8**times,
        order=chosen.order,
        task="solve" if chosen.solve else "best",
        solver=chosen.solver,
        on_mesh=True,
    )
    check_memory(needed, f"the mesh after {times} halvings", "take a smaller --refine")


def distances(
    problem: Problem, jobs: Sequence[Job], solutions: Sequence[Solution]
) -> list[dict[str, Any]]:
    """Return the distance of each solution to the finest one, for problems without a known u."""
    from bench.methods.finite_elements import apart

    if any(job.chosen.refine is not None for job in jobs):
        return [{} for _ in solutions]  # the meshes in between are not kept
    finest = max(range(len(solutions)), key=lambda k: solutions[k].dofs)
    mesh = jobs[finest].chosen.mesh_for(problem)
    rows: list[dict[str, Any]] = []
    for k, solution in enumerate(solutions):
        l2, curl = (
            (None, None) if k == finest else apart(solution, solutions[finest], mesh, problem)
        )
        rows.append({"l2_distance": l2, "curl_distance": curl})
    return rows


def certified(
    problem: Problem, solutions: Sequence[Solution], extras: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the extra columns with the bounds of each solution's error; `seconds` stays free."""
    from bench.methods.certificates.certify import certify

    rows = []
    for solution, extra in zip(solutions, extras, strict=True):
        document = certify(solution, problem).document()
        document["seconds_certificate"] = document.pop("seconds")
        rows.append(extra | document)
    return rows


def bounds(extras: Sequence[dict[str, Any]]) -> list[str]:
    """Return one line on the bounds of each row."""
    lines = []
    for k, row in enumerate(extras, start=1):
        high = "none" if row["l2_bound"] is None else f"{row['l2_bound']:.4g}"
        share = row["relative_l2_bound"]
        relative = "" if share is None else f", relative at most {share:.3g}"
        verdict = row["word"] if row["certified"] else f"no digit certified: {row['reason']}"
        lines.append(f"row {k}: L² error at most {high}{relative} ({row['method']}; {verdict})")
    return lines


def fields(job: Job, problem: Problem, progress: Progress, estimated: bool) -> Iterator[Row]:
    """Yield the fields of a job, one or a sequence of refinements, with their own measures."""
    from bench.methods.finite_elements import adapted, approximate, own_measures

    if job.chosen.refine is not None:
        for refinement, solution in enumerate(adapted(problem, job.chosen, progress)):
            yield solution, {"refinement": refinement} | own_measures(problem, solution, estimated)
        return
    solution = approximate(problem, job.chosen, progress)
    yield solution, job.labels() | own_measures(problem, solution, estimated)


def write_vtu(path: Path, problem: Problem, chosen: Discretisation, solution: Solution) -> None:
    """Write u_h, curl u_h and the exact u at points of each cell, and the errors as cell data."""
    from bench.core.guards.output import written_whole
    from bench.store.vtu import estimates
    from fem import elements, meshes
    from fem.meshes import files

    mesh = meshes.drawable(chosen.mesh_for(problem))
    fields: dict[str, Any] = {"u_h": solution, "curl_u_h": solution.curl}
    quadratic = elements.get(chosen.element).quadratic
    errors = {}
    if problem.known:
        edge = problem.singular_edge
        fields |= {"u": problem.u, "curl_u": problem.curl_u}
        errors["l2_error"] = files.cell_errors(mesh, solution, problem.u, edge)
        errors["curl_error"] = files.cell_errors(mesh, solution.curl, problem.curl_u, edge)
    errors |= estimates(problem, solution)
    with written_whole(path) as part:
        files.write_vtu(part, mesh, fields, errors, quadratic)
