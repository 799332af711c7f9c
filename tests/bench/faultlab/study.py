"""So many cells, of which some may misbehave."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import Cell

YIELDS = ("i", "mean")


@dataclass(frozen=True)
class Config:
    cells: int = 8
    seconds: float = 0.0
    floats: int = 20
    mischief: tuple[str, ...] = ()  # of the cells 2, 3, …


PRESETS = {"quick": Config(), "paper": Config(cells=16), "full": Config(cells=32)}


def cells(config: Config) -> list[Cell]:
    common = {"seconds": config.seconds, "floats": config.floats}
    return [
        Cell(
            "faultlab.cell",
            {"i": i, "mischief": dict(enumerate(config.mischief, 2)).get(i, ""), **common},
        )
        for i in range(config.cells)
    ]
