"""A net interpolated into a finite-element space and trained there, next to the element itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.cells import MACHINE, Result
from bench.core.settings import setting
from bench.methods.competitor import Competitor


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field.")
    element: str = setting("N0", help="The element; see `femnets list`.")
    n: int = setting(2, min=1, help="Cells per side.")
    order: int | None = setting(None, min=1, help="Order, for elements of any order (hexP).")
    hidden: int = setting(2, min=1, help="Hidden layers of the net.")
    width: int = setting(20, min=1, help="Width of the hidden layers.")
    evaluations: float = setting(1000.0, min=1, help="Evaluations of loss and gradient.")
    seed: int = setting(0, min=0, help="Seed of the starting values.")


ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Memory of torch and scikit-fem, and of dense maps of small spaces."""
    return 1200 * 2**20


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    order = f" p={config.order}" if config.order else ""
    place = f"{config.element}{order} n={config.n}"
    return Competitor(
        title=f"net {config.hidden}-{config.width} interpolated into {place}",
        series="net interpolated into elements (FEINN)",
        family="net",
        look="interpolated",
        information="equation",
        unknowns=int(values["parameters"]),
    )


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.norms import field_errors
    from bench.measure.queries import seconds_per_point
    from bench.measure.timing import clocked
    from bench.methods.collocation.interpolated import residuals
    from bench.methods.collocation.training import trained_resnet
    from bench.methods.finite_elements import Discretisation, approximate
    from bench.methods.solving import SolvedField

    problem = problems.get(config.problem)
    place = Discretisation(n=config.n, element=config.element, order=config.order, solve=True)
    solution = approximate(problem, place)
    (term, interpolation), before = clocked(lambda: residuals(solution, problem.domain))
    training = trained_resnet(
        [term], hidden=config.hidden, width=config.width, outputs=3, seed=config.seed,
        optimizer="ssbroyden", limits={"evaluations": config.evaluations}, every=100,
    )  # fmt: skip
    net = training.net
    field = SolvedField(net)
    coefficients = interpolation.matrix @ field(interpolation.points).ravel()
    l2, hcurl = solution.space.errors(coefficients, problem.u, problem.curl_u)
    return Result(
        {
            **field_errors(field, problem, jacobian=field.jacobian),
            "interpolant_l2_error": l2,
            "interpolant_hcurl_error": hcurl,
            "element_l2_error": solution.l2_error,
            "element_hcurl_error": solution.hcurl_error,
            "element_seconds": solution.total_seconds,
            "dofs": solution.dofs,
            "J": training.J,
            "parameters": net.pack().size,
            "seconds": solution.total_seconds + before + training.seconds,
            "seconds_per_point": seconds_per_point(field, problem.domain),
        },
        diverged=bool(training.diverged),
    )
