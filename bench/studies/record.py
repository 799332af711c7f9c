"""The record: how small an error on the cube a net of the paper's family can reach.

The recipe (`femnets train --recipe record`) was chosen without data outside the cylinder, and
is then compared with itself on another field and on fewer inputs. The studies `baselines` and
`convergence` (least squares, the p-version) belong to it: on `maxwell` they are strong.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired
from bench.methods import recipes
from bench.studies import _every as every

YIELDS = ("rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside", "seconds", "tau")


@dataclass(frozen=True)
class Config:
    # No claim depends on it, and ten seeds lay within a factor of 20: three seeds are enough.
    seeds: tuple[int, ...] = (1100, 1101, 1102)
    problems: tuple[str, ...] = ("maxwell", "helix")
    features: tuple[str, ...] = ("x,f,phi", "x,phi", "x")
    ablated: tuple[str, ...] = ("maxwell",)  # problems given all `features`, not only the first
    evaluations: float = recipes.get("record").settings["evaluations"]


PRESETS = {
    "quick": Config(seeds=(0,), problems=("maxwell",), features=("x,f,phi",), evaluations=5000.0),
    "paper": Config(),
    "full": Config(seeds=tuple(range(1100, 1120)), problems=every.fields()),
}


def cells(config: Config) -> list[Cell]:
    recipe = {**recipes.get("record").settings, "evaluations": config.evaluations}
    return [
        Cell("net", {**recipe, **paired(seed), "problem": problem, "features": features})
        for problem in config.problems
        for features in (config.features if problem in config.ablated else config.features[:1])
        for seed in config.seeds
    ]
