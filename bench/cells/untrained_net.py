"""One net that is given the equation and whose hidden weights are drawn, not trained.

`femnets train --track solve --net random-features` takes its options from `Config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.cells import MACHINE, Result
from bench.methods.competitor import Competitor
from bench.methods.untrained.configuration import AUTO, UntrainedConfig

Config = UntrainedConfig
ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Memory of the process, the triangle and the rows made at once."""
    from bench import problems

    smooth = problems.get(config.problem).smooth
    columns = 3 * (config.features or 500) if smooth else 8 * (config.features or 300)
    return 600 * 2**20 + 24 * columns**2


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor:
    chosen = "" if config.scale == AUTO else f", scale {config.scale}"
    windows = values.get("indicator") is None  # with a singular edge there is one solve
    return Competitor(
        title=f"untrained net, {int(values['features'])} {config.activation} features{chosen}",
        series=f"untrained net ({config.activation} features)",
        family="untrained net",
        look="untrained",
        information="equation",
        unknowns=int(values["unknowns"]),
        tuned="windows and weights by pilots on two fields" if windows else "scale without u",
        search="elsewhere" if windows else "counted",
    )


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.queries import seconds_per_point
    from bench.methods.untrained.solving import solve_untrained
    from nets.untrained.storage import to_bytes

    solved = solve_untrained(config)
    each = seconds_per_point(solved.field, problems.get(config.problem).domain)
    return Result(
        {**solved.values, "seconds_per_point": each},
        weights={"net": to_bytes(solved.net)},
        diverged=solved.values["diverged"],
    )
