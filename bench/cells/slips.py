"""The paper's formulas as printed and as corrected, each against an independent computation."""

from __future__ import annotations

from typing import Any

from bench.cells import Result

DEFAULTS = {"seed": 0}
DEPENDS = ("nets",)
TIMING = False


def needs_bytes(config: dict[str, Any]) -> int:
    return 600 * 2**20


def run(config: dict[str, Any]) -> Result:
    """By function of `nets.theory.slips`: the relative error as printed, and corrected."""
    from dataclasses import asdict

    from nets.theory.slips import SLIPS

    return Result({measure.__name__: asdict(measure(config["seed"])) for measure in SLIPS})
