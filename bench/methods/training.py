"""One training from a flat config: what `femnets train` and the cells of kind `net` share.

`train_net(config)` is a pure function: the same config gives the same numbers (but for seconds).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from bench import problems
from bench.core.plain_values import finite
from bench.core.settings import configured
from bench.measure import norms
from bench.measure.compiling import announce
from bench.measure.net_fields import net_errors
from bench.measure.soundness import require_values
from bench.measure.timing import clocked
from bench.methods.configurations import TrainingConfig
from bench.problems import Array, Problem

if TYPE_CHECKING:
    from nets.module import Network
    from nets.training.loop import Progress, Training

BIAS_ORDERING_BETA = 10.0  # the paper's
TEST_SAMPLES = 12_000
FIGURES = (
    "train_mse",
    "rel_test_error",
    "ring_error",
    "l2_error",
    "l2_error_inside",
    "l2_error_outside",
    "curl_error",
    "div_norm",
    "u3_min",
    "u3_max",
)


@dataclass(frozen=True)
class Data:
    """Rows for training and for testing, from streams of their own under one seed.

    With `radius` < 1 the training points lie in r ≤ radius of the cylinder, and the test points of
    the ring beyond (`held_out`) measure how well a net extrapolates, without data outside the
    cylinder. The cube reaches r = √2, so radius = 1/√2 asks for the same ratio.
    """

    problem: Problem
    features: tuple[str, ...]
    x: Array
    y: Array
    test_points: Array
    x_test: Array
    y_test: Array
    held_out: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        problem: Problem,
        features: tuple[str, ...],
        samples: int,
        seed: int,
        radius: float = 1.0,
    ) -> Data:
        if not 0 < radius <= 1:
            raise UserError(f"--radius must lie in (0, 1], got {radius}")
        domain = problem.domain
        points = domain.narrowed(domain.sample_training(samples, seed), radius)
        test = domain.sample_training(TEST_SAMPLES, seed, test=True)
        require_values(problem, points)
        return cls(
            problem,
            features,
            problem.inputs(points, features),
            problem.targets(points),
            test,
            problem.inputs(test, features),
            problem.targets(test),
            domain.beyond(test, radius),
        )


@dataclass(frozen=True)
class MeasuredNet:
    """A net with its figures: `values` are JSON, `arrays` the history and the curve."""

    net: Network
    training: Training
    values: dict[str, Any]
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class TrainedNet(MeasuredNet):
    """A net trained on samples."""

    data: Data


def starting_net(config: TrainingConfig) -> Network:
    """The net at its starting values."""
    from nets.module import build

    ordered = config.bias_ordering if config.sort_biases is None else config.sort_biases
    return build(
        **shape_and_start(config),
        inputs=sum(1 if name == "phi" else 3 for name in config.feature_names),
        first_scale=config.first_scale,
        sort_biases=ordered,
    )


def shape_and_start(config: Any) -> dict[str, Any]:
    """The settings that a net is built from, on every track."""
    shape = ("net", "tau", "tau0", "hidden", "width", "gamma", "activation", "eta")
    return {name: getattr(config, name) for name in (*shape, "init", "scale", "seed")}


def training_data(config: TrainingConfig) -> Data:
    problem = problems.get(config.problem)
    return Data.of(problem, config.feature_names, config.samples, config.data_seed, config.radius)


def train_net(
    config: TrainingConfig | Mapping[str, Any],
    *,
    seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> TrainedNet:
    """Build, train and measure one net; with a limit in `seconds` the result does not repeat."""
    from nets.loss import Loss
    from nets.training.last_layer import solve_last_layer
    from nets.training.loop import train

    announce()
    if not isinstance(config, TrainingConfig):
        config = configured(TrainingConfig, config, where="a training")
    net, data = starting_net(config), training_data(config)
    _, before = clocked(
        lambda: solve_last_layer(net, data.x, data.y) if config.solve_read_out else None
    )
    beta = BIAS_ORDERING_BETA if config.bias_ordering else 0.0
    training = train(
        net,
        data.x,
        data.y,
        loss=Loss(config.lambda1, config.lambda2, beta if config.beta is None else config.beta),
        optimizer=config.optimizer,
        steps=config.steps,
        evaluations=config.evaluations,
        seconds=seconds,
        target=config.target,
        gradient_norm=config.gradient_norm,
        patience=config.patience,
        probes=error_probes(data),
        every=config.every,
        seed=config.seed,
        precision=config.precision,
        progress=progress or False,
        **config.options(),
    )
    values = {
        **net_metrics(net, data),
        "J": finite(training.J),
        **how_it_went(training),
        "seconds": before + training.seconds,
        "parameters": net.pack().size,
    }
    return TrainedNet(net, training, values, histories(training), data)


def how_it_went(training: Training) -> dict[str, Any]:
    """What a training cost and how it ended."""
    names = ("seconds", "evaluations", "steps", "diverged", "reason")
    return {name: getattr(training, name) for name in names}


def histories(training: Training) -> dict[str, Array]:
    """What was recorded at every step, and the errors along the way."""
    arrays = {f"history_{name}": array for name, array in training.history.items()}
    return arrays | {f"curve_{name}": array for name, array in training.curve.items()}


def error_probes(data: Data) -> dict[str, Callable[[Network], float]]:
    """The errors along the curve: relative on the test points, L² on the domain and, where it is
    only a part of it, on the training part."""
    part = norms.suffix(data.problem.domain.training_part)
    errors = _DomainErrors(data)
    probes: dict[str, Callable[[Network], float]] = {
        "rel_test_error": lambda net: rel_test_error(net, data),
        "l2_error": errors.whole,
    }
    if part:
        probes[f"l2_error{part}"] = errors.training
    return probes


class _DomainErrors:
    """Both L² errors from one prediction: probes are asked in turn about the same net."""

    def __init__(self, data: Data) -> None:
        self.data, self.kept = data, math.nan

    def whole(self, net: Network) -> float:
        points = norms.tabulated_domain(self.data.problem, self.data.features)
        values = predict(net, points.inputs)
        self.kept = points.l2_error(values, self.data.problem.domain.training_part)
        return points.l2_error(values)

    def training(self, net: Network) -> float:
        return self.kept


def rel_test_error(net: Network, data: Data) -> float:
    return norms.relative_test_error(predict(net, data.x_test), data.y_test)


def l2_error(net: Network, data: Data) -> float:
    """‖u − net‖ on the domain from the net's values alone: cheap enough for a curve."""
    points = norms.tabulated_domain(data.problem, data.features)
    return points.l2_error(predict(net, points.inputs))


