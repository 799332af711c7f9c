"""A net as the initial guess of a solver: iterations and seconds saved, and from which mesh on not.

The paper suggests it and does not try it. Conjugate gradients start from zero, from the solution on
the mesh with half as many cells per side, and from a net trained on samples.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell, paired

YIELDS = ("net_hcurl_error", "predicted_n", "measured_n", "repaid_against_zero")


@dataclass(frozen=True)
class Config:
    problems: tuple[str, ...] = ("maxwell", "helix")
    steps: tuple[int, ...] = (100, 1000)
    n: tuple[int, ...] = (8, 16, 32, 64)
    # A cell with n = 128 takes more than a minute of the whole machine: one seed.
    n_large: tuple[int, ...] = (8, 16, 32, 64, 128)
    large_seeds: tuple[int, ...] = (1100,)
    n_second_order: tuple[int, ...] = (2, 4, 8, 16)
    n_boundary_value: tuple[int, ...] = (4, 8, 16, 32, 64)
    seeds: tuple[int, ...] = tuple(range(1100, 1112))


PRESETS = {
    "quick": Config(
        problems=("maxwell",),
        steps=(100,),
        n=(8, 16),
        large_seeds=(),
        n_second_order=(2, 4),
        n_boundary_value=(4, 8),
        seeds=(0,),
    ),
    "paper": Config(),
    "full": Config(steps=(100, 300, 1000, 3000)),
}


def cells(config: Config) -> list[Cell]:
    """Best approximations by N₀ with every net, the rest with those that were trained longest."""
    all_steps, longest = config.steps, config.steps[-1:]
    second_order = {"element": "N1", "n": config.n_second_order}
    boundary_value = {"element": "N0", "n": config.n_boundary_value, "boundary_value": True}
    ladders = (
        ({"element": "N0", "n": config.n}, all_steps, config.seeds),
        ({"element": "N0", "n": config.n_large}, all_steps, config.large_seeds),
        (second_order, longest, config.seeds),
        (boundary_value, longest, config.seeds),
    )
    return [
        Cell("initial_guess", {"problem": problem, "steps": steps, **ladder, **paired(seed)})
        for problem in config.problems
        for ladder, trainings, seeds in ladders
        for steps in trainings
        for seed in seeds
    ]
