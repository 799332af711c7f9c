"""One net that is told the equation: f, φ and the boundary trace, never u.

Stops by steps or evaluations, like every cell; the error at a given time is read off the recorded
curve. `femnets train --track solve` takes its options from `Config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench import forms
from bench.cells import MACHINE, Result
from bench.cells._appearance import TRACKS, Appearance
from bench.cells._names import family_of, look_of, series_of
from bench.cells._net import END, NET, NetOnData
from bench.errors import UserError
from bench.settings import inherited, setting
from nets import optimizers

if TYPE_CHECKING:
    from nets.module import Network

EQUATION = "The equation (--track solve)"
# The winner at equal time: maxwell, 2-20, 15 s, seed 0. With 600 + 360 points: ssbroyden 3.0e-9,
# lm_ssbfgs 1.2e-8, ssbfgs 1.7e-8, lm 5.9e-6; with 562 + 337: ssbroyden 7.7e-9, lbfgs 1.2e-4, adam
# at 2e-3 9.9e-4. The study `solve` races them all on more seeds.
AUTO = "ssbroyden"
FEWEST_POINTS = 400


@dataclass(frozen=True, kw_only=True)
class Config(NetOnData):
    """Everything that decides it, but for a limit in seconds."""

    hidden: int = inherited(NetOnData, "hidden", default=2)
    width: int = inherited(NetOnData, "width", default=20)
    activation: str = setting("tanh", panel=NET, help="Activation.")
    form: str = setting("strong", panel=EQUATION, help=f"Form: {', '.join(forms.names())}.")
    boundary: str = setting(
        "penalty",
        panel=EQUATION,
        help="Boundary values by penalty, or exact: built into the field.",
    )
    points: int | None = setting(
        None,
        panel=EQUATION,
        min=1,
        unset=f"one per parameter, two where the field is singular, at least {FEWEST_POINTS}",
        help="Points inside the domain.",
    )
    boundary_points: int | None = setting(
        None, panel=EQUATION, min=1, unset="0.6 of --points", help="Points on its boundary."
    )
    boundary_weight: float = setting(
        forms.BOUNDARY_WEIGHT, panel=EQUATION, above=0, help="Weight of the boundary values."
    )
    draw: str = setting("quasi", panel=EQUATION, help="How points are drawn: random or quasi.")
    resample: int | None = setting(
        None, panel=EQUATION, min=1, unset="never",
        help="Draw new points after so many evaluations; the optimiser starts afresh.",
    )  # fmt: skip
    samples: int = setting(0, panel=EQUATION, help="Samples of u: none.", max=0)
    optimizer: str = setting(
        "auto", panel=END, help=f"{', '.join(optimizers.names())}; auto: {AUTO}."
    )
    rate: float | None = setting(None, panel=END, help="Learning rate of adam.")
    memory: int | None = setting(None, panel=END, min=1, help="Pairs that lbfgs and lssbfgs keep.")
    steps: int | None = setting(None, panel=END, min=0, help="At most so many steps.")
    evaluations: float | None = setting(
        None, panel=END, min=0, help="At most so many evaluations of loss and gradient."
    )
    gradient_norm: float | None = setting(None, panel=END, help="Until this norm of the gradient.")
    patience: float | None = setting(
        None, panel=END, min=0, help="Until J has not fallen by 1 % within so many evaluations."
    )
    every: int | None = setting(
        None, panel=END, min=1, unset="every step", help="Steps between two rows of the history."
    )

    def options(self) -> dict[str, Any]:
        """What the optimiser is told beyond the limits."""
        named = {"rate": self.rate, "memory": self.memory}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def chosen_optimizer(self) -> str:
        return AUTO if self.optimizer == "auto" else self.optimizer

    def build(self) -> Network:
        """The net at its starting values, on the domain centred and scaled to [−1, 1]."""
        from bench.solving import starting_net

        return starting_net(self)


DEPENDS = (
    "nets", "bench.solving", "bench.forms", "bench.problems", "bench.domains",
    "bench.training", "bench.medians", "bench.measure", "bench.cells.net",
    "bench.portrait", "fem",
)  # fmt: skip
ALONE = False
TIMED = MACHINE


def needs_bytes(config: Config) -> int:
    """Torch itself, the buffers of a chunk, and what the optimiser keeps."""
    parameters = config.width**2 * (config.hidden - 1) + 8 * config.width
    return 700 * 2**20 + optimizers.state_bytes(config.chosen_optimizer, parameters)


def work(config: Config) -> float:
    """Of all evaluations; a step of a line search takes about two."""
    evaluations = config.evaluations or 2.0 * (config.steps or 1)
    return evaluations * config.hidden * config.width**2


def appearance(config: Config, values: Mapping[str, Any]) -> Appearance:
    size = f"{config.hidden}-{config.width}"
    return Appearance(
        title=f"{family_of(config)} {size} {config.activation}{_differences(config)}",
        series=f"{series_of(config)}, {config.form} form",
        family="net",
        look=look_of(config),
        track="solve",
        told=TRACKS["solve"],
        inputs=TRACKS["solve"],
        unknowns=int(values["parameters"]),
        tuned="weights, points and the optimiser by pilots on these fields, one rule for all",
        search="elsewhere",
    )


def _differences(config: Config) -> str:
    """What a title adds where a setting is not the default."""
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


def run(config: Config) -> Result:
    from bench.measure.queries import seconds_per_point
    from bench.solving import solve_net
    from nets.storage import to_bytes

    if config.steps is None and config.evaluations is None:
        raise UserError("a solved_net cell needs steps or evaluations: seconds would not repeat")
    solved = solve_net(config)
    field, domain = solved.told.field(solved.net), solved.told.problem.domain
    return Result(
        {**solved.values, "seconds_per_point": seconds_per_point(field, domain)},
        solved.arrays,
        {"net": to_bytes(solved.net)},
        diverged=solved.values["diverged"],
    )
