"""The paper's eight nets in small under one choice that the paper leaves open, for one seed.

ResNet and Fractional-DNN, τ fixed and learned, two depths: everything that the comparisons of its
Section 7 need, from one start and one data set. With `carry_input` the input is padded with zeros
to the width and P(0→ℓ) is the identity, the other reading of its projections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.cells import Result
from bench.core.plain_values import finite
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from bench.problems import Array
    from nets.module import Network

NETS, TAUS = ("resnet", "fractional"), ("fixed", "learned")


@dataclass(frozen=True, kw_only=True)
class Config:
    gamma: float = inherited(NetOnData, "gamma")
    lambda2: float = setting(0.0, min=0, help="Weight of the penalty on tau.")
    tau0: str = inherited(NetOnData, "tau0")
    init: str = inherited(NetOnData, "init")
    scale: float = inherited(NetOnData, "scale")
    optimizer: str = setting("steepest", help="An optimiser of `femnets list`.")
    carry_input: bool = setting(False, help="P from the input: padded with zeros instead of 0.")
    problem: str = inherited(NetOnData, "problem")
    samples: int = inherited(NetOnData, "samples", default=500)
    depths: tuple[int, ...] = setting((2, 6), min=1, help="Hidden layers of the two nets.")
    width: int = inherited(NetOnData, "width")
    steps: int = setting(500, min=1, help="Steps of the optimiser.")
    seed: int = inherited(NetOnData, "seed")
    data_seed: int = inherited(NetOnData, "data_seed")


ALONE = False
TIMED = ()
competitor = None  # small nets on few samples: it asks what changes, not who wins
FEATURES = ("x", "f", "phi")


def needs_bytes(config: Config) -> int:
    return 700 * 2**20


def run(config: Config) -> Result:
    """By `net-τ-depth`: errors in training, on the cube, outside the cylinder; τ; rises of J."""
    return Result(
        {
            f"{net}-{tau}-{depth}": _trained(config, net, tau, depth)
            for net in NETS
            for tau in TAUS
            for depth in config.depths
        }
    )


def _trained(config: Config, net_name: str, tau: str, depth: int) -> dict[str, Any]:
    import numpy as np

    from bench import problems
    from nets.loss import Loss
    from nets.module import build
    from nets.training.loop import train

    problem = problems.get(config.problem)
    points = problem.sample_cylinder(config.samples, config.data_seed)
    x, y = _padded(config, problem.inputs(points, FEATURES)), problem.targets(points)
    net = build(
        net=net_name, tau=tau, tau0=config.tau0, hidden=depth, width=config.width,
        inputs=x.shape[1], gamma=config.gamma, init=config.init, scale=config.scale,
        carry_input=config.carry_input, seed=config.seed,
    )  # fmt: skip
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


def _padded(config: Config, x: Array) -> Array:
    import numpy as np

    missing = config.width - x.shape[1] if config.carry_input else 0
    return np.pad(x, ((0, 0), (0, missing)))


def _errors(config: Config, net: Network) -> dict[str, float | None]:
    """On the whole domain of the problem, and on its part outside the training data."""
    from bench import problems
    from bench.measure import norms as ruler
    from nets.fast.kernel import predict

    table = ruler.tabulated_domain(problems.get(config.problem), FEATURES)
    values = predict(net, _padded(config, table.inputs)).double().numpy()
    found = {"l2_error": table.l2_error(values)}
    if "outside" in table.parts:
        found["l2_error_outside"] = table.l2_error(values, "outside")
    return {name: finite(error) for name, error in found.items()}
