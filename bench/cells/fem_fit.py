"""Nédélec elements fitted to the samples of the nets, on a mesh of the cylinder (track: fit)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.cells import MACHINE, Result
from bench.cells._appearance import Appearance, told_samples
from bench.cells._names import element_short, element_title
from bench.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field.")
    element: str = setting("N0", help="The element; see `femnets list`.")
    n: int = setting(min=1, help="Cells per side.")
    samples: int = setting(12_000, min=1, help="Points in the cylinder.")
    data_seed: int = setting(0, min=0, help="Seed of the points.")


DEPENDS = ("fem", "bench.measure.ruler", "bench.problems", "bench.measure.queries")
ALONE = False
TIMED = MACHINE

PROCESS_BYTES = 700 * 2**20
CELLS_OF_THE_CYLINDER = 24  # times n³: four quarters of six tetrahedra


def needs_bytes(config: Config) -> int:
    from fem import elements

    cells = CELLS_OF_THE_CYLINDER * config.n**3
    return PROCESS_BYTES + elements.get(config.element).planned_bytes(cells, task="fit")


def appearance(config: Config, values: Mapping[str, Any]) -> Appearance:
    return Appearance(
        title=f"{element_title(config.element, values)} least squares, cylinder n={config.n}",
        series=f"{element_short(config.element, values)} fitted",
        family="finite element",
        look=f"{config.element}/fitted",
        track="fit",
        told=told_samples(config.samples, "x"),
        inputs="x",
        unknowns=int(values["unknowns"]),
        tuned="nothing; every mesh size is its own line",
    )


def run(config: Config) -> Result:
    """Errors where the mesh is: there is no field outside the cylinder, hence no error there."""
    from bench import problems
    from bench.measure.queries import seconds_per_point
    from bench.measure.ruler import l2_norm, relative_test_error
    from fem import elements
    from fem.least_squares import covering_cylinder, fit
    from fem.rules import quadrature
    from fem.rules.quadrature import Resolution

    problem = problems.get(config.problem)
    points = problem.sample_cylinder(config.samples, config.data_seed)
    held_out = problem.sample_cylinder(config.samples, config.data_seed, test=True)
    mesh = covering_cylinder(config.n)
    samples = (points, problem.targets(points).T, mesh)
    for _ in range(2):  # the first also loads compiled code, seconds in a fresh process
        found = fit(*samples, element=config.element)
    # The field is smooth on each cell only: hence a polar rule much finer than the mesh.
    fine = Resolution(order=4, angle=24, radius=16, height=16)
    inside = quadrature.inside_cylinder if problem.smooth else quadrature.inside_cylinder_at_edge
    rule = inside(fine)
    error = l2_norm(lambda x: problem.u(x) - found(x), rule)
    return Result(
        {
            "l2_error_inside": error,
            "relative_l2_error_inside": error / l2_norm(problem.u, rule),
            "rel_test_error": relative_test_error(found(held_out).T, problem.targets(held_out)),
            "unknowns": found.dofs,
            "unknowns_without_data": found.dofs_without_data,
            "iterations": found.iterations,
            **elements.get(config.element).labels,
            "smooth": problem.smooth,
            "seconds": found.total_seconds,
            "seconds_per_point": seconds_per_point(found),
        }
    )
