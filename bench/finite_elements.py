"""From a problem, an element and a mesh to a measured field: one way for commands and cells."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from bench.problems import Field, Problem
    from fem import Solution
    from fem.spaces import Progress


@dataclass(frozen=True, kw_only=True)
class Discretisation:
    """Which element on which mesh: n cells per side, uniform or graded, or a mesh that was read.

    `solve` is the boundary-value problem, told f, φ and the trace, and compared with u afterwards;
    without it the best approximation of u.
    """

    element: str = "N0"
    n: int | None = None
    order: int | None = None
    grading: float | None = None
    mesh: Any = field(default=None, repr=False)
    solve: bool = False
    solver: str = "auto"
    tol: float = 1e-8
    threads: int = 1

    @classmethod
    def of(cls, settings: Any) -> Self:
        """From the settings of a cell that have a field here."""
        known = [entry.name for entry in fields(cls) if hasattr(settings, entry.name)]
        return cls(**{name: getattr(settings, name) for name in known})

    @property
    def told(self) -> dict[str, Any]:
        """What every way of `fem` is told beside the place."""
        return {"element": self.element, "solver": self.solver, "order": self.order}

    def place(self, problem: Problem) -> dict[str, Any]:
        """As `fem` is told it: {"n": …} for the uniform cube, which has solvers of its own."""
        if self.grading is not None:
            from fem.meshes.grading import graded_cube

            assert self.n is not None
            towards = {"towards": problem.singular_edge} if problem.singular_edge else {}
            return {"mesh": graded_cube(self.n, self.grading, **towards)}
        return {"n": self.n} if self.mesh is None else {"mesh": self.mesh}

    def mesh_for(self, problem: Problem) -> Any:
        """The mesh itself."""
        from fem import elements, meshes

        place = self.place(problem)
        if "mesh" in place:
            return place["mesh"]
        return meshes.cube(place["n"], elements.get(self.element).cell)

    def check(self, problem: Problem) -> None:
        """Refuses what cannot be before anything has cost time."""
        from fem import make_space
        from fem.boundary_value import checked

        small = self if self.grading is None else replace(self, n=1)
        place = small.place(problem)
        if self.solve:
            checked(**place, **self.told)
        else:
            make_space(**place, **self.told, threads=self.threads)

    def planned_bytes(self) -> int:
        """The memory it will take, as the element predicts it without loading an engine."""
        from fem import elements

        element = elements.get(self.element)
        return element.planned_bytes(
            element.cells(self.n, self.mesh),
            order=self.order,
            task="solve" if self.solve else "best",
            solver=self.solver,
            on_mesh=self.grading is not None or self.mesh is not None,
        )


def approximate(
    problem: Problem,
    chosen: Discretisation,
    progress: Progress | None = None,
    x0: Field | None = None,
) -> Solution:
    """The field with its errors; `n` is that of the discretisation, on graded meshes too."""
    place = chosen.place(problem)
    solution = (
        _boundary_value(problem, chosen, place, progress)
        if chosen.solve
        else _best(problem, chosen, place, progress, x0)
    )
    return replace(solution, n=chosen.n)


def _best(
    problem: Problem,
    chosen: Discretisation,
    place: dict[str, Any],
    progress: Progress | None,
    x0: Field | None,
) -> Solution:
    from fem import best_approximation

    return best_approximation(
        problem.u,
        problem.curl_u,
        **place,
        **chosen.told,
        tol=chosen.tol,
        threads=chosen.threads,
        x0=x0,
        progress=progress,
        singular_edge=problem.singular_edge,
    )


def _boundary_value(
    problem: Problem, chosen: Discretisation, place: dict[str, Any], progress: Progress | None
) -> Solution:
    from bench.boundary_value import data_of
    from fem import How, solve_boundary_value

    found = solve_boundary_value(
        data_of(problem), **place, **chosen.told, tol=chosen.tol, progress=progress
    )
    return found.measure(problem.u, problem.curl_u, How(singular_edge=problem.singular_edge))


def own_measures(problem: Problem, solution: Solution) -> dict[str, float | None]:
    """What a boundary-value solution says of itself without u: ‖∇p_h‖, the discrete divergence,
    the estimate of its error; and the estimate over the true error."""
    from bench.boundary_value import data_of
    from fem import BoundaryValueSolution

    if not isinstance(solution, BoundaryValueSolution):
        return {}
    estimate = solution.estimate(data_of(problem))
    return {
        "multiplier_norm": solution.multiplier_norm,
        "divergence": solution.divergence,
        "estimate": estimate,
        "effectivity": None if estimate is None else estimate / solution.hcurl_error,
    }
