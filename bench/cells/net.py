"""One trained net: its errors by the one ruler, its history, its portrait for the figures.

A cell stops by steps or evaluations, never by seconds, so that its result repeats; the error at a
given time is read off the recorded curve.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from bench.cells import Result
from bench.training import TrainConfig

DEFAULTS = {field.name: field.default for field in fields(TrainConfig) if field.name != "seconds"}
DEPENDS = (
    "nets", "bench.training", "bench.portrait", "bench.problems", "bench.measure.ruler",
    "bench.measure.queries", "fem",
)  # fmt: skip
TIMING = False

PAPER_MESHES = range(1, 11)


def needs_bytes(config: dict[str, Any]) -> int:
    """Torch itself, the states of a chunk, and the dense quasi-Newton matrix where there is one."""
    parameters = config["width"] ** 2 * config["hidden"]
    dense = 8 * parameters**2 if config["optimizer"] in ("ssbfgs", "auto") else 0
    return 700 * 2**20 + min(dense, 2 * 2**30) + 2**20 * config["hidden"]


def run(config: dict[str, Any]) -> Result:
    from bench.errors import UserError
    from bench.portrait import portrait
    from bench.training import train_net
    from nets.storage import to_bytes

    if config["steps"] is None and config["evaluations"] is None:
        raise UserError("a net cell needs steps or evaluations: seconds would not repeat")
    trained = train_net(config)
    values, arrays = portrait(trained, PAPER_MESHES)
    return Result(
        {**trained.values, **values},
        {**trained.arrays, **arrays},
        {"net": to_bytes(trained.net)},
        diverged=trained.values["diverged"],
    )
