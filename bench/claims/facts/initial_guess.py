"""Initial guesses: iterations on the finest mesh by start, and where the coarser mesh wins."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.facts import Fact
from bench.claims.initial_guesses import predicted, stops_helping
from bench.store.results import Results, StoredResult, median

STARTS = ("zero", "coarse", "net")
NUMBERS = {
    "net-error": ("net_hcurl_error", "H(curl) error"),
    "predicted-n": ("predicted_n", "cells per side"),
    "repaid": ("repaid_against_coarse", "solves"),
    "repaid-against-zero": ("repaid_against_zero", "solves"),
}


def facts(results: Results) -> Iterator[Fact]:
    """`FIELD-ELEMENT-best|solve-STEPS-FINEST-zero|coarse|net`, medians of iterations; the mesh
    from which on the net is not ahead and in how many runs it was predicted; then the numbers that
    every seed has."""
    for name, group in results.select("initial_guess").grouped(_name).items():
        config = group.records[0].config
        what = "boundary-value problem" if config["boundary_value"] else "best approximation"
        first = Fact.of(
            group, name=name, value=0.0, domain="cube",
            conditions=f"{what}, {config['element']}, n = {max(config['n'])}; net trained on "
            f"{config['samples']} samples for {config['steps']} steps",
        )  # fmt: skip
        for start in STARTS:
            ends = [record.values[f"{start}_iterations"][-1] for record in group]
            yield first.named(f"{name}-{start}", median(ends), "iterations")
        end = median([stops_helping(record)[1] for record in group])
        yield first.named(f"{name}-measured-n", end, "cells per side")
        yield first.named(f"{name}-predicted", sum(map(predicted, group)), "runs")
        for suffix, (value, unit) in NUMBERS.items():
            if None not in (found := group.value(value)):
                yield first.named(f"{name}-{suffix}", median(found), unit)


def _name(record: StoredResult) -> str:
    config = record.config
    what = "solve" if config["boundary_value"] else "best"
    return f"{config['problem']}-{config['element']}-{what}-{config['steps']}-{max(config['n'])}"
