"""Learned τ as a time grid: correlation with local errors, and the grid in deeper nets."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.facts import Fact
from bench.store.results import Results

NUMBERS = {
    "correlation": "rank correlation of |τ| with local errors",
    **dict.fromkeys(("transferred", "uniform", "reversed"), "train_mse"),
}


def facts(results: Results) -> Iterator[Fact]:
    """`NET-LAYERS-correlation`, `-transferred`, `-uniform`, `-reversed`: medians over seeds."""
    for record in results.select("time_grid"):
        config, values = record.config, record.values
        for suffix, unit in NUMBERS.items():
            if values[suffix] is not None:
                yield Fact(
                    name=f"{config['net']}-{config['hidden']}-{suffix}", value=values[suffix],
                    unit=unit, domain="training samples", seeds=len(values["runs"]),
                    cells=(record.key,),
                    conditions=f"{config['problem']}, {config['samples']} samples; grids fixed in "
                    f"nets of {config['deeper']} layers, rates tuned alike",
                )  # fmt: skip
