"""Given samples: least squares on the paper's field; the best net against the best other method.

Methods are compared only if they have the same problem, number of samples, inputs and threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

from bench.claims.admissibility import seeds
from bench.claims.arms import MAIN, PAPER
from bench.claims.domains import domain_of
from bench.claims.facts import Fact
from bench.store.results import Competitor, Results, StoredResult, competitor, median

SQUARES = ("linear", "quadratic", "cubic")


def facts(results: Results) -> Iterator[Fact]:
    """Errors of least squares by degree, and by problem the best net and the best other method."""
    for method in SQUARES:
        given = {"problem": MAIN, "features": "x,f,phi", "samples": PAPER["samples"]}
        fits = results.select("baseline", method=method, **given)
        error = fits.median()
        if error is not None:
            words = f"{PAPER['samples']} samples at x, with f and φ"
            yield Fact(
                name=f"least-squares-{method}", value=error, unit="L² error", domain="cube",
                seeds=len(fits), conditions=words, cells=fits.keys(),
            )  # fmt: skip
    for problem, rivals in _rivals(results).items():
        for role, rival in zip(("net", "other"), rivals, strict=True):
            yield from rival.facts(f"{problem}-{role}")


@dataclass(frozen=True)
class Method:
    """One method under one set of conditions, with a result per seed."""

    competitor: Competitor
    records: tuple[StoredResult, ...]

    @property
    def error(self) -> float:
        """The median over seeds where the samples lie, at the end of each training."""
        return median(record.values.get(self.metric) for record in self.records)

    @property
    def metric(self) -> str:
        inside = "l2_error_inside" in self.records[0].values
        return "l2_error_inside" if inside else "l2_error"

    def facts(self, name: str) -> Iterator[Fact]:
        shown = self.competitor
        seconds = sorted(_own_seconds(record) for record in self.records)
        error = Fact(
            name=f"{name}-error",
            value=self.error,
            unit="L² error",
            domain=domain_of(self.metric, str(self.records[0].config["problem"])),
            seeds=len(self.records),
            refused="seeds" if seeds(len(self.records)) else "",
            conditions=f"{shown.series}; {shown.samples} samples, inputs {shown.inputs}",
            cells=tuple(record.key for record in self.records),
        )
        yield error
        yield error.named(f"{name}-seconds", seconds[(len(seconds) - 1) // 2], "s")
        whole = [r.values.get("l2_error") for r in self.records]
        if all(value is not None for value in whole):
            everywhere = error.named(f"{name}-cube-error", median(whole), "L² error")
            yield replace(everywhere, domain="the whole domain, extrapolation included")


def _own_seconds(record: StoredResult) -> float:
    return float(record.values["seconds"]) - float(record.values.get("seconds_tuning") or 0.0)


def _rivals(results: Results) -> dict[str, tuple[Method, Method]]:
    """By problem the best net and the best other method, where the best net is best."""
    groups: dict[tuple[object, ...], dict[tuple[str, ...], list[StoredResult]]] = defaultdict(dict)
    for record in results:
        shown = competitor(record)
        if shown is not None and shown.information == "samples":
            threads = int(record.config.get("threads") or 1)
            given = (str(record.config["problem"]), shown.samples, shown.inputs, threads)
            groups[given].setdefault((shown.title, shown.look), []).append(record)
    found: dict[str, tuple[Method, Method]] = {}
    for (problem, *_), methods in groups.items():
        made = [Method(_known(records[0]), tuple(records)) for records in methods.values()]
        made = [method for method in made if method.error < inf]
        sides = [
            [m for m in made if (m.competitor.family == "net") is net] for net in (True, False)
        ]
        if all(sides):
            best, other = (min(side, key=lambda m: m.error) for side in sides)
            if str(problem) not in found or best.error < found[str(problem)][0].error:
                found[str(problem)] = (best, other)
    return dict(sorted(found.items(), key=lambda item: (item[0] != MAIN, item[0])))


def _known(record: StoredResult) -> Competitor:
    shown = competitor(record)
    assert shown is not None
    return shown
