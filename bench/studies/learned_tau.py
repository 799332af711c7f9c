"""Learned against fixed τ in deep nets: does learning τ cure what a fixed τ suffers?"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired
from nets import architectures, optimizers

YIELDS = ("train_mse", "rel_test_error", "label_start", "label_end", "log10_weight_ratio_end")

# Where τ starts and whether it is learned: `tau:tau0`. The fixed c/H are what "1/H, tuned as
# carefully" means: the claim picks c on one half of the seeds and is judged on the other.
TUNED = ("fixed:0.5/H", "fixed:2/H", "fixed:4/H", "fixed:8/H")
ARMS = (
    "fixed:1/H",
    "learned:1/H",
    "fixed:1/sqrtH",
    "learned:1/sqrtH",
    "fixed:1",
    "learned:1",
    "global:1/H",
    "rezero:1",
)


@dataclass(frozen=True)
class Config:
    """Arms share initial weights and data for each seed; all get the same number of evaluations."""

    nets: tuple[str, ...] = ("resnet",)
    depths: tuple[int, ...] = (50,)
    arms: tuple[str, ...] = ("fixed:1/H", "learned:1/H")
    optimizers: tuple[str, ...] = ("adam",)
    rates: tuple[float, ...] = (1e-3,)
    width: int = 20
    samples: int = 200
    evaluations: int = 500
    seeds: tuple[int, ...] = tuple(range(10))


PRESETS = {
    "quick": Config(),
    "paper": Config(
        arms=(*ARMS, *TUNED), depths=(10, 50), optimizers=("adam", "steepest"), samples=400
    ),
    "full": Config(
        nets=("resnet", "fractional"),
        arms=(*ARMS, *TUNED),
        depths=(10, 50, 100),
        optimizers=("adam", "steepest"),
        samples=1000,
    ),
}


def cells(config: Config) -> list[Cell]:
    """One training per arm and seed; `rates` are for optimisers without a line search."""
    shared = {name: getattr(config, name) for name in ("width", "samples", "evaluations")}
    return [
        Cell(
            "gradients_in_training",
            {
                **shared,
                **paired(seed),
                **dict(zip(("tau", "tau0"), arm.split(":"), strict=True)),
                "net": net,
                "hidden": depth,
                "optimizer": optimizer,
                "rate": rate,
            },
        )
        for net in config.nets
        for depth in config.depths
        for arm in config.arms
        if arm.partition(":")[0] in architectures.tau_policies(net)
        for optimizer in config.optimizers
        for rate in (config.rates[:1] if optimizers.get(optimizer).LINE_SEARCH else config.rates)
        for seed in config.seeds
    ]
