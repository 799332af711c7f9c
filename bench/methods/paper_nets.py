"""Small versions of the paper's nets, under choices that the paper leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.core.plain_values import finite
from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from bench.problems import Array
    from nets.module import Network

FEATURES = ("x", "f", "phi")


@dataclass(frozen=True, kw_only=True)
class PaperNet(NetOnData):
    """A net with the training settings that the paper does not state."""

    lambda2: float
    optimizer: str
    carry_input: bool  # the input padded with zeros to the width, so that P(0→ℓ) is the identity
    steps: int


def trained(config: PaperNet) -> dict[str, Any]:
    """Errors in training, on the domain, outside the training part; τ; rises of J and the MSE."""
    import numpy as np

    from bench import problems
    from nets.loss import Loss
    from nets.module import build
    from nets.training.loop import train

    problem = problems.get(config.problem)
    points = problem.sample_cylinder(config.samples, config.data_seed)
    x, y = padded(config, problem.inputs(points, FEATURES)), problem.targets(points)
    names = ("net", "tau", "tau0", "hidden", "width", "gamma", "init", "scale", "carry_input")
    chosen = {name: getattr(config, name) for name in names}
    net = build(**chosen, inputs=x.shape[1], seed=config.seed)
    training = train(
        net, x, y, loss=Loss(lambda2=config.lambda2), optimizer=config.optimizer, steps=config.steps
    )
    history = training.history
    lost = training.diverged
    return {
        "train_mse": None if lost else finite(float(history["mse"][np.argmin(history["J"])])),
        **({"l2_error": None, "l2_error_outside": None} if lost else _errors(config, net)),
        "tau": [finite(step) for step in net.tau.tolist()],
        "loss_rises": int((np.diff(history["J"]) > 0).sum()),
        "mse_rises": int((np.diff(history["mse"]) > 0).sum()),
    }


def padded(config: PaperNet, x: Array) -> Array:
    """The inputs, with zeros up to the width where the input is carried."""
    import numpy as np

    missing = config.width - x.shape[1] if config.carry_input else 0
    return np.pad(x, ((0, 0), (0, missing)))


def _errors(config: PaperNet, net: Network) -> dict[str, float | None]:
    """On the whole domain of the problem, and on its part outside the training data."""
    from bench import problems
    from bench.measure.norms import tabulated_domain
    from nets.fast.kernel import predict

    table = tabulated_domain(problems.get(config.problem), FEATURES)
    values = predict(net, padded(config, table.inputs)).double().numpy()
    errors = {"l2_error": table.l2_error(values)}
    if "outside" in table.parts:
        errors["l2_error_outside"] = table.l2_error(values, "outside")
    return {name: finite(error) for name, error in errors.items()}
