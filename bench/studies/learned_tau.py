"""Is a learned τ worth it? Every arm tuned alike, judged on other seeds; and the rate varied.

Three sets of cells. *Tuned*: for each arm rate and τ₀ are searched alike on tuning seeds, then
judged. *Sweep*: τ fixed and learned at each rate of a
30-fold range, τ₀ tuned alike at every rate, to show where a verdict changes.
*Watched*: two trainings of the deepest net whose gradients are recorded layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.cells import Cell
from bench.methods.tau_arms import ARMS, admitted
from nets import optimizers

YIELDS = ("train_mse", "rel_test_error", "chosen", "at_the_edge", "lost")

SWEPT = ("fixed", "learned")
# From below the best rate of most arms to where many trainings fail; at 2e-3 τ fixed would start
# above 100/H.
THIRTYFOLD = (4e-3, 8e-3, 1.5e-2, 3e-2, 6e-2, 0.12)


@dataclass(frozen=True)
class Config:
    """Seeds are crossed with data sets; the tuning seeds never judge."""

    nets: tuple[str, ...] = ("resnet", "fractional")
    depths: tuple[int, ...] = (6, 20, 50)
    arms: tuple[str, ...] = ARMS
    optimizers: tuple[str, ...] = ("adam", "steepest", "ssbfgs")
    # A smaller rate and a larger τ₀ train hidden layers alike, so that good settings lie along a
    # line and ranges must be wide. The scale of the weights hardly matters below 1 (pilot: within
    # a factor of 2 from 0.03 to 0.5); it is searched where an arm has no τ₀ or no rate.
    rates: tuple[float, ...] = (
        1e-3, 2e-3, 4e-3, 8e-3, 1.5e-2, 3e-2, 6e-2, 0.12, 0.25, 0.5, 1.0, 2.0,
    )  # fmt: skip
    tau0s: tuple[str, ...] = (
        "0.001/H", "0.01/H", "0.03/H", "0.1/H", "0.3/H", "1/H", "3/H", "10/H", "30/H", "100/H",
        "1000/H",
    )  # fmt: skip
    scale: float = 0.25
    scales: tuple[float, ...] = (0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0)
    line_search_arms: tuple[str, ...] = ("fixed", "global", "learned")
    line_search_nets: tuple[str, ...] = ("resnet",)
    line_search_depths: tuple[int, ...] = (20,)
    line_search_width: int = 10  # dense BFGS keeps a matrix: 2200 unknowns at H = 20, not 8200
    sweep_rates: tuple[float, ...] = THIRTYFOLD
    sweep_nets: tuple[str, ...] = ("resnet",)
    sweep_depths: tuple[int, ...] = (50,)
    width: int = 20
    samples: int = 200
    # A tuned arm has some 230 trainings for tuning and 40 for judging; one of 250 evaluations takes
    # 0.2 s of a core at H = 6 and 1.8 s at H = 50 (Fractional-DNN).
    evaluations: int = 250
    tuning_seeds: tuple[int, ...] = tuple(range(12))
    seeds: tuple[int, ...] = tuple(range(1100, 1120))
    data_seeds: tuple[int, ...] = (1100, 1101)


PRESETS = {
    "quick": Config(
        nets=("resnet",),
        depths=(6,),
        optimizers=("adam",),
        rates=(1e-2, 3e-2, 9e-2),
        tau0s=("1/H",),
        scale=1.0,
        scales=(1.0,),
        sweep_rates=(4e-3, 2.2e-2, 0.12),
        sweep_depths=(6,),
        width=10,
        samples=100,
        evaluations=120,
        tuning_seeds=(0,),
        seeds=(1100, 1101),
        data_seeds=(1100,),
    ),
    "paper": Config(),
    "full": Config(
        line_search_arms=ARMS,
        line_search_nets=("resnet", "fractional"),
        line_search_depths=(6, 20, 50),
        sweep_nets=("resnet", "fractional"),
        sweep_depths=(6, 20, 50),
        samples=1000,
        evaluations=1000,
        seeds=tuple(range(1100, 1130)),
        data_seeds=(1100, 1101, 1102),
    ),
}


def cells(config: Config) -> list[Cell]:
    arms = [Cell("tau_arm", settings) for settings in (*tuned(config), *sweep(config))]
    return arms + [Cell("gradients_in_training", settings) for settings in watched(config)]


def tuned(config: Config) -> Iterator[dict[str, Any]]:
    """Every arm, tuned in the same way."""
    for optimizer in config.optimizers:
        line_search = optimizers.get(optimizer).LINE_SEARCH
        nets = config.line_search_nets if line_search else config.nets
        depths = config.line_search_depths if line_search else config.depths
        arms = config.line_search_arms if line_search else config.arms
        for net in nets:
            for hidden in depths:
                for arm in arms:
                    if arm in config.arms and admitted(arm, net):
                        grid = _grid(config, arm, line_search=line_search)
                        mode = {"net": net, "hidden": hidden, "arm": arm, "optimizer": optimizer}
                        yield {**_shared(config, line_search), **mode, **grid}


def sweep(config: Config) -> Iterator[dict[str, Any]]:
    """τ fixed and learned, at each rate."""
    for net in config.sweep_nets:
        for hidden in config.sweep_depths:
            for rate in config.sweep_rates:
                for arm in SWEPT:
                    if "adam" in config.optimizers and arm in config.arms:
                        grid = {"tau0s": config.tau0s, "scales": (config.scale,), "rates": (rate,)}
                        mode = {"net": net, "hidden": hidden, "arm": arm, "optimizer": "adam"}
                        yield {**_shared(config, False), **mode, **grid}


def watched(config: Config) -> Iterator[dict[str, Any]]:
    """τ fixed and learned from 1/H, one seed, for the figures of gradients along training."""
    for net in config.nets if "adam" in config.optimizers else ():
        for arm in SWEPT:
            yield {
                "net": net,
                "hidden": max(config.depths),
                "tau": arm,
                "tau0": "1/H",
                "rate": config.rates[0],
                **{name: getattr(config, name) for name in ("width", "samples", "evaluations")},
                "seed": config.seeds[0],
                "data_seed": config.data_seeds[0],
            }


def _grid(config: Config, arm: str, *, line_search: bool) -> dict[str, Any]:
    """The candidates of two settings: ReZero has no τ₀ and a line search no rate."""
    without = line_search or arm == "rezero"
    return {
        "rates": () if line_search else config.rates,
        "tau0s": ("1",) if arm == "rezero" else config.tau0s,
        "scales": config.scales if without else (config.scale,),
    }


def _shared(config: Config, line_search: bool) -> dict[str, Any]:
    names = ("samples", "evaluations", "tuning_seeds", "seeds", "data_seeds")
    width = config.line_search_width if line_search else config.width
    return {"width": width, **{name: getattr(config, name) for name in names}}
