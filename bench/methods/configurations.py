"""Configurations of nets: the net, where it starts, what it is given, how it is trained.

They are data; `training`, `solving` and the other methods take them. Kinds of cells use them as
their `Config`, or inherit fields and give other defaults with `inherited`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

from base.errors import UserError
from bench.core.settings import inherited, required, setting
from bench.methods import forms
from nets import architectures, optimizers
from nets.tau import GRAMMAR

NET = "The net"
DATA = "The data and the loss"
END = "The optimiser and when it stops"
Wanted = TypeVar("Wanted")


def part_of(config: Any, wanted: type[Wanted], **changed: Any) -> Wanted:
    """Another configuration with the values of those fields that this one has too."""
    names = [field.name for field in fields(wanted) if hasattr(config, field.name)]  # type: ignore[arg-type]
    return wanted(**{name: getattr(config, name) for name in names} | changed)


@dataclass(frozen=True, kw_only=True)
class NetOnData:
    """A net at its starting values and the points it is shown; the defaults are the paper's."""

    net: str = setting(
        "resnet",
        panel=NET,
        help=f"Architecture: {', '.join(architectures.names())}; with --track solve also the "
        "method random-features (hidden weights drawn, output weights by least squares).",
    )
    tau: str = setting(
        "learned",
        panel=NET,
        help="Time steps: fixed, learned (one per layer), global (one for all), rezero.",
    )
    tau0: str = setting(
        "1",
        panel=NET,
        help=f"Starting time steps: {GRAMMAR}.",
    )
    hidden: int = setting(6, panel=NET, min=1, help="Hidden layers.")
    width: int = setting(50, panel=NET, min=1, help="Width of the hidden layers.")
    gamma: float = setting(0.5, panel=NET, help="Order of the fractional net, in (0, 1).")
    eta: float = setting(
        1e-4,
        panel=NET,
        help="Half-width of smoothReLU's parabola; a large one makes the net quadratic.",
    )
    init: str = setting(
        "torch", panel=NET, help="Starting weights: torch, he, xavier, normal or orthogonal."
    )
    scale: float = setting(
        1.0,
        panel=NET,
        help="Factor on the starting weights; with random-features their scale, or auto.",
    )
    first_scale: float = setting(
        1.0, panel=NET, min=0, help="Factor on the first layer's weights (with sine: frequencies)."
    )
    seed: int = setting(0, panel=NET, min=0, help="Seed of the starting values only.")
    problem: str = setting("maxwell", panel=DATA, help="The field to learn; see `femnets list`.")
    samples: int = setting(12_000, panel=DATA, min=1, help="Points in the cylinder.")
    data_seed: int = setting(0, panel=DATA, min=0, help="Seed of the points only.")


@dataclass(frozen=True, kw_only=True)
class NetInAtlas(NetOnData):
    """A net of the gradient atlas: narrower than the paper's, He's weights, τ at its start."""

    net: str = required(NetOnData, "net")
    tau: str = inherited(NetOnData, "tau", default="fixed")
    hidden: int = required(NetOnData, "hidden")
    width: int = inherited(NetOnData, "width", default=20)
    init: str = inherited(NetOnData, "init", default="he")
    samples: int = inherited(NetOnData, "samples", default=1000)


