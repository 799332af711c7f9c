"""Every method under one heading: what it was told, what it cost, how far it came.

A contender is one variant of a method on one problem; runs that differ by seed only are one
contender with a spread. Tracks are never mixed in a table without their label (SPEC section 1):

    paper   best approximation of the known field: an oracle, told u everywhere
    fit     told samples of u in the cylinder, like the nets
    solve   told f, φ and the boundary data, never u
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bench.results import Record, Results
from reports.names import ELEMENTS, net_method, net_name

TOLD = {
    "paper": "u and curl u everywhere (oracle)",
    "fit": "samples of u in the cylinder",
    "solve": "f, φ and the boundary data",
}


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
        found = [record.values.get(value) for record in self.records]
        numbers = [math.inf if number is None else float(number) for number in found]
        middle = float(np.median(numbers)) if numbers else math.inf
        return middle if math.isfinite(middle) else None

    @property
    def is_net(self) -> bool:
        return self.records[0].kind == "net"

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
    found = [*_fem(results, problem), *_baselines(results, problem), *_nets(results, problem)]
    return sorted(found, key=lambda c: (c.track, c.name, c.unknowns))


def _fem(results: Results, problem: str) -> Iterable[Contender]:
    for record in results.select("fem", problem=problem):
        config = record.config
        element = config["element"]
        solve = bool(config.get("solve"))
        name = ELEMENTS.get(element, element) + (f" p={config['order']}" if config["order"] else "")
        yield Contender(
            f"{name} n={config['n']}",
            element,
            "solve" if solve else "paper",
            problem,
            TOLD["solve" if solve else "paper"],
            int(record.values["dofs"]),
            (record,),
        )


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


def _grouped(records: Iterable[Record], title: Callable[[Record], str]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(title(record), []).append(record)
    return groups


@dataclass(frozen=True)
class Match:
    """The mesh on which a finite element reaches a given error; `measured` is False beyond the
    finest mesh solved, where the last rate is carried on."""

    n: int
    unknowns: float
    seconds: float | None
    measured: bool


def matching_mesh(error: float, rows: Results) -> Match | None:
    """The coarsest mesh of a family with an error no larger than this, solved or extrapolated."""
    ordered = [r for r in rows.sorted_by("n") if r.values.get("l2_error")]
    for record in ordered:
        if record.values["l2_error"] <= error:
            values = record.values
            return Match(int(values["n"]), values["dofs"], values["seconds"], measured=True)
    if len(ordered) < 2:
        return None
    coarse, fine = ordered[-2].values, ordered[-1].values
    rate = math.log(coarse["l2_error"] / fine["l2_error"]) / math.log(coarse["h"] / fine["h"])
    if rate <= 0:
        return None
    refinement = (fine["l2_error"] / error) ** (1 / rate)
    return Match(
        math.ceil(fine["n"] * refinement), fine["dofs"] * refinement**3, None, measured=False
    )
