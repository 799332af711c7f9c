"""Nédélec elements fitted to the samples of the nets, on their part of the domain (track: fit)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.cells import MACHINE, Result
from bench.core.settings import setting
from bench.methods.competitor import Competitor, samples_given, samples_title
from bench.methods.net_names import element_short, element_title


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field.")
    element: str = setting("N0", help="The element; see `femnets list`.")
    n: int = setting(min=1, help="Cells per side.")
    samples: int = setting(12_000, min=1, help="Points in the cylinder.")
    data_seed: int = setting(0, min=0, help="Seed of the points.")


ALONE = False
TIMED = MACHINE

PROCESS_BYTES = 700 * 2**20


def needs_bytes(config: Config) -> int:
    from bench import problems
    from fem import elements

    cells = problems.get(config.problem).domain.training_cells(config.n)
    return PROCESS_BYTES + elements.get(config.element).planned_bytes(cells, task="fit")


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    return Competitor(
        title=f"{element_title(config.element, values)} least squares, cylinder n={config.n}"
        + samples_title(config.samples),
        series=f"{element_short(config.element, values)} fitted",
        family="finite element",
        look=f"{config.element}/fitted",
        information="samples",
        given=samples_given(config.samples, "x"),
        inputs="x",
        unknowns=int(values["unknowns"]),
        tuned="nothing; every mesh size is its own line",
        samples=config.samples,
    )


def run(config: Config) -> Result:
    """Fit, and measure on the training part only: the field is not defined beyond its mesh."""
    from bench import problems
    from bench.measure.norms import relative_test_error, training_part_error
    from bench.measure.queries import seconds_per_point
    from bench.measure.timing import warm
    from fem import elements
    from fem.least_squares import fit

    problem = problems.get(config.problem)
    domain = problem.domain
    points = domain.sample_training(config.samples, config.data_seed)
    held_out = domain.sample_training(config.samples, config.data_seed, test=True)
    samples = (points, problem.targets(points).T, domain.training_mesh(config.n))
    found, _ = warm(lambda: fit(*samples, element=config.element))
    name, error, size = training_part_error(found, problem)
    return Result(
        {
            name: error,
            f"relative_{name}": error / size,
            "rel_test_error": relative_test_error(found(held_out).T, problem.targets(held_out)),
            "unknowns": found.dofs,
            "unknowns_without_data": found.dofs_without_data,
            "iterations": found.iterations,
            **elements.get(config.element).labels,
            "smooth": problem.smooth,
            "seconds": found.total_seconds,
            "seconds_per_point": seconds_per_point(found, domain),
        }
    )