def error_on_mesh(net: Network, data: Data, n: int) -> float:
    """‖u − net‖ by the Gauss points of a mesh, the paper's error at h."""
    points = norms.tabulated_mesh(data.problem, data.features, n)
    return points.l2_error(predict(net, points.inputs))


def net_metrics(net: Network, data: Data) -> dict[str, Any]:
    """All measures of a net; missing values are None, never NaN."""
    values: dict[str, float | None] = dict.fromkeys(FIGURES)
    if is_finite_on(net, data):
        residual, predicted = predict(net, data.x) - data.y, predict(net, data.x_test)
        values |= {
            "train_mse": float(np.sum(residual**2)) / (2 * len(data.x)),
            "rel_test_error": norms.relative_test_error(predicted, data.y_test),
            "ring_error": _ring_error(predicted, data),
            "u3_min": float(predicted[:, 2].min()),
            "u3_max": float(predicted[:, 2].max()),
            **net_errors(net, data.problem, data.features),
        }
    figures = {name: finite(value) for name, value in values.items()}
    return {**figures, "tau": [finite(step) for step in net.tau.tolist()]}


def is_finite_on(net: Network, data: Data) -> bool:
    """Whether the net has a value at all at the training points: it may overflow untrained."""
    from nets.training.budget import objective_of

    return math.isfinite(objective_of(net, data.x, data.y)(net.pack())[0])


def _ring_error(predicted: Array, data: Data) -> float | None:
    """The relative error on the test points beyond the training radius; None if there are none."""
    ring = data.held_out
    return norms.relative_test_error(predicted[ring], data.y_test[ring]) if ring.any() else None


def predict(net: Network, x: Array) -> Array:
    """net(x) by the fast path: a third of the module's time. NaN where the net overflows."""
    from base.errors import UserError
    from nets.fast.kernel import predict as fast

    try:
        return fast(net, x).numpy().astype(np.float64)
    except UserError:
        net.as_batch(x, "x", net.widths[0])  # raises again if it was the input's fault
        return np.full((len(x), net.widths[-1]), np.nan)
