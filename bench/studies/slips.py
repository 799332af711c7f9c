"""The paper's formulas and our theorems compared with independent computations, on random nets."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell

YIELDS = ("fractional_index", "fractional_tau_column", "gronwall", "otd_drift")


@dataclass(frozen=True)
class Config:
    seeds: tuple[int, ...] = tuple(range(1100, 1106))


PRESETS = {
    "quick": Config(),
    "paper": Config(seeds=tuple(range(1100, 1112))),
    "full": Config(seeds=tuple(range(1100, 1150))),
}


def cells(config: Config) -> list[Cell]:
    return [Cell("slips", {"seed": seed}) for seed in config.seeds]
