"""The gradient atlas: where gradients vanish and explode before training starts.

In `paper` and `full` also: every activation and width with mean field. There one cell
computes all scales and seeds of one kind of net: a net takes milliseconds, a cell seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.cells import Cell, paired
from bench.studies import _every as every
from nets import architectures

YIELDS = (
    "label",
    "log10_growth",
    "log10_growth_predicted",
    "log10_spectral_norm",
    "theory_error",
)


@dataclass(frozen=True)
class Config:
    """Every net at every depth and scale for τ = 1; the other policies at some scales.

    A policy is `tau:tau0`. Before training a learned τ has its starting value, so that
    `fixed:1/H` also covers `learned:1/H`. Policies that a net does not admit are left out.
    """

    nets: tuple[str, ...] = every.nets()
    depths: tuple[int, ...] = (2, 5, 10, 20, 50, 100)
    scales: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    policies: tuple[str, ...] = ("fixed:1/H", "fixed:1/sqrtH", "rezero:1")
    policy_scales: tuple[float, ...] = (1.0,)
    deepest: int = 200  # at scale 1, for every policy
    gammas: tuple[float, ...] = (0.5,)
    width: int = 20
    samples: int = 1000
    seeds: tuple[int, ...] = (0,)
    # What follows widens the atlas; empty lists leave it out.
    activations: tuple[str, ...] = ()
    activation_depths: tuple[int, ...] = (5, 10, 20, 35, 50)
    activation_scales: tuple[float, ...] = (
        0.25, 0.35, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 2.8, 4.0,
    )  # fmt: skip
    activation_width: int = 100
    widths: tuple[int, ...] = ()
    width_depth: int = 50
    width_scales: tuple[float, ...] = (0.2, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0)
    single_from: int = 1000  # from this width on in float32: half the time, 1e-5 off
    wide_seeds: tuple[int, ...] = (0, 1, 2, 3, 4)


EVERY_ACTIVATION = ("smoothrelu", "relu", "tanh", "gelu", "sine")
WIDENED: dict[str, Any] = {
    "activations": EVERY_ACTIVATION,
    "widths": (10, 30, 100, 300, 1000),
    "wide_seeds": tuple(range(1100, 1105)),
}

PRESETS = {
    "quick": Config(),
    "paper": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0),
        policy_scales=(0.5, 1.0, 2.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=(1100,),
        **WIDENED,
    ),
    "full": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0),
        policy_scales=(0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=tuple(range(1100, 1105)),
        **{**WIDENED, "wide_seeds": tuple(range(1100, 1110))},
    ),
}


def cells(config: Config) -> list[Cell]:
    found = [
        _cell(config, net, "fixed:1", depth, scale, gamma, seed)
        for net in config.nets
        for gamma in _gammas(config, net)
        for seed in config.seeds
        for scale in config.scales
        for depth in config.depths
    ]
    found += [
        _cell(config, net, policy, depth, scale, gamma, seed)
        for net in config.nets
        for gamma in _gammas(config, net)
        for seed in config.seeds
        for policy in ("fixed:1", *config.policies)
        if policy.partition(":")[0] in architectures.tau_policies(net)
        for scale in config.policy_scales
        for depth in (*config.depths, config.deepest)
    ]
    return list(dict.fromkeys([*found, *_widened(config)]))


def _widened(config: Config) -> list[Cell]:
    """Every activation and width."""
    lines = [*_by_activation(config), *_by_width(config)]
    return [Cell("mean_field", {**line, "seeds": config.wide_seeds}) for line in lines]


def _by_activation(config: Config) -> Iterator[dict[str, Any]]:
    """Depth × scale of every architecture."""
    for net in config.nets:
        for gamma in _gammas(config, net):
            for name in config.activations:
                for depth in config.activation_depths:
                    line = {"net": net, "gamma": gamma, "activation": name, "hidden": depth}
                    line["width"] = config.activation_width
                    yield {**line, "scales": config.activation_scales}


def _by_width(config: Config) -> Iterator[dict[str, Any]]:
    for net in config.nets:
        for width in config.widths:
            dtype = "float32" if width >= config.single_from else "float64"
            line = {"net": net, "width": width, "hidden": config.width_depth, "dtype": dtype}
            yield {**line, "scales": config.width_scales}


def _gammas(config: Config, net: str) -> tuple[float, ...]:
    """Several orders only where the architecture has one."""
    return config.gammas if architectures.get(net).HAS_ORDER else (0.5,)


def _cell(
    config: Config, net: str, policy: str, depth: int, scale: float, gamma: float, seed: int
) -> Cell:
    tau, _, tau0 = policy.partition(":")
    return Cell(
        "gradients_at_init",
        {
            "net": net,
            "tau": tau,
            "tau0": tau0,
            "hidden": depth,
            "scale": scale,
            "gamma": gamma,
            "width": config.width,
            "samples": config.samples,
            **paired(seed),
        },
    )
