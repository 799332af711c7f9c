"""Given the equation: by problem the best net, the best mesh of N₀ and the best element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bench.claims.admissibility import evaluation, ladders, seeds
from bench.claims.arms import MAIN
from bench.claims.certified import certificate_facts
from bench.claims.domains import whole
from bench.claims.facts import Fact
from bench.claims.themes.solve import best_nets
from bench.claims.themes.untrained import untrained
from bench.store.results import Results, StoredResult, competitor, median

GIVEN = "given the equation and boundary data"


def facts(results: Results) -> Iterator[Fact]:
    """Errors, seconds and unknowns, as `PROBLEM-net-error`, `PROBLEM-n0-…`, `PROBLEM-element-…`."""
    solved = [r for r in results.select("fem", solve=True) if r.values.get("l2_error")]
    for problem in problems(results):
        elements = [r for r in solved if r.config["problem"] == problem]
        nets = best_nets(results, problem)
        if not elements or not len(nets):
            continue
        error = Fact(
            name=f"{problem}-net-error", value=median(nets.errors()), unit="L² error",
            domain=whole(problem), seeds=len(nets), conditions=GIVEN, cells=nets.keys(),
            refused="seeds" if seeds(len(nets)) else "ladder" if cut_short(nets) else "",
        )  # fmt: skip
        yield error
        yield error.named(f"{problem}-net-seconds", median(nets.value("seconds")), "s")
        budget = nets.records[0].values
        for unit in ("evaluations", "points", "boundary_points", "parameters"):
            words = unit.replace("_", "-")
            if budget.get(unit) is not None:
                yield error.named(f"{problem}-net-{words}", budget[unit], unit.split("_")[-1])
        yield _per_point(error, f"{problem}-net", nets)
        yield from _untrained(problem, results)
        lowest = [r for r in elements if r.config["element"] == "N0"]
        yield from _element(f"{problem}-element", elements)
        yield from _element(f"{problem}-n0", lowest)
    yield from certificate_facts(results, "domains of all fields")


def _untrained(problem: str, results: Results) -> Iterator[Fact]:
    """The largest untrained nets."""
    for nets in untrained(results, problem)[-1:]:
        error = Fact(
            name=f"{problem}-untrained-error", value=median(nets.errors()), unit="L² error",
            domain=whole(problem), seeds=len(nets), conditions=GIVEN, cells=nets.keys(),
            refused="seeds" if seeds(len(nets)) else "",
        )  # fmt: skip
        yield error
        yield error.named(f"{problem}-untrained-seconds", median(nets.value("seconds")), "s")
        curl = median(nets.value("curl_error"))
        yield error.named(f"{problem}-untrained-curl", curl, "error of the curl")


def problems(results: Results) -> list[str]:
    """Those on which nets were given the equation, the paper's field first."""
    found: list[str] = results.select("solved_net").distinct("problem")
    return sorted(found, key=lambda name: (name != MAIN, name))


def cut_short(records: Iterable[StoredResult]) -> bool:
    """Whether a ladder ends before the common budget is used, and still falls."""
    return bool(ladders(records, "it"))


def _element(name: str, records: list[StoredResult]) -> Iterator[Fact]:
    """The smallest error, with its seconds and unknowns."""
    if not records:
        return
    best = min(records, key=lambda record: float(record.values["l2_error"]))
    shown = competitor(best)
    series = shown.series if shown else best.config["element"]
    ladder = [r for r in records if r.config["element"] == best.config["element"]]
    error = Fact(
        name=f"{name}-error", refused="ladder" if cut_short(ladder) else "",
        value=best.values["l2_error"], unit="L² error",
        domain=whole(best.config["problem"]), conditions=f"{series}; {GIVEN}",
        cells=(best.key,),
    )  # fmt: skip
    yield error
    yield error.named(f"{name}-seconds", best.values["seconds"], "s")
    yield error.named(f"{name}-unknowns", best.values["dofs"], "unknowns")
    yield _per_point(error, name, Results([best]))


def _per_point(error: Fact, name: str, results: Results) -> Fact:
    """Seconds per evaluated point, refused for a net whose precisions were not compared."""
    used = median(results.value("seconds_per_point"))
    compared = all(r.kind == "fem" or "seconds_per_point_by" in r.values for r in results)
    slow = evaluation(used, {"the fastest": used} if compared else {}, name)
    found = error.named(f"{name}-seconds-per-point", used, "s")
    return replace(found, refused="evaluation" if slow else "")
