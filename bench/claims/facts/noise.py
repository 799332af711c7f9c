"""Noise in the samples: errors by field, method, samples and noise; and knowledge in the loss."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.domains import domain_of
from bench.claims.facts import Fact
from bench.store.results import Results, StoredResult, median

WHERE = {"inside": "l2_error_inside", "outside": "l2_error_outside"}


def facts(results: Results) -> Iterator[Fact]:
    """`FIELD-METHOD-SAMPLES-NOISE-inside` (cylinder) and `-outside` (rest of the cube), and
    `known-PROPERTY-NOISE-…` for nets whose loss knows a property of the field."""
    for name, group in results.select("noisy_fit").grouped(_fit).items():
        config = group.records[0].config
        given = f"{config['samples']} samples of u with inputs {config['features']}"
        yield from _errors(name, group, f"{given}, noise {config['noise']:g} in all of them")
    for name, group in results.select("known_properties").grouped(_known).items():
        config = group.records[0].config
        given = f"{config['samples']} samples of u, noise {config['noise']:g}; known at points of "
        yield from _errors(name, group, f"{given}the cube: {config['known']}")


def _fit(record: StoredResult) -> str:
    config = record.config
    method = str(config["method"]).replace(" ", "-")
    return f"{config['problem']}-{method}-{config['samples']}-{config['noise']:g}"


def _known(record: StoredResult) -> str:
    return f"known-{record.config['known']}-{record.config['noise']:g}"


def _errors(name: str, group: Results, conditions: str) -> Iterator[Fact]:
    for part, metric in WHERE.items():
        yield Fact.of(
            group, name=f"{name}-{part}", value=median(group.errors(metric)), unit="L² error",
            domain=domain_of(metric, group.records[0].config["problem"]), conditions=conditions,
        )  # fmt: skip
