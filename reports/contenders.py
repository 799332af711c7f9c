"""Every method under one heading: what it was told, what it cost, how far it came.

A contender is one variant of a method on one problem; runs that differ by seed only are one
contender with a spread. Tracks are never mixed in a table without their label (maths 1):

    paper   best approximation of the known field: an oracle, told u everywhere
    fit     told samples of u in the cylinder, like the nets
    solve   told f, φ and the boundary data, never u
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bench.store.results import Record, Results
from reports.names import ELEMENTS, net_family, net_method, net_name

TOLD = {
    "paper": "u and curl u everywhere (oracle)",
    "fit": "samples of u in the cylinder",
    "solve": "f, φ and the boundary data",
}

NETS = ("net", "tuned_net")
CONTESTED = ("fem", "fem_fit", "baseline", *NETS)  # kinds of cells that compete


@dataclass(frozen=True)
class Contender:
    name: str
    look: str
    track: str
    problem: str
    features: str
    unknowns: int
    records: tuple[Record, ...]

    def median(self, value: str) -> float | None:
        """The median over seeds; a diverged run counts as infinite."""
        middle = float(np.median(Results(self.records).errors(value)))
        return middle if math.isfinite(middle) else None

    @property
    def is_net(self) -> bool:
        return self.records[0].kind in NETS

    @property
    def error(self) -> float | None:
        return self.median("l2_error")

    @property
    def seconds(self) -> float | None:
        return self.median("seconds")

    @property
    def seeds(self) -> int:
        return len(self.records)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(record.key for record in self.records)


def contenders(results: Results, problem: str) -> list[Contender]:
    """All contenders on a problem, in the order of tracks and names."""
    found = [
        *_fem(results, problem),
        *_fitted_elements(results, problem),
        *_baselines(results, problem),
        *_nets(results, problem),
        *_tuned_nets(results, problem),
    ]
    return sorted(found, key=lambda c: (c.track, c.name, c.unknowns))


def _fem(results: Results, problem: str) -> Iterable[Contender]:
    for record in results.select("fem", problem=problem):
        config = record.config
        track = "solve" if config.get("solve") else "paper"
        order = f" p={config['order']}" if config["order"] else ""
        graded = " graded" if config.get("grading") else ""
        yield Contender(
            f"{ELEMENTS.get(config['element'], config['element'])}{graded}{order} n={config['n']}",
            config["element"] + graded,
            track,
            problem,
            TOLD[track],
            int(record.values["dofs"]),
            (record,),
        )


def _fitted_elements(results: Results, problem: str) -> Iterable[Contender]:
    def title(record: Record) -> str:
        element = record.config["element"]
        return f"{ELEMENTS.get(element, element)} least squares, cylinder n={record.config['n']}"

    for name, runs in _grouped(results.select("fem_fit", problem=problem), title).items():
        unknowns = int(runs[0].values["unknowns"])
        yield Contender(name, "least squares", "fit", problem, "x", unknowns, tuple(runs))


def _baselines(results: Results, problem: str) -> Iterable[Contender]:
    def title(record: Record) -> str:
        return f"{record.config['method'].replace('_', ' ')} ({record.config['features']})"

    for name, runs in _grouped(results.select("baseline", problem=problem), title).items():
        config = runs[0].config
        yield Contender(
            name,
            "least squares",
            "fit",
            problem,
            str(config["features"]),
            int(runs[0].values["unknowns"]),
            tuple(runs),
        )


def _nets(results: Results, problem: str) -> Iterable[Contender]:
    def title(record: Record) -> str:
        config = record.config
        extra = "" if config["optimizer"] == "steepest" else f", {config['optimizer']}"
        extra += f", {config['evaluations']:g} evaluations" if config["evaluations"] else ""
        extra += "" if config["samples"] == 12_000 else f", {config['samples']} samples"
        extra += "" if config["scale"] == 1 else f", weights × {config['scale']:g}"
        extra += "" if config["eta"] == 1e-4 else f", η = {config['eta']:g}"
        extra += "" if str(config["tau0"]) == "1" else f", τ₀ = {config['tau0']}"
        extra += "" if config["features"] == "x,f,phi" else f" ({config['features']})"
        return net_name(config) + extra

    for name, runs in _grouped(results.select("net", problem=problem), title).items():
        yield Contender(
            name,
            net_method(runs[0].config),
            "fit",
            problem,
            str(runs[0].config["features"]),
            int(runs[0].values["parameters"]),
            tuple(runs),
        )


def _tuned_nets(results: Results, problem: str) -> Iterable[Contender]:
    """Size and η differ from seed to seed, as the validation chose: the unknowns are a median."""

    def title(record: Record) -> str:
        return f"tuned {net_family(record.config)} ({record.config['features']})"

    for name, runs in _grouped(results.select("tuned_net", problem=problem), title).items():
        yield Contender(
            name,
            net_method(runs[0].config),
            "fit",
            problem,
            str(runs[0].config["features"]),
            int(np.median([run.values["parameters"] for run in runs])),
            tuple(runs),
        )


def _grouped(records: Iterable[Record], title: Callable[[Record], str]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(title(record), []).append(record)
    return groups
