"""Given the equation: by problem the best trained, partly trained and untrained net, the best mesh
of N₀ and the best element; and nets that are interpolated into an element's space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from bench.claims.admissibility import evaluation, ladders, seeds
from bench.claims.arms import MAIN
from bench.claims.certified import certificate_facts
from bench.claims.domains import whole
from bench.claims.facts import Fact
from bench.claims.themes.solve import best_nets, solved
from bench.claims.themes.untrained import untrained
from bench.store.results import Results, StoredResult, competitor, median

GIVEN = "given the equation and boundary data"
# Behind the name of a method, with the value's name in its results and its unit.
SECONDS = {"seconds": ("seconds", "s")}
CURL = {"curl": ("curl_error", "L² error of the curl")}
PER_POINT = {"seconds-per-point": ("seconds_per_point", "s")}
OF_NETS = {
    **SECONDS,
    "evaluations": ("evaluations", "evaluations"),
    "points": ("points", "points"),
    "boundary-points": ("boundary_points", "points"),
    "parameters": ("parameters", "parameters"),
    **CURL,
    **PER_POINT,
}
OF_ELEMENTS = {**SECONDS, "unknowns": ("dofs", "unknowns"), **PER_POINT}
OF_UNTRAINED = {**SECONDS, **CURL, "unknowns": ("unknowns", "unknowns")}
INTERPOLATED = {
    **SECONDS,
    "interpolant": ("interpolant_l2_error", "L² error"),
    "element": ("element_l2_error", "L² error"),
    "element-seconds": ("element_seconds", "s"),
}


def facts(results: Results) -> Iterator[Fact]:
    """Errors, seconds and unknowns, as `PROBLEM-net-error`, `PROBLEM-partly-…`,
    `PROBLEM-untrained-…`, `PROBLEM-n0-…`, `PROBLEM-uniform-…` (high order, not given the place of
    an edge), `PROBLEM-nets-below-uniform`, `PROBLEM-element-…` and `interpolated-ELEMENT-…`."""
    meshes = results.select("fem", solve=True)
    problems = results.select("solved_net").distinct("problem")
    for problem in sorted(problems, key=lambda name: (name != MAIN, name)):
        nets, found = best_nets(results, problem), meshes.select("fem", problem=problem)
        elements = Results([r for r in found if r.values.get("l2_error")])
        if not len(nets):
            continue
        refused = "seeds" if seeds(len(nets)) else "ladder" if ladders(nets, "it") else ""
        yield from _reached(f"{problem}-net", nets, OF_NETS, refused=refused)
        partly = results.select("solved_net", problem=problem, optimizer="varpro")
        if len(partly):
            yield from _reached(f"{problem}-partly", partly, OF_NETS)
        for largest in untrained(results, problem)[-1:]:
            refused = "seeds" if seeds(len(largest)) else ""
            yield from _reached(f"{problem}-untrained", largest, OF_UNTRAINED, refused=refused)
        yield from _best(f"{problem}-element", elements)
        uniform = [*_best(f"{problem}-uniform", solved(elements, problem, "hexP"))]
        yield from uniform
        for fact in uniform[:1]:
            below = sum(error < fact.value for error in nets.errors())
            like = replace(fact, seeds=len(nets), cells=fact.cells + nets.keys())
            yield like.named(f"{problem}-nets-below-uniform", below, "nets")
        yield from _best(f"{problem}-n0", elements.select("fem", element="N0"))
    spaces = results.select("interpolated_net").grouped(lambda record: record.config["element"])
    for element, nets in spaces.items():
        yield from _reached(f"interpolated-{element}", nets, INTERPOLATED)
    yield from certificate_facts(results, "domains of all fields")


def _best(name: str, elements: Results) -> Iterator[Fact]:
    """The element with the smallest error."""
    for best in sorted(elements, key=lambda record: float(record.values["l2_error"]))[:1]:
        shown, element = competitor(best), best.config["element"]
        title = shown.series if shown else element
        refused = "ladder" if ladders(elements.select("fem", element=element), "it") else ""
        alone = Results([best])
        reached = [*_reached(name, alone, OF_ELEMENTS, f"{title}; {GIVEN}", refused)]
        yield from reached
        yield from _best_curl(name, elements, reached[0])


def _best_curl(name: str, elements: Results, like: Fact) -> Iterator[Fact]:
    """The smallest error of the curl, perhaps on another mesh, and its seconds."""
    curls = [(curl, r) for r in elements if (curl := _curl_error(r)) > 0]
    for curl, best in sorted(curls, key=lambda item: item[0])[:1]:
        fact = replace(like, cells=(best.key,))
        yield fact.named(f"{name}-curl", curl, CURL["curl"][1])
        yield fact.named(f"{name}-curl-seconds", float(best.values["seconds"]), "s")


def _curl_error(record: StoredResult) -> float:
    """‖·‖² in H(curl) is that of the field and that of its curl."""
    l2, hcurl = (float(record.values.get(key) or 0.0) for key in ("l2_error", "hcurl_error"))
    return math.sqrt(hcurl**2 - l2**2) if hcurl > l2 else 0.0


def _reached(
    name: str,
    found: Results,
    numbers: dict[str, tuple[str, str]],
    conditions: str = GIVEN,
    refused: str = "",
) -> Iterator[Fact]:
    """The median error, then medians of the other numbers that the results have."""
    error = Fact.of(
        found, name=f"{name}-error", value=median(found.errors()), unit="L² error",
        domain=whole(found.records[0].config["problem"]), conditions=conditions, refused=refused,
    )  # fmt: skip
    yield error
    for suffix, (value, unit) in numbers.items():
        if None not in found.value(value):
            fact = error.named(f"{name}-{suffix}", median(found.value(value)), unit)
            yield _evaluated(fact, found) if value == "seconds_per_point" else fact


def _evaluated(fact: Fact, found: Results) -> Fact:
    """Seconds per evaluated point, refused for a net whose precisions were not compared."""
    compared = all(r.kind == "fem" or "seconds_per_point_by" in r.values for r in found)
    slow = evaluation(fact.value, {"the fastest": fact.value} if compared else {}, fact.name)
    return replace(fact, refused="evaluation" if slow else "")
