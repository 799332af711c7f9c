"""The gradient atlas: where gradients vanish and explode before training starts."""

from __future__ import annotations

from dataclasses import dataclass

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


PRESETS = {
    "quick": Config(),
    "paper": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0),
        policy_scales=(0.25, 0.5, 1.0, 2.0, 4.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=(1000,),
    ),
    "full": Config(
        depths=(2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200),
        scales=(0.125, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0),
        policy_scales=(0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        gammas=(0.25, 0.5, 0.75),
        seeds=tuple(range(1000, 1005)),
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
    return list(dict.fromkeys(found))


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
