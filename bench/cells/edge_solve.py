"""One solve at a re-entrant edge, by nodal elements (plain: wrong; weighted: right) or Nédélec's:
errors, the energy of the nodal solution, and the field on a slice around the edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bench.cells import MACHINE, Result, fem
from bench.core.settings import inherited, setting
from bench.methods.competitor import Competitor
from bench.methods.finite_elements import Discretisation, approximate
from bench.methods.net_names import element_short, element_title


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = inherited(fem.Config, "problem", default="reentrant")
    element: str = setting("nodalP1", help="Element: nodalP1, N0, …; see `femnets list`.")
    n: int = setting(min=1, help="Cells per unit length.")
    order: int | None = setting(None, min=1, help="Order, for hexP.")
    grading: float | None = inherited(fem.Config, "grading")
    div_exponent: float | None = setting(
        None, min=0, unset="no weight", help="Exponent a of the weight r^a on the divergence."
    )


ALONE = False
SLICE, REACH = 16, 0.4  # points per side of the picture, and half its width
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    from bench import problems

    return 700 * 2**20 + _chosen(config).planned_bytes(problems.get(config.problem).domain)


def _chosen(config: Config) -> Discretisation:
    return replace(Discretisation.of(config), solve=True)


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    weight = f", r^{config.div_exponent:g} div" if config.div_exponent else ""
    weight += " graded" if config.grading else ""
    order = f" p={config.order}" if config.order else ""
    return Competitor(
        title=f"{element_title(config.element, values)}{order}{weight} n={config.n}",
        series=f"{element_short(config.element, values)}{weight}",
        family="finite element",
        look=config.element,
        information="equation",
        unknowns=int(values["dofs"]),
    )


def run(config: Config) -> Result:
    from bench import problems
    from bench.methods.certificates.certify import stored
    from fem import elements

    problem = problems.get(config.problem)
    solution: Any = approximate(problem, _chosen(config))
    names = ("h", "dofs", "l2_error", "hcurl_error", "l2_relative", "iterations")
    return Result(
        {
            **{name: getattr(solution, name) for name in names},
            "energy": getattr(solution, "energy", None),
            **elements.get(config.element).labels,
            **stored(solution, problem),
            "n": config.n,
            "seconds": solution.total_seconds,
        },
        slices(solution, problem),
    )


def slices(field: Any, problem: Any) -> dict[str, Any]:
    """u and the field (2, m, m) on a grid about the edge at x₃ = ½; NaN outside the domain."""
    import numpy as np

    line = (np.arange(SLICE) + 0.5) / SLICE * 2 * REACH - REACH
    x = np.stack(np.broadcast_arrays(line[:, None], line[None, :], 0.5))
    inside = problem.domain.contains(x)
    found = {}
    for name, values in (("slice_exact", problem.u), ("slice", field)):
        grid = np.full((2, SLICE, SLICE), np.nan)
        grid[:, inside] = values(x[:, inside])[:2]
        found[name] = grid
    return found | {"slice_line": line}
