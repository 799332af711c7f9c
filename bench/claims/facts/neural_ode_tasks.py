"""Tasks of neural ODEs: right answers and cross-entropy by task, net, steps and dimensions."""

from __future__ import annotations

from collections.abc import Iterator

from bench.claims.facts import Fact
from bench.store.results import Results, StoredResult

NUMBERS = {
    "accuracy": ("accuracy", "training points"),
    "test-accuracy": ("test_accuracy", "test points"),
    "cross-entropy": ("cross_entropy", "training points"),
}


def facts(results: Results) -> Iterator[Fact]:
    """`TASK-NET[-small]-TAU-EXTRA-accuracy`, …: medians over the judging seeds."""
    for record in results.select("ode_task"):
        config = record.config
        for suffix, (value, domain) in NUMBERS.items():
            if record.values[value] is not None:
                yield Fact(
                    name=f"{_name(record)}-{suffix}", value=record.values[value], domain=domain,
                    unit="cross-entropy" if suffix == "cross-entropy" else "share of right answers",
                    seeds=len(record.values["runs"]), cells=(record.key,),
                    conditions=f"{config['hidden']} layers, {config['extra']} extra dimensions, at "
                    f"most {config['steps']} steps of Adam, rate and τ₀ tuned",
                )  # fmt: skip


def _name(record: StoredResult) -> str:
    config = record.config
    small = "-small" if config["small_steps"] else ""
    return f"{config['task']}-{config['net']}{small}-{config['tau']}-{config['extra']}"
