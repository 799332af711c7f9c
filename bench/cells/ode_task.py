"""A net on a task of Dupont et al., tuned on seeds of its own, then judged on others.

Rate and τ₀ are those of the smallest median cross-entropy over the tuning seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from bench.cells import Result
from bench.cells._nets import Judged
from bench.core.settings import inherited, setting
from bench.methods.configurations import NetOnData

if TYPE_CHECKING:
    from bench.methods.open_questions.ode_tasks import Trained


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

    points = list(product(config.rates, config.tau0s))
    tried = [
        median([_trained(config, *point, seed).loss for seed in config.tuning_seeds])
        for point in points
    ]
    rate, tau0 = points[min(range(len(tried)), key=tried.__getitem__)]
    ends = [_trained(config, rate, tau0, seed) for seed in config.seeds]
    return Result(
        {
            "cross_entropy": median([end.loss for end in ends]),
            "accuracy": median([end.accuracy for end in ends]),
            "test_accuracy": median([end.test_accuracy for end in ends]),
            "chosen": {"rate": rate, "tau0": tau0},
            "tried": [
                {"rate": r, "tau0": t, "cross_entropy": loss}
                for (r, t), loss in zip(points, tried, strict=True)
            ],
            "runs": [
                {"seed": seed, **end.document()}
                for seed, end in zip(config.seeds, ends, strict=True)
            ],
        },
        ends[0].pictures,
    )


def _trained(config: Config, rate: float, tau0: str, seed: int) -> Trained:
    from bench.methods.open_questions import ode_tasks
    from nets.module import build

    size = ode_tasks.dimension(config.task) + config.extra
    train, test = (
        ode_tasks.points(config.task, config.count, draw, config.extra)
        for draw in (2 * seed, 2 * seed + 1)
    )
    shape: dict[str, Any] = {"hidden": config.hidden, "width": size, "inputs": size, "outputs": 1}
    net = build(
        net=config.net, tau=config.tau, tau0=tau0, gamma=config.gamma, carry_input=True,
        activation=config.activation, seed=seed, **shape,
    )  # fmt: skip
    ode_tasks.prepare(net, config.task)
    return ode_tasks.trained(
        net, train, test, steps=config.steps, rate=rate, small=config.small_steps
    )
