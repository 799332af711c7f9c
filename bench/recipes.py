"""Named settings of `femnets train`, each with where its numbers come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bench.errors import UserError, nearest


@dataclass(frozen=True)
class Recipe:
    """Settings that a name stands for; any of them can be overridden on the command line."""

    summary: str
    settings: dict[str, Any] = field(default_factory=dict)


RECIPES: dict[str, Recipe] = {
    "paper": Recipe(
        "The paper's 5-10 ResNet with learned time steps and bias ordering, steepest descent",
        {
            "net": "resnet",
            "tau": "learned",
            "tau0": "1/H",
            "hidden": 5,
            "width": 10,
            "bias_ordering": True,
            "optimizer": "steepest",
            "steps": 1000,
        },
    ),
    "record": Recipe(
        "The smallest error on the cube: smoothReLU made quadratic on the data by a large eta, and "
        "self-scaled BFGS on 1000 of the samples",
        {
            "net": "resnet",
            "tau": "learned",
            "hidden": 2,
            "width": 20,
            "eta": 4.0,
            "samples": 1000,
            "optimizer": "ssbfgs",
            "evaluations": 30_000.0,
        },
    ),
}


def get(name: str) -> Recipe:
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, list(RECIPES))}")
    return RECIPES[name]
