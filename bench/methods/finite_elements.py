"""From a problem, an element and a mesh to a measured field: one way for commands and cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from base.errors import UserError
from bench.measure.compiling import announce

if TYPE_CHECKING:
    from bench.domains import Domain, Edge
    from bench.problems import Field, Problem
    from fem.boundary_value import BoundaryValueSolution
    from fem.solutions import Solution
    from fem.spaces import Progress


GAUSS_POINTS = 3  # per direction and cell, of distances between two solutions
RATIO = 0.15  # of geometric layers: (√2 − 1)² = 0.17 is the best for √r on an interval
GROWTH = 1.5  # of cells per adaptive refinement, at most; at a singular edge 1.4


@dataclass(frozen=True, kw_only=True)
class Discretisation:
    """Which element on which mesh: n cells per side, uniform or graded, or a mesh that was read.

    `layers` of bricks, each `ratio` times as thick as the one before, go towards the singular edge;
    there are n bricks along it, of the `order` given or of one that grows with the layers.
    `refine` refinements follow the error estimator. `solve` is the boundary-value problem, given f,
    φ and the trace, and compared with u afterwards; without it the best approximation of u.
    """

    element: str = "N0"
    n: int | None = None
    order: int | None = None
    grading: float | None = None
    layers: int | None = None
    ratio: float = RATIO
    refine: int | None = None
    mesh: Any = field(default=None, repr=False)
    solve: bool = False
    div_exponent: float | None = None  # of the weight r^a on the divergence of nodal elements
    solver: str = "auto"
    tol: float = 1e-8
    threads: int = 1

    @classmethod
    def of(cls, settings: Any) -> Self:
        """The discretisation that the settings of a cell describe."""
        known = [entry.name for entry in fields(cls) if hasattr(settings, entry.name)]
        return cls(**{name: getattr(settings, name) for name in known})

    @property
    def options(self) -> dict[str, Any]:
        """The options of every function of `fem`, besides the mesh."""
        order = self.order if self.layers is None else None
        return {"element": self.element, "solver": self.solver, "order": order}

    def frame(self, problem: Problem) -> Problem:
        """The problem in the coordinates of the mesh: layers are made about the singular edge."""
        return (self.layers and problem.about_edge) or problem

    def place(self, problem: Problem) -> dict[str, Any]:
        """The mesh argument of `fem`: {"n": …} for the uniform cube, which has its own solvers."""
        if self._as_n(problem.domain):
            return {"n": self.n}
        return {"mesh": self.mesh_for(problem)}

    def _as_n(self, domain: Domain) -> bool:
        """Whether n determines the mesh: a uniform mesh of a structured domain."""
        given = (self.grading, self.layers, self.mesh)
        return domain.structured and all(entry is None for entry in given)

    def _layered(self, domain: Domain, towards: Edge | None = None) -> Any:
        assert self.layers is not None
        order = self.layers + 1 if self.order is None else self.order
        return domain.layered(self.layers, self.ratio, order, self.n or 1, towards)

    def mesh_for(self, problem: Problem) -> Any:
        """The mesh itself."""
        from fem import elements
        from fem.choice import order_option

        domain, edge = problem.domain, problem.singular_edge
        if self.mesh is not None:
            return self.mesh
        if self.layers is not None:
            return self._layered(domain, edge)
        assert self.n is not None
        element = elements.get(self.element)
        if element.bricks:
            order = order_option(element, self.order, {})["order"]
            return domain.bricks(self.n, order, self.grading)
        return domain.mesh(self.n, element.cell, self.grading, edge)

    def check(self, problem: Problem) -> None:
        """Raise a UserError for what cannot be computed, before the computation starts."""
        from fem.boundary_value import checked
        from fem.choice import make_space

        self._check_combination(problem)
        small = self if self.grading is None else replace(self, n=1)
        place = small.place(problem)
        if self.solve:
            checked(**place, **self.options)
        else:
            make_space(**place, **self.options, threads=self.threads)

    def _check_combination(self, problem: Problem) -> None:
        """Refuse options that do not go together."""
        from fem import elements

        element = elements.get(self.element)
        if self.layers is not None and not element.bricks:
            able = ", ".join(e.name for e in elements.elements().values() if e.bricks)
            raise UserError(f"--layers needs bricks; use --element {able}, not {self.element}")
        if self.layers is not None and problem.smooth:
            raise UserError(
                f"{problem.name} has no singular edge, which --layers needs; leave it out"
            )
        if self.refine is None:
            return
        if not self.solve:
            raise UserError(
                "--adaptive needs the error estimator of the boundary-value problem; add --solve"
            )
        if element.cell != "tet":
            raise UserError(f"--adaptive needs tetrahedra; use N0 or N1, not {self.element}")

    def planned_bytes(self, domain: Domain) -> int:
        """The memory it will take, as the element predicts it without loading an engine."""
        from fem import elements

        element = elements.get(self.element)
        if self.layers is not None:
            from fem.spaces.bricks.space import BrickSpace

            return BrickSpace(self._layered(domain)).predicted_bytes()
        cells = domain.cells(self.n, element.cell) if self.n else element.cells(mesh=self.mesh)
        return element.planned_bytes(
            int(cells * GROWTH ** (self.refine or 0)),
            order=self.order,
            task="solve" if self.solve else "best",
            solver=self.solver,
            on_mesh=self.refine is not None or not self._as_n(domain),
        )


def approximate(
    problem: Problem,
    chosen: Discretisation,
    progress: Progress | None = None,
    x0: Field | None = None,
) -> Solution:
    """The field with its errors; `n` is that of the discretisation, on graded meshes too.

    For an adaptive sequence it is the last field, and `seconds` is the time of all.
    """
    announce()
    if chosen.refine is not None:
        every = list(adapted(problem, chosen, progress))
        phases = {phase: 0.0 for solution in every for phase in solution.seconds}
        for solution in every:
            for phase, seconds in solution.seconds.items():
                phases[phase] += seconds
        return replace(every[-1], seconds=phases)
    shared = {**chosen.place(problem), **chosen.options, "tol": chosen.tol, "x0": x0}
    if chosen.solve:
        from fem.boundary_value import solve_boundary_value

        found = solve_boundary_value(_data(problem, chosen), **shared, progress=progress)
        return replace(_measured(problem, found), n=chosen.n)
    from fem.approximation import best_approximation

    best = best_approximation(
        problem.u,
        problem.curl_u,
        **shared,
        threads=chosen.threads,
        progress=progress,
        singular_edge=problem.singular_edge,
    )
    return replace(best, n=chosen.n)


def adapted(
    problem: Problem, chosen: Discretisation, progress: Progress | None = None
) -> Iterator[Solution]:
    """The boundary-value problem on the first mesh and on each refinement, with its errors."""
    from bench.methods.boundary_value import boundary_value_data
    from fem.adaptive import refinements

    assert chosen.refine is not None
    found = refinements(
        boundary_value_data(problem),
        chosen.mesh_for(problem),
        chosen.refine,
        element=chosen.element,
        solver=chosen.solver,
        tol=chosen.tol,
        progress=progress,
    )
    for solution in found:
        yield replace(_measured(problem, solution), n=chosen.n)


def _measured(problem: Problem, solution: BoundaryValueSolution) -> BoundaryValueSolution:
    """The solution with its errors, where there is a u to compare with."""
    from fem.spaces import How

    if not problem.known:
        return solution
    return solution.measure(problem.u, problem.curl_u, How(singular_edge=problem.singular_edge))


def apart(solution: Solution, finest: Solution, mesh: Any, problem: Problem) -> tuple[float, float]:
    """‖u_h − u_H‖ and ‖curl(u_h − u_H)‖ by the Gauss points of the finer mesh."""
    from bench.measure.norms import l2_norm
    from fem.rules.on_mesh import on_mesh

    rule = on_mesh(mesh, GAUSS_POINTS, problem.singular_edge)
    values = l2_norm(lambda x: solution(x) - finest(x), rule)
    return values, l2_norm(lambda x: solution.curl(x) - finest.curl(x), rule)


def _data(problem: Problem, chosen: Discretisation) -> Any:
    """The boundary-value problem as the element needs it."""
    from bench.methods.boundary_value import boundary_value_data
    from fem import elements

    able = elements.get(chosen.element).ability("solve")
    if chosen.div_exponent is not None and not able.whole_trace:
        raise UserError(
            "--div-weight is for nodal elements, which penalise the divergence, not "
            f"{chosen.element}"
        )
    return boundary_value_data(
        problem, whole_trace=able.whole_trace, div_exponent=chosen.div_exponent
    )


def sizes_of(problem: Problem, solution: Solution, estimate: float | None) -> dict[str, Any]:
    """‖u_h‖ in L² and H(curl) on the domain, and the estimate as a share of the latter: what can
    be said where u is not known."""
    from bench.measure.norms import l2_norm

    rules = problem.domain.rules(problem.singular_edges).values()
    l2, curl = (
        math.hypot(*(l2_norm(field, rule) for rule in rules)) for field in (solution, solution.curl)
    )
    size = math.hypot(l2, curl)
    relative = None if estimate is None or not size else estimate / size
    return {"l2_norm": l2, "hcurl_norm": size, "relative_estimate": relative}


def own_measures(
    problem: Problem, solution: Solution, estimated: bool = True
) -> dict[str, float | None]:
    """Measures of a boundary-value solution without u: ‖∇p_h‖, the discrete divergence, the
    estimate of its error (if `estimated`, or if the solve needed it); and, with u, the estimate
    over the true error."""
    from bench.methods.boundary_value import boundary_value_data
    from fem.boundary_value import BoundaryValueSolution

    if not isinstance(solution, BoundaryValueSolution):
        return {}
    estimate = solution.estimated
    if estimated:
        estimate = solution.estimate(boundary_value_data(problem))
    sizes = {} if problem.known else sizes_of(problem, solution, estimate)
    return {
        **sizes,
        "multiplier_norm": solution.multiplier_norm,
        "divergence": solution.divergence,
        "estimate": estimate,
        "effectivity": None
        if estimate is None or not problem.known
        else estimate / solution.hcurl_error,
        **({"energy": solution.energy} if hasattr(solution, "energy") else {}),
        **({"boundary_components": count} if (count := solution.boundary_components) > 1 else {}),
    }
