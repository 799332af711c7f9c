"""The meshes of one `femnets fem` call, and what is computed on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bench.errors import UserError

if TYPE_CHECKING:
    from bench.problems import Problem
    from fem import Solution
    from fem.spaces import Progress, Space


@dataclass(frozen=True)
class Job:
    """One row: n cells per side, uniform or graded, or a mesh from a file; an order for hexP."""

    n: int | None = None
    order: int | None = None
    grading: float | None = None
    file: Path | None = None
    read: Any = field(default=None, repr=False)  # the mesh of the file

    @property
    def weight(self) -> int:
        """For the progress bar: what it costs, roughly."""
        return (self.n or 1) ** 3 * (self.order or 1) ** 3

    def mesh(self, problem: Problem) -> Any:
        """None: the uniform cube, which has solvers of its own."""
        if self.grading is None:
            return self.read
        from fem.meshes.grading import graded_cube

        assert self.n is not None
        return graded_cube(self.n, self.grading, problem.singular_edge or (1.0, 0.0))

    def labels(self) -> dict[str, Any]:
        """What tells the rows apart, beside n."""
        name = None if self.file is None else self.file.name
        found = {"order": self.order, "grading": self.grading, "mesh": name}
        return {name: value for name, value in found.items() if value is not None}


def plan(
    sizes: Sequence[int], orders: Sequence[int], grading: float | None, file: Path | None
) -> list[Job]:
    """Every size with every order; a file is one job."""
    if file is not None:
        if grading is not None:
            raise UserError("--grading grades the cube; it does not go with --mesh")
        from fem.meshes.files import read_mesh

        return [Job(file=file, read=read_mesh(file))]
    return [Job(n=n, order=p, grading=grading) for n in sizes for p in (orders or [None])]  # type: ignore[list-item]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What all jobs of a call share."""

    problem: Problem
    element: str
    solver: str
    tol: float
    threads: int


def check(job: Job, options: Options) -> None:
    """Refuses what cannot be before anything has cost time."""
    from fem import make_space

    size = {"n": job.n} if job.read is None else {"mesh": job.read}
    if job.grading is not None:
        from fem.meshes.grading import graded_cube

        size = {"mesh": graded_cube(1, job.grading)}
    make_space(
        **size,
        element=options.element,
        solver=options.solver,
        order=job.order,
        threads=options.threads,
    )


def best(job: Job, options: Options, progress: Progress, x0: Any = None) -> Solution:
    """The best approximation of the problem's u."""
    from fem import best_approximation

    mesh = job.mesh(options.problem)
    solution = best_approximation(
        options.problem.u,
        options.problem.curl_u,
        job.n if mesh is None else None,
        mesh=mesh,
        element=options.element,
        solver=options.solver,
        order=job.order,
        tol=options.tol,
        threads=options.threads,
        x0=x0,
        progress=progress,
        singular_edge=options.problem.singular_edge,
    )
    return replace(solution, n=job.n)


def solved(job: Job, options: Options, progress: Progress) -> tuple[Solution, dict[str, float]]:
    """The boundary-value problem as a row: told f, φ and the trace, measured against u.

    Beside the row: ‖∇p_h‖, the discrete divergence, the estimate η and its effectivity index.
    """
    from bench.boundary_value import data_of
    from fem import memory
    from fem.best_approximation import norms
    from fem.boundary_value import solve_boundary_value
    from fem.estimator import estimate, total
    from fem.spaces import Solution

    problem, mesh = options.problem, job.mesh(options.problem)
    data = data_of(problem)
    memory.reset_peak()
    found = solve_boundary_value(
        data,
        job.n if mesh is None else None,
        mesh=mesh,
        element=options.element,
        solver=options.solver,
        tol=options.tol,
        progress=progress,
    )
    peak = memory.peak_bytes()
    l2, hcurl = found.errors(problem.u, problem.curl_u, problem.singular_edge)
    reference = cast("Space", found.complex)  # all that `norms` asks of it
    l2_norm, hcurl_norm = norms(reference, problem.u, problem.curl_u, mesh, problem.singular_edge)
    eta = total(estimate(data, found))
    row = Solution(
        n=job.n,
        h=found.h,
        dofs=found.dofs,
        element=options.element,
        solver=found.solver,
        threads=1,
        x=found.x,
        iterations=found.iterations,
        residual=found.residual,
        seconds=found.seconds,
        peak_bytes=peak,
        l2_error=l2,
        hcurl_error=hcurl,
        l2_relative=l2 / l2_norm,
        hcurl_relative=hcurl / hcurl_norm,
        space=found.complex,
    )
    extra = {
        "multiplier_norm": found.multiplier_norm,
        "divergence": found.divergence,
        "estimate": eta,
        "effectivity": eta / hcurl,
    }
    return row, extra


def write_vtu(path: Path, job: Job, options: Options, solution: Solution) -> None:
    """u_h, curl u_h and the exact u at points of each cell, the errors as cell data."""
    from fem import elements, meshes
    from fem.meshes.files import cell_errors
    from fem.meshes.files import write_vtu as write

    problem = options.problem
    mesh = job.mesh(problem)
    if mesh is None:
        assert job.n is not None
        mesh = meshes.cube(job.n, elements.get(options.element).cell)
    fields: dict[str, Any] = {"u_h": solution, "curl_u_h": solution.curl}
    fields |= {"u": problem.u, "curl_u": problem.curl_u}
    errors = {
        "l2_error": cell_errors(mesh, solution, problem.u, problem.singular_edge),
        "curl_error": cell_errors(mesh, solution.curl, problem.curl_u, problem.singular_edge),
    }
    write(path, mesh, fields, errors, quadratic=options.element == "N1")
