"""One net that is given the equation: f, φ and the boundary trace, never u.

Stops by steps or evaluations, like every cell; the error at a given time is read off the recorded
curve. `femnets train --track solve` takes its options from `Config`. Where u is not known, the net
has its distance to a second-order element solution in place of an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bench.cells import MACHINE, Result
from bench.cells._nets import net_result, require_repeats
from bench.methods.competitor import Competitor
from bench.methods.configurations import SolvingConfig
from bench.methods.net_names import family_of, look_of, series_of
from nets import optimizers

if TYPE_CHECKING:
    from bench.methods.solving import SolvedNet

Config = SolvingConfig
ALONE = False
TIMED = MACHINE
PROJECTING = "varpro"  # the optimiser that eliminates the output weights


def needs_bytes(config: Config) -> int:
    """Memory of torch itself, the buffers of a chunk, the optimiser's state, and of an element
    solution where u is not known."""
    from bench import problems

    parameters = config.width**2 * (config.hidden - 1) + 8 * config.width
    elements = 0 if problems.get(config.problem).known else 2**30
    return 700 * 2**20 + elements + optimizers.state_bytes(config.chosen_optimizer, parameters)


def competitor(config: Config, values: Mapping[str, Any]) -> Competitor | None:
    if values.get("relative_distance") is not None:
        return None  # without u no error is known
    size = f"{config.hidden}-{config.width}"
    return Competitor(
        title=f"{family_of(config, values)} {size} {config.activation}{_differences(config)}",
        series=f"{series_of(config, values)}, {config.form} form",
        family="partly trained net" if config.optimizer == PROJECTING else "net",
        look=look_of(config),
        information="equation",
        unknowns=int(values["parameters"]),
        tuned="weights, points and the optimiser by pilots on these fields, one rule for all",
        search="elsewhere",
    )


def _differences(config: Config) -> str:
    """The settings that differ from the defaults, as a title adds them."""
    parts = [
        "" if config.form == "strong" else f", {config.form} form",
        "" if config.boundary == "penalty" else ", boundary built in",
        "" if config.optimizer == "auto" else f", {config.optimizer}",
        f", {config.evaluations:g} evaluations" if config.evaluations else "",
        "" if config.points is None else f", {config.points} points",
        "" if config.draw == "quasi" else f", {config.draw} points",
        "" if config.resample is None else f", redrawn every {config.resample}",
    ]
    return "".join(parts)


SINGLE = 1e-5  # an error above it is not changed by an evaluation in float32


def _evaluations(solved: SolvedNet) -> dict[str, Callable[[Any], Any]]:
    """The net as a field of x, in both precisions; with built-in values in float64 only."""
    from nets.fast.kernel import predict

    field = solved.collocation.field(solved.net)
    if field.built_in is not None:
        return {"float64": field}

    def single(x: Any) -> Any:
        return predict(solved.net, x.T - field.centre, dtype="float32")[:, :3].numpy().T

    return {"float64": field, "float32": single}


def run(config: Config) -> Result:
    from bench.measure.queries import seconds_per_point
    from bench.methods.coarse_solves import distance_to_elements
    from bench.methods.solving import solve_net

    require_repeats("solved_net", config)
    solved = solve_net(config)
    problem = solved.collocation.problem
    per_point = {
        name: seconds_per_point(field, problem.domain)
        for name, field in _evaluations(solved).items()
    }
    accurate = (solved.values["l2_error"] or 0.0) > SINGLE
    fastest = min(per_point.values()) if accurate else per_point["float64"]
    field = solved.collocation.field(solved.net)
    apart = {} if problem.known else distance_to_elements(field, problem)
    timed = {"seconds_per_point": fastest, "seconds_per_point_by": per_point}
    return net_result(solved, apart | timed)
