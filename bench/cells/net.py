"""One trained net: its errors by the one ruler, its history, its portrait for the figures.

A cell stops by steps or evaluations, never by seconds, so that its result repeats; the error at a
given time is read off the recorded curve. `femnets train` takes its options from `Config`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import MACHINE, Result
from bench.cells._appearance import Appearance, samples_title
from bench.cells._names import as_net, family_of
from bench.cells._net import DATA, END, NET, NetOnData
from bench.errors import UserError
from bench.settings import setting
from nets import optimizers

if TYPE_CHECKING:
    from bench.training import Data
    from nets.module import Network


@dataclass(frozen=True, kw_only=True)
class Config(NetOnData):
    """Everything that decides a training, but for a limit in seconds."""

    activation: str = setting("smoothrelu", panel=NET, help="Activation.")
    sort_biases: bool | None = setting(
        None, panel=NET, unset="as --bias-ordering", help="Ascending biases at the start."
    )
    solve_read_out: bool = setting(
        False, panel=NET, help="The last layer by least squares before the first step."
    )
    samples: int = setting(
        12_000,
        panel=DATA,
        min=1,
        help="Training points in the cylinder (12 000 more for testing).",
    )
    features: str = setting("x,f,phi", panel=DATA, help="Inputs of the net.")
    radius: float = setting(
        1.0,
        panel=DATA,
        help="Train on r <= radius only: the error in the ring beyond (ring_error) judges "
        "extrapolation without a look outside the cylinder.",
    )
    bias_ordering: bool = setting(
        False, panel=DATA, help="Penalty for b_j > b_(j+1), with weight beta."
    )
    beta: float | None = setting(
        None, panel=DATA, unset="10 with --bias-ordering, else 0", help="Weight of that penalty."
    )
    lambda1: float = setting(0.0, panel=DATA, help="Weight of the penalty on W and b.")
    lambda2: float = setting(0.0, panel=DATA, help="Weight of the penalty on tau.")
    optimizer: str = setting(
        "auto",
        panel=END,
        help=f"{', '.join(optimizers.names())}; auto: {optimizers.choose('auto', 0)} up to "
        f"{optimizers.DENSE_LIMIT} parameters, then {optimizers.choose('auto', 10**9)}.",
    )
    rate: float | None = setting(
        None, panel=END, help="Learning rate (adam) or first step (steepest)."
    )
    batch: int | None = setting(
        None, panel=END, min=0, unset="all rows", help="Mini batch of adam; 0: all rows."
    )
    schedule: str | None = setting(
        None,
        panel=END,
        unset="constant",
        help="Rate of adam over --steps: constant, cosine, exponential.",
    )
    memory: int | None = setting(None, panel=END, min=1, help="Pairs that lbfgs and lssbfgs keep.")
    precision: str = setting(
        "float64",
        panel=END,
        help="Of the net's evaluation: float64 or float32; the optimiser's state is float64.",
    )
    steps: int | None = setting(
        None, panel=END, min=0,
        unset="1000 if there is no other limit", help="At most so many steps.",
    )  # fmt: skip
    evaluations: float | None = setting(
        None, panel=END, min=0, help="At most so many evaluations of loss and gradient."
    )
    target: float | None = setting(None, panel=END, help="Until this relative test error.")
    gradient_norm: float | None = setting(None, panel=END, help="Until this norm of the gradient.")
    patience: float | None = setting(
        None, panel=END, min=0, help="Until J has not fallen by 1 % within so many evaluations."
    )
    every: int | None = setting(
        None,
        panel=END,
        min=1,
        unset="every step, every epoch with mini batches",
        help="Steps between two rows of the history.",
    )

    @property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.features.split(","))

    def build(self) -> Network:
        """The net at its starting values."""
        from bench.training import starting_net

        return starting_net(self)

    def data(self) -> Data:
        """The points it is trained and tested on."""
        from bench.training import data_of

        return data_of(self)

    def options(self) -> dict[str, Any]:
        """What the optimiser is told beyond the limits; what is None is left to it."""
        named = {name: getattr(self, name) for name in ("rate", "batch", "schedule", "memory")}
        told = {name: value for name, value in named.items() if value is not None}
        if self.schedule not in (None, "constant"):
            if self.steps is None:
                raise UserError(f"--schedule {self.schedule} needs --steps to know its length")
            told["horizon"] = self.steps
        return told


DEPENDS = (
    "nets", "bench.training", "bench.portrait", "bench.problems", "bench.domains",
    "bench.measure", "bench.medians", "fem",
)  # fmt: skip
ALONE = False
TIMED = MACHINE

PAPER_MESHES = range(1, 11)


def needs_bytes(config: Config) -> int:
    """Torch itself, the states of a chunk, and what the optimiser keeps."""
    parameters = config.width**2 * config.hidden
    told = {} if config.memory is None else {"memory": config.memory}
    kept = optimizers.state_bytes(config.optimizer, parameters, told)
    rows = 200 * (config.samples + 12_000)  # inputs, targets and points of both samples
    return 700 * 2**20 + kept + 2**20 * config.hidden + 16 * parameters + rows


def work(config: Config) -> float:
    """Multiplications of all evaluations; a step of a line search takes about two."""
    evaluations = config.evaluations or 2.0 * (config.steps or 1)
    return evaluations * config.samples * config.hidden * config.width**2


def appearance(config: Config, values: Mapping[str, Any]) -> Appearance:
    ordering = " + B.O." if config.bias_ordering else ""
    size = f"{config.hidden}-{config.width}"
    return as_net(
        config,
        values,
        title=f"{family_of(config)}{ordering} {size}{_differences(config)}",
        tuned="before this run, if at all: settings are the paper's or the study's; not counted",
        search="elsewhere",
        precision=config.precision,
    )


def _differences(config: Config) -> str:
    """What a title adds where a setting is not the paper's."""
    parts = [
        "" if config.optimizer == "steepest" else f", {config.optimizer}",
        f", {config.evaluations:g} evaluations" if config.evaluations else "",
        samples_title(config.samples),
        "" if config.scale == 1 else f", weights × {config.scale:g}",
        "" if config.eta == 1e-4 else f", η = {config.eta:g}",
        "" if config.tau0 == "1" else f", τ₀ = {config.tau0}",
        f", λ₂ = {config.lambda2:g}" if config.lambda2 else "",
        "" if config.features == "x,f,phi" else f" ({config.features})",
    ]
    return "".join(parts)


def run(config: Config) -> Result:
    from bench.portrait import portrait
    from bench.training import train_net
    from nets.storage import to_bytes

    if config.steps is None and config.evaluations is None:
        raise UserError("a net cell needs steps or evaluations: seconds would not repeat")
    trained = train_net(config)
    meshes = filter(trained.data.problem.domain.offers, PAPER_MESHES)
    values, arrays = portrait(trained, meshes)
    return Result(
        {**trained.values, **values},
        {**trained.arrays, **arrays},
        {"net": to_bytes(trained.net)},
        diverged=trained.values["diverged"],
    )
