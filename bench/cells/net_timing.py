"""Seconds of one loss and gradient of a net, and of one prediction, alone on the machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.cells import Result

DEFAULTS = {
    "problem": "maxwell",
    "net": ...,
    "hidden": ...,
    "width": 50,
    "samples": 12_000,
    "precision": "float64",
    "threads": 1,
    "repeats": 20,
}
DEPENDS = ("nets", "bench.measure.timing", "bench.problems")
TIMING = True


def needs_bytes(config: Mapping[str, Any]) -> int:
    return 700 * 2**20 + 200 * config["samples"] * config["width"]


def run(config: Mapping[str, Any]) -> Result:
    from bench import problems
    from bench.measure.timing import timed
    from nets import build
    from nets.fast.kernel import FastObjective, predict

    problem = problems.get(config["problem"])
    points = problem.sample_cylinder(config["samples"], 0)
    x, y = problem.inputs(points), problem.targets(points)
    size = {"hidden": config["hidden"], "width": config["width"]}
    net = build(net=config["net"], tau="learned", inputs=x.shape[1], outputs=3, seed=0, **size)
    objective = FastObjective(net, x, y, dtype=config["precision"])
    theta = net.pack()
    step = timed(lambda: objective(theta), config["repeats"])
    prediction = timed(lambda: predict(net, x), config["repeats"])
    per_point = prediction.values()["seconds"] / len(x)
    return Result(
        {**step.values(), "parameters": theta.size, "seconds_per_point": per_point},
        {"seconds": step.seconds, "prediction_seconds": prediction.seconds},
    )
