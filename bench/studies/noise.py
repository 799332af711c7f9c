"""Noise in the samples, and known properties in the loss: errors inside and outside the cylinder.

The paper calls its map noise-robust and does not test it; it mentions that properties such as
div u = 0 could enter the loss. First nets, polynomials, kernels and elements are fitted to the
same noisy samples; then one net is fitted with more and more knowledge of the field.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired

YIELDS = ("l2_error_inside", "l2_error_outside", "l2_error", "seconds")
DENSE = ("kernel_ridge",)  # a dense matrix of all samples


@dataclass(frozen=True)
class Config:
    methods: tuple[str, ...] = (
        "paper net", "strong net", "legendre", "cubic", "kernel_ridge", "N1",
    )  # fmt: skip
    problems: tuple[str, ...] = ("maxwell", "helix")
    samples: tuple[int, ...] = (100, 1000, 10_000, 100_000)
    noise: tuple[float, ...] = (0.0, 1e-3, 1e-2, 1e-1)
    evaluations: int = 500
    most_for_nets: int = 10_000
    most_for_kernels: int = 10_000
    draws: tuple[int, ...] = (1100, 1101, 1102)
    net_draws: tuple[int, ...] = tuple(range(1100, 1112))
    known: tuple[str, ...] = ("none", "divergence", "third", "equation", "potential")
    known_noise: tuple[float, ...] = (0.0, 1e-2)
    steps: int = 300
    seeds: tuple[int, ...] = tuple(range(1100, 1112))


PRESETS = {
    "quick": Config(
        methods=("strong net", "legendre", "kernel_ridge"),
        problems=("maxwell",),
        samples=(100, 1000),
        noise=(0.0, 1e-2),
        evaluations=200,
        draws=(0,),
        net_draws=(0,),
        known=("none", "divergence", "equation"),
        known_noise=(0.0,),
        steps=60,
        seeds=(0,),
    ),
    "paper": Config(),
    "full": Config(draws=tuple(range(1100, 1112)), steps=1000),
}


def cells(config: Config) -> list[Cell]:
    noisy = [
        Cell(
            "noisy_fit",
            {
                "method": method, "problem": problem, "samples": count, "noise": level,
                "features": "x,f,phi" if method == "paper net" else "x",
                "evaluations": config.evaluations, **paired(seed),
            },
        )
        for method in config.methods
        for problem in config.problems
        for count in config.samples
        if count <= _most(config, method)
        for level in config.noise
        for seed in _draws(config, method)
    ]  # fmt: skip
    return noisy + [
        Cell(
            "known_properties",
            {"known": known, "noise": level, "steps": config.steps, **paired(seed)},
        )
        for known in config.known
        for level in config.known_noise
        for seed in config.seeds
    ]


def _most(config: Config, method: str) -> int:
    if method in DENSE:
        return config.most_for_kernels
    return config.most_for_nets if _trained(method) else max(config.samples)


def _draws(config: Config, method: str) -> tuple[int, ...]:
    """Of the samples; a net starts from the draw's seed too."""
    return config.net_draws if _trained(method) else config.draws


def _trained(method: str) -> bool:
    return method.endswith("net")