def gradient_profile_bytes(config: NetOnData, few: int) -> int:
    """Bytes of states, slopes, activations and adjoints of all layers, and of a few Jacobians."""
    hidden, width, samples = config.hidden, config.width, config.samples
    return 300 * 2**20 + 8 * hidden * width * (8 * samples + 6 * few * width) + 8 * hidden**2


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(NetOnData):
    """A net trained on samples: all settings except a limit in seconds."""

    activation: str = setting("smoothrelu", panel=NET, help="Activation.")
    sort_biases: bool | None = setting(
        None, panel=NET, unset="as --bias-ordering", help="Ascending biases at the start."
    )
    solve_read_out: bool = setting(
        False, panel=NET, help="Fit the last layer by least squares before the first step."
    )
    samples: int = setting(
        12_000,
        panel=DATA,
        min=1,
        help="Training points in the cylinder (12 000 more for testing).",
    )
    features: str = setting(
        "x,f,phi", panel=DATA, help="Inputs of the net; with random-features their number."
    )
    radius: float = setting(
        1.0,
        panel=DATA,
        help="Train on r <= radius only: the error in the ring beyond (ring_error) measures "
        "extrapolation without data outside the cylinder.",
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
        help="Precision of evaluation: float64 or float32; the optimiser's state is float64.",
    )
    steps: int | None = setting(
        None, panel=END, min=0,
        unset="1000 if there is no other limit", help="Maximum number of steps.",
    )  # fmt: skip
    evaluations: float | None = setting(
        None, panel=END, min=0, help="Maximum number of evaluations of loss and gradient."
    )
    target: float | None = setting(None, panel=END, help="Stop at this relative test error.")
    gradient_norm: float | None = setting(None, panel=END, help="Stop at this gradient norm.")
    patience: float | None = setting(
        None, panel=END, min=0, help="Stop if J has not fallen by 1 % within so many evaluations."
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

    def options(self) -> dict[str, Any]:
        """The optimiser's own options; None leaves an option to its default."""
        named = {name: getattr(self, name) for name in ("rate", "batch", "schedule", "memory")}
        options = {name: value for name, value in named.items() if value is not None}
        if self.schedule not in (None, "constant"):
            if self.steps is None:
                raise UserError(f"--schedule {self.schedule} needs --steps to know its length")
            options["horizon"] = self.steps
        return options


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """A net trained on rows of a user's file: all settings except a limit in seconds."""

    data: str = setting(
        panel=DATA, help="Rows of your own: a .csv with columns x1, …, y1, …, or an .npz with x, y."
    )
    net: str = inherited(NetOnData, "net")
    tau: str = inherited(NetOnData, "tau")
    tau0: str = inherited(NetOnData, "tau0")
    hidden: int = inherited(NetOnData, "hidden", default=2)
    width: int = inherited(NetOnData, "width", default=20)
    gamma: float = inherited(NetOnData, "gamma")
    eta: float = inherited(NetOnData, "eta")
    init: str = inherited(NetOnData, "init")
    scale: float = inherited(NetOnData, "scale")
    activation: str = inherited(TrainingConfig, "activation", default="tanh")
    seed: int = inherited(NetOnData, "seed")
    data_seed: int = setting(0, panel=DATA, min=0, help="Seed of the choice of held-out rows.")
    optimizer: str = inherited(TrainingConfig, "optimizer")
    rate: float | None = inherited(TrainingConfig, "rate")
    batch: int | None = inherited(TrainingConfig, "batch")
    memory: int | None = inherited(TrainingConfig, "memory")
    steps: int | None = inherited(TrainingConfig, "steps")
    evaluations: float | None = inherited(TrainingConfig, "evaluations")
    every: int | None = inherited(TrainingConfig, "every")

    def options(self) -> dict[str, Any]:
        """The optimiser's own options; None leaves an option to its default."""
        named = {name: getattr(self, name) for name in ("rate", "batch", "memory")}
        return {name: value for name, value in named.items() if value is not None}


EQUATION = "The equation (--track solve)"
# The winner at equal time: maxwell, 2-20, 15 s, seed 0. With 600 + 360 points: ssbroyden 3.0e-9,
# ssbfgs 1.7e-8, lm 5.9e-6; with 562 + 337: ssbroyden 7.7e-9, lbfgs 1.2e-4, adam
# at 2e-3 9.9e-4. The study `solve` races them all on more seeds.
AUTO = optimizers.AUTO["equation"]
FEWEST_POINTS = 400


@dataclass(frozen=True, kw_only=True)
class SolvingConfig(NetOnData):
    """A net given the equation: all settings except a limit in seconds."""

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
        help="Draw new points after so many evaluations; the optimiser restarts.",
    )  # fmt: skip
    samples: int = setting(0, panel=EQUATION, help="Samples of u (always 0).", max=0)
    optimizer: str = setting(
        "auto", panel=END, help=f"{', '.join(optimizers.names())}; auto: {AUTO}."
    )
    rate: float | None = setting(None, panel=END, help="Learning rate of adam.")
    memory: int | None = setting(None, panel=END, min=1, help="Pairs that lbfgs and lssbfgs keep.")
    steps: int | None = setting(None, panel=END, min=0, help="Maximum number of steps.")
    evaluations: float | None = setting(
        None, panel=END, min=0, help="Maximum number of evaluations of loss and gradient."
    )
    gradient_norm: float | None = setting(None, panel=END, help="Stop at this gradient norm.")
    patience: float | None = setting(
        None, panel=END, min=0, help="Stop if J has not fallen by 1 % within so many evaluations."
    )
    every: int | None = setting(
        None, panel=END, min=1, unset="every step", help="Steps between two rows of the history."
    )

    def options(self) -> dict[str, Any]:
        """The optimiser's own options."""
        named = {"rate": self.rate, "memory": self.memory}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def chosen_optimizer(self) -> str:
        return AUTO if self.optimizer == "auto" else self.optimizer
