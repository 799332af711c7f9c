"""The gradient atlas: where gradients vanish and explode before training starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.cells import Cell
from nets import architectures

YIELDS = (
    "label",
    "log10_growth",
    "log10_growth_predicted",
    "log10_spectral_norm",
    "theory_error",
)

NETS = ("feedforward", "resnet", "densenet", "fractional")


@dataclass(frozen=True)
class Config:
    """Every net at every depth and scale for τ = 1; the other policies at some scales.

    A policy is `tau:tau0`. At the start a learned τ is its starting value, so that `fixed:1/H`
    stands for `learned:1/H` as well. Policies that an architecture does not admit are left out.
    """

    nets: tuple[str, ...] = NETS
    depths: tuple[int, ...] = (2, 5, 10, 20, 50, 100)
    scales: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 4.0)
    policies: tuple[str, ...] = ("fixed:1/H", "fixed:1/sqrtH", "rezero:1")
    policy_scales: tuple[float, ...] = (1.0,)
    deepest: int = 200  # at scale 1, for every policy
    gammas: tuple[float, ...] = (0.5,)
    width: int = 20
    samples: int = 1000
    seeds: tuple[int, ...] = (0,)
    # What follows widens the atlas, in cells of kind `mean_field`; empty lists leave it out.
    activations: tuple[str, ...] = ()
    activation_depths: tuple[int, ...] = (10, 20, 50)
    activation_scales: tuple[float, ...] = (0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0)
    activation_width: int = 100
    inits: tuple[str, ...] = ()  # of the feedforward net, normalised or not, every activation
    init_scales: tuple[float, ...] = (0.7, 1.0, 1.4)
    widths: tuple[int, ...] = ()
    width_depth: int = 50
    width_scales: tuple[float, ...] = (0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0)
    wide_seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    decay_depths: tuple[int, ...] = (5, 10, 20, 50, 100, 200)  # a memory by itself: milliseconds
    decay_gammas: tuple[float, ...] = (0.25, 0.5, 0.75)


WIDENED: dict[str, Any] = {
    "activations": ("smoothrelu", "relu", "tanh", "gelu", "sine"),
    "inits": ("torch", "he", "xavier", "orthogonal"),
    "widths": (10, 30, 100, 300, 1000),
    "wide_seeds": tuple(range(1000, 1005)),
}

PRESETS = {
    "quick": Config(),
    "paper": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0),
        policy_scales=(0.25, 0.5, 1.0, 2.0, 4.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=(1000,),
        **WIDENED,
    ),
    "full": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0),
        policy_scales=(0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=tuple(range(1000, 1005)),
        **{**WIDENED, "wide_seeds": tuple(range(1000, 1010))},
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
    """Every activation, start and width, several seeds each; and memory that decays by itself."""
    plain = {"tau": "fixed", "tau0": "1", "init": "he", "hidden": config.width_depth}
    rows: list[dict[str, Any]] = [
        {**plain, "net": net, "activation": name, "hidden": depth, "scale": scale,
         "width": config.activation_width, "gamma": gamma}
        for net in config.nets
        for gamma in _gammas(config, net)
        for name in config.activations
        for depth in config.activation_depths
        for scale in config.activation_scales
    ]  # fmt: skip
    rows += [
        {**plain, "net": "feedforward", "activation": name, "init": init, "normalised": normalised,
         "scale": scale, "width": config.activation_width}
        for name in config.activations
        for init in config.inits
        for normalised in (False, True)
        for scale in config.init_scales
    ]  # fmt: skip
    rows += [
        {**plain, "net": net, "scale": scale, "width": width}
        for net in config.nets
        for width in config.widths
        for scale in config.width_scales
    ]
    seeded = [{**row, "seed": seed} for row in rows for seed in config.wide_seeds]
    decay = [
        {"gamma": gamma, "hidden": depth}
        for gamma in config.decay_gammas
        for depth in config.decay_depths
    ]
    kinds = [("mean_field", row) for row in seeded] + [("memory_decay", row) for row in decay]
    return [Cell(kind, row) for kind, row in kinds]


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
            "seed": seed,
            "data_seed": seed,
        },
    )
