"""Learning-rate schedules: a function each, and the table by which `--schedule` finds it.

A schedule maps the progress in [0, 1] through the steps of its horizon to a factor on the rate. To
add one, write the function and its line in `SCHEDULES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from base.errors import UserError

Schedule = Callable[[float], float]


def constant(progress: float) -> float:
    """The same rate in every step."""
    return 1.0


def cosine(progress: float) -> float:
    """Half a period of a cosine, from 1 to 0 (Loshchilov and Hutter 2017)."""
    return 0.5 * (1 + math.cos(math.pi * progress))


def exponential(progress: float) -> float:
    """Down to a thousandth, by the same factor in every step."""
    return 1e-3**progress


SCHEDULES: dict[str, Schedule] = {
    "constant": constant,
    "cosine": cosine,
    "exponential": exponential,
}


def factor(name: str, horizon: int) -> Callable[[int], float]:
    """Return the factor on the rate by step; it falls over `horizon` steps and stays there."""
    if name not in SCHEDULES:
        raise UserError(f"no schedule {name!r}; known: {', '.join(SCHEDULES)}")
    if name != "constant" and horizon <= 0:
        raise UserError(f"schedule {name!r} needs to know the number of steps: set horizon")
    schedule = SCHEDULES[name]
    return lambda step: schedule(min(step / horizon, 1.0) if horizon else 0.0)
