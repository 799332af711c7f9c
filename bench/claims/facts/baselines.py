"""Given samples: least squares on the paper's field; the best net against the best other method.

Methods are compared only if they have the same problem, number of samples, inputs and threads, and
choose their settings from these samples: a recipe from elsewhere has seen more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import inf

from bench.claims.admissibility import known_besides, seeds
from bench.claims.arms import MAIN, PAPER
from bench.claims.domains import domain_of
from bench.claims.facts import Fact
from bench.claims.rules import compared
from bench.claims.themes.samples import by_data
from bench.store.results import Competitor, Results, StoredResult, competitor, median

SQUARES = ("linear", "quadratic", "cubic")
Method = tuple[Competitor, list[StoredResult]]  # under one set of conditions, one result per seed


def facts(results: Results) -> Iterator[Fact]:
    """Errors of least squares by degree; by problem the best net, the best other method, and in how
    many draws of the samples the net is more accurate."""
    given = {"problem": MAIN, "features": "x,f,phi", "samples": PAPER["samples"]}
    for method in SQUARES:
        fits = results.select("baseline", method=method, **given)
        error = fits.median()
        if error is not None:
            yield Fact.of(
                fits, name=f"least-squares-{method}", value=error, unit="L² error", domain="cube",
                conditions=f"{PAPER['samples']} samples at x, with f and φ",
            )  # fmt: skip
    for problem, (net, other) in _rivals(results).items():
        yield from _reached(f"{problem}-net", *net)
        yield from _reached(f"{problem}-other", *other)
        yield from _met(problem, net, other)


def _met(problem: str, net: Method, other: Method) -> Iterator[Fact]:
    """The net over the other method, given the same samples: on the part of the cube where these
    lie, on the whole cube, and at points that are drawn like them."""
    found = by_data(Results(net[1]), Results(other[1]))
    if not found:
        return
    metrics = {"": _metric(net[1]), "-cube": "l2_error", "-test": "rel_test_error"}
    for name, metric in ((f"{problem}{part}", metric) for part, metric in metrics.items()):
        if all(metric in record.values for pair in found for record in pair):
            met = compared(found, metric)
            ratio = Fact(
                name=f"{name}-ratio", value=met.comparison.ratio, unit="L² error, net over other",
                domain=met.domain, seeds=met.comparison.pairs, cells=met.cells,
                conditions=f"{net[0].series} over {other[0].series}",
                refused=met.refused.rule if met.refused else "",
            )  # fmt: skip
            yield ratio
            yield ratio.named(f"{name}-p", met.comparison.p_value, "p-value, two-sided")
            yield ratio.named(f"{name}-draws-won", met.comparison.wins, "draws of the samples")


def _reached(name: str, shown: Competitor, records: list[StoredResult]) -> Iterator[Fact]:
    """The error where the samples lie, the seconds without tuning, the error everywhere."""
    metric = _metric(records)
    error = Fact.of(
        records, name=f"{name}-error", value=_error(records), unit="L² error",
        domain=domain_of(metric, str(records[0].config["problem"])),
        refused="seeds" if seeds(len(records)) else "",
        conditions=f"{shown.series}; {shown.samples} samples, inputs {shown.inputs}",
    )  # fmt: skip
    yield error
    values = [record.values for record in records]
    seconds = sorted(float(v["seconds"]) - float(v.get("seconds_tuning") or 0.0) for v in values)
    yield error.named(f"{name}-seconds", seconds[(len(seconds) - 1) // 2], "s")
    whole = [v.get("l2_error") for v in values]
    if None not in whole:
        everywhere = error.named(f"{name}-cube-error", median(whole), "L² error")
        yield replace(everywhere, domain="the whole domain, extrapolation included")


def _metric(records: list[StoredResult]) -> str:
    return "l2_error_inside" if "l2_error_inside" in records[0].values else "l2_error"


def _error(records: list[StoredResult]) -> float:
    """The median over seeds where the samples lie, at the end of each training."""
    return median(record.values.get(_metric(records)) for record in records)


def _rivals(results: Results) -> dict[str, tuple[Method, Method]]:
    """By problem the best net and the best other method, where the best net is best."""
    groups: dict[tuple[object, ...], dict[tuple[str, ...], Method]] = defaultdict(dict)
    for record in results:
        shown = competitor(record)
        if shown is not None and shown.information == "samples" and shown.search != "elsewhere":
            threads = int(record.config.get("threads") or 1)
            inputs = (shown.inputs, *known_besides(shown))
            given = (str(record.config["problem"]), shown.samples, inputs, threads)
            groups[given].setdefault((shown.title, shown.look), (shown, []))[1].append(record)
    found: dict[str, tuple[Method, Method]] = {}
    for (problem, *_), methods in groups.items():
        made = sorted((m for m in methods.values() if _error(m[1]) < inf), key=_error_of)
        nets = [method for method in made if method[0].family == "net"]
        others = [method for method in made if method[0].family != "net"]
        known = found.get(str(problem))
        if nets and others and (known is None or _error_of(nets[0]) < _error_of(known[0])):
            found[str(problem)] = (nets[0], others[0])
    return dict(sorted(found.items(), key=lambda item: (item[0] != MAIN, item[0])))


def _error_of(method: Method) -> float:
    return _error(method[1])
