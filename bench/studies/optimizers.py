"""The race of the optimisers on a 2-50 ResNet with learned τ, each at its own best settings.

Each file of `nets.optimizers` declares its settings for this study: those with the lowest held-out
error inside the cylinder among three of each, at the same budget and on other seeds. All stop at
the same number of evaluations (line search included); equal time is read off the recorded curves.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired
from nets import optimizers

YIELDS = ("rel_test_error", "l2_error", "l2_error_inside", "evaluations", "seconds", "steps")

# Without those that need a Jacobian: 36 000 residuals by 3102 parameters, about 20 s for each.
# They are compared where nets are given an equation, in the study `solve`.
RACERS = tuple(name for name in optimizers.names() if not optimizers.needs_residuals(name))


@dataclass(frozen=True)
class Config:
    optimizers: tuple[str, ...] = RACERS
    hidden: int = 2
    width: int = 50
    evaluations: float = 1000.0
    # The optimisers differ by a factor of ten, seeds by two: three seeds are enough for an order.
    seeds: tuple[int, ...] = (1100, 1101, 1102)


PRESETS = {
    "quick": Config(evaluations=200.0, seeds=(0,)),
    "paper": Config(),
    "full": Config(evaluations=5000.0, seeds=tuple(range(1100, 1120))),
}


def cells(config: Config) -> list[Cell]:
    return [
        Cell(
            "net",
            {
                "optimizer": optimizer,
                **optimizers.get(optimizer).TUNED,
                **{name: getattr(config, name) for name in ("hidden", "width", "evaluations")},
                **paired(seed),
            },
        )
        for optimizer in config.optimizers
        for seed in config.seeds
    ]
