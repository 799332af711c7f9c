"""A net on a task of Dupont et al., tuned on seeds of its own, then judged on others.

Rate and τ₀ are searched as in the τ study, by the geometric mean of the cross-entropy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from bench.cells import Result
from bench.cells._nets import Judged
from bench.core.plain_values import finite
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from bench.methods.open_questions.ode_tasks import Trained
    from bench.methods.tau_arms import Point


@dataclass(frozen=True, kw_only=True)
class Config(Judged):
    task: str = setting(help="crossing (points on the line) or annuli (a disc inside a ring).")
    net: str = inherited(NetOnData, "net")
    tau: str = inherited(NetOnData, "tau")
    gamma: float = inherited(NetOnData, "gamma")
    hidden: int = inherited(NetOnData, "hidden", default=10)
    extra: int = setting(0, min=0, help="Zeros appended to the input: an augmented net.")
    small_steps: bool = setting(False, help="Keep |tau| |W| < 1, so that layers can be inverted.")
    activation: str = setting("tanh", help="Activation.")
    count: int = setting(100, min=2, help="Training points; as many more for testing.")
    steps: int = setting(500, min=1, help="Steps of Adam.")
    rates: tuple[float, ...] = setting((0.03,), above=0, help="Candidate rates of Adam.")
    tau0s: tuple[str, ...] = setting(("1/H",), help="Candidates for tau0.")


ALONE = False
TIMED = ()
competitor = None  # classification, not a field


def needs_bytes(config: Config) -> int:
    return 400 * 2**20 + 64 * config.count * config.hidden**2


def run(config: Config) -> Result:
    from bench.measure.medians import median
    from bench.methods.tau_arms import search

    def loss(point: Point, seed: int) -> float:
        value = _trained(config, point, seed).loss
        return value if isfinite(value) else inf

    grid = {"rate": config.rates, "tau0": config.tau0s, "scale": (1.0,)}
    found = search(grid, loss, config.tuning_seeds)
    chosen = found.chosen
    ends = [_trained(config, chosen, seed) for seed in config.seeds]
    return Result(
        {
            "cross_entropy": median([end.loss for end in ends]),
            "accuracy": median([end.accuracy for end in ends]),
            "test_accuracy": median([end.test_accuracy for end in ends]),
            "chosen": {"rate": chosen.rate, "tau0": chosen.tau0},
            "tried": [
                {"rate": point.rate, "tau0": point.tau0, "cross_entropy": finite(value)}
                for point, value in found.explored.items()
            ],
            "runs": [
                {"seed": seed, **end.document()}
                for seed, end in zip(config.seeds, ends, strict=True)
            ],
        },
        ends[0].pictures,
    )


def _trained(config: Config, point: Point, seed: int) -> Trained:
    from bench.methods.open_questions import ode_tasks
    from nets.module import build

    assert point.rate is not None, "Adam has a rate"
    size = ode_tasks.dimension(config.task) + config.extra
    train, test = (
        ode_tasks.points(config.task, config.count, draw, config.extra)
        for draw in (2 * seed, 2 * seed + 1)
    )
    shape: dict[str, Any] = {"hidden": config.hidden, "width": size, "inputs": size, "outputs": 1}
    net = build(
        net=config.net, tau=config.tau, tau0=point.tau0, gamma=config.gamma, carry_input=True,
        activation=config.activation, seed=seed, **shape,
    )  # fmt: skip
    ode_tasks.prepare(net, config.task)
    return ode_tasks.trained(
        net, train, test, steps=config.steps, rate=point.rate, small=config.small_steps
    )
