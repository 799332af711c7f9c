"""Time of one loss and gradient of a net, and of one prediction, alone on the machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from bench.cells import MACHINE, Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    problem: str = setting("maxwell", help="The field to learn.")
    net: str = setting(help="The architecture.")
    hidden: int = setting(min=1, help="Hidden layers.")
    width: int = setting(50, min=1, help="Width of the hidden layers.")
    samples: int = setting(12_000, min=1, help="Rows of the data.")
    precision: str = setting("float64", help="Precision of evaluation: float64 or float32.")
    threads: int = setting(1, min=1, help="Threads of the matrix products.")
    repeats: int = setting(20, min=1, help="Evaluations timed after the warm-up.")


ALONE = True
TIMED = MACHINE
competitor = None  # it measures time, not errors


def needs_bytes(config: Config) -> int:
    return 700 * 2**20 + 200 * config.samples * config.width


def run(config: Config) -> Result:
    from bench import problems
    from bench.measure.timing import timed
    from nets.fast.kernel import FastObjective, predict
    from nets.module import build

    problem = problems.get(config.problem)
    points = problem.domain.sample_training(config.samples, 0)
    x, y = problem.inputs(points), problem.targets(points)
    size: dict[str, Any] = {"hidden": config.hidden, "width": config.width}
    net = build(net=config.net, tau="learned", inputs=x.shape[1], outputs=3, seed=0, **size)
    objective = FastObjective(net, x, y, dtype=config.precision)
    theta = net.pack()
    step = timed(lambda: objective(theta), config.repeats)
    predictions = {
        name: timed(partial(predict, net, x, dtype=name), config.repeats)
        for name in ("float64", "float32")
    }
    per_point = {name: found.values()["seconds"] / len(x) for name, found in predictions.items()}
    return Result(
        {
            **step.values(),
            "parameters": theta.size,
            "seconds_per_point": per_point["float64"],
            "seconds_per_point_by": per_point,
        },
        {"seconds": step.seconds, "prediction_seconds": predictions["float64"].seconds},
    )
