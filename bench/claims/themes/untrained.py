"""What other papers claim of untrained and interpolated nets, and untrained nets against hp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bench.claims import Checked, Claim, Compared, Counted, Finding, NotTested
from bench.claims.admissibility import first_broken, information, rungs_of
from bench.claims.admissibility import ladder as climbed
from bench.claims.admissibility import seeds as enough
from bench.claims.arms import SMOOTH
from bench.claims.rules import checked_over, tabled
from bench.claims.themes.solve import COMMAND, best_nets, solved
from bench.store.results import Results, StoredResult, median

FEINN = "Badia, Li, Martín, Compatible FE interpolated neural networks, arXiv 2411.04591, abstract"
PIELM = "Sacchetti, When random features beat the mesh, IEEE Access 2026, abstract"
RAPID = "Dwivedi, Srinivasan, Physics Informed Extreme Learning Machine, arXiv 1907.03507, abstract"
PINN = "Grossmann and others, Can physics-informed neural networks beat the FEM?, 2024, abstract"
ORDERS = 2  # "several orders of magnitude" are at least two
TIMES = 10  # "an order of magnitude faster"
SINGULAR = ("curlsing", "screen")
CUBE = "cube"


def _feinn(results: Results) -> Finding:
    """By element, in how many seeds the net is far below the element's own solution."""
    nets = results.select("interpolated_net")
    table = {}
    for element in nets.distinct("element"):
        records = [r for r in nets if r.config["element"] == element]
        ratios = [r.values["l2_error"] / r.values["element_l2_error"] for r in records]
        hits = sum(ratio < 10.0**-ORDERS for ratio in ratios)
        what = f"net over element {median(ratios):.2g}"
        table[element] = Counted(hits, len(ratios), tuple(r.key for r in records), what, CUBE)
    if not table:
        return NotTested(COMMAND)
    seeds = {r.config["seed"] for r in nets}
    far = {r.config["seed"] for r in nets if not _far_below(r)}
    what = "; ".join(f"{element}: {part.what}" for element, part in table.items())
    return Counted(len(seeds - far), len(seeds), nets.keys(), what, CUBE, table)


def _far_below(record: StoredResult) -> bool:
    return bool(record.values["l2_error"] < 10.0**-ORDERS * record.values["element_l2_error"])


def untrained(results: Results, problem: str) -> list[Results]:
    """The untrained nets of tanh features, by number of features."""
    nets = results.select("untrained_net", problem=problem, activation="tanh")
    return [
        Results([r for r in nets if r.config["features"] == count])
        for count in sorted(nets.distinct("features"))
    ]


def _time_to(elements: Results, error: float) -> float:
    """The seconds of the fastest element whose error is no larger; infinite if there is none."""
    reached = [r.values["seconds"] for r in elements if r.values["l2_error"] <= error]
    return min(reached, default=math.inf)


def _against_elements(
    results: Results, problem: str, nets: Results, true: Callable[[float], bool]
) -> Finding:
    """The time of the fastest p-version that is as accurate as the nets, over their own time."""
    elements = solved(results, problem, "hexP")
    if not len(nets) or not len(elements):
        return NotTested(COMMAND)
    error, seconds = median(nets.errors()), median(nets.value("seconds"))
    fastest = _time_to(elements, error)
    return Checked(
        true(fastest / seconds),
        (*nets.keys(), *elements.keys()),
        f"nets {error:.2g} after {seconds:.2g} s; the p-version gets there in {fastest:.2g} s",
        domain=CUBE,
        effect=fastest / seconds if math.isfinite(fastest) else None,
        seeds=len(nets),
    )


def _faster(results: Results, problem: str) -> Finding:
    nets = (untrained(results, problem) or [Results([])])[-1]
    return _against_elements(results, problem, nets, lambda ratio: ratio >= TIMES)


def _not_outperformed(results: Results, problem: str) -> Finding:
    nets = best_nets(results, problem)
    return _against_elements(results, problem, nets, lambda ratio: ratio < 1)


def _as_accurate(results: Results, problem: str) -> Finding:
    ladder, trained = untrained(results, problem), best_nets(results, problem)
    if not ladder or not len(trained):
        return NotTested(COMMAND)
    error, seconds = median(trained.errors()), median(trained.value("seconds"))
    within = [nets for nets in ladder if median(nets.value("seconds")) <= seconds]
    nets = (within or ladder)[-1]
    reached = median(nets.errors())
    return Checked(
        bool(within) and reached <= error,
        (*nets.keys(), *trained.keys()),
        f"untrained {reached:.2g}, trained {error:.2g} after {seconds:.2g} s",
        domain=CUBE,
        effect=reached / error,
        seeds=len(nets),
    )


def _against_hp(results: Results) -> Finding:
    """The error of the largest untrained nets over that of the best hp mesh of no more time."""
    parts = {name: _on_edge(results, name) for name in SINGULAR}
    return tabled(parts, "l2_error, the untrained net over hp", "the field", COMMAND)


def _on_edge(results: Results, problem: str) -> Finding:
    found = results.select("fem", problem=problem, element="hexP", solve=True)
    meshes = Results([r for r in found if r.config["layers"]])
    ladder = untrained(results, problem)
    if not ladder or not len(meshes):
        return NotTested(COMMAND)
    nets, sizes = ladder[-1], Results([r for group in ladder for r in group])
    seconds = median(nets.value("seconds"))
    bounds = [r.values["l2_error"] for r in meshes if r.values["seconds"] <= seconds]
    if not bounds:
        return NotTested(COMMAND)
    refused = first_broken(
        {
            "ladder": climbed(rungs_of(meshes), "hp") or climbed(rungs_of(sizes), "untrained nets"),
            "seeds": enough(len(nets)),
            "information": information(nets.records[0], meshes.records[0]),
        }
    )
    logs = {r.config["seed"]: math.log(r.values["l2_error"] / min(bounds)) for r in nets}
    cells = (*nets.keys(), *meshes.keys())
    return Compared(logs, cells, "l2_error over that of hp", CUBE, refused=refused)


def _other(name: str, where: str, words: str, **about: Any) -> Claim:
    return Claim(name=name, part="other", where=where, words=words, **about)


def _over(one: Callable[[Results, str], Finding], names: tuple[str, ...]) -> dict[str, Any]:
    """What a claim declares that is checked on several problems."""

    def examine(results: Results) -> Finding:
        parts = {name: one(results, name) for name in names}
        return checked_over(parts, "", "the field", COMMAND, CUBE)

    return {"examine": examine, "problems": names}


ALL = (*SMOOTH, *SINGULAR)
CLAIMS = [
    _other(
        "feinn-net-orders-below-element",
        FEINN,
        "the trained network outperforms finite element solutions by several orders of magnitude "
        "for smooth analytical solutions",
        sentence="A net that is interpolated into a Nédélec space and trained there is at least a "
        "hundred times as accurate as the element's own solution on the same mesh.",
        declared="2026-11-17 364cd5fd",
        criterion="l2_error of the net < 1/100 of the element's, for every space of the study, by "
        "seed, maxwell",
        examine=_feinn,
    ),
    _other(
        "pielm-ten-times-faster",
        PIELM,
        "at least an order of magnitude faster than equally accurate FEM",
        sentence="On smooth fields a net with random hidden weights is at least ten times as fast "
        "as an equally accurate finite element.",
        declared="2026-11-17 cac7a49e",
        criterion="seconds of the fastest hexP solve with no larger l2_error ≥ 10 times the "
        "median seconds of the largest untrained net (tanh)",
        **_over(_faster, SMOOTH),
    ),
    _other(
        "pielm-no-less-accurate-than-trained",
        RAPID,
        "matches or exceeds the accuracy of PINNs on a range of problems",
        sentence="A net with random hidden weights is at least as accurate as the best trained "
        "net, in no more time.",
        declared="2026-11-17 35f9287b",
        criterion="median l2_error of the largest untrained nets (tanh) that take no longer ≤ that "
        "of the best trained nets",
        **_over(_as_accurate, ALL),
    ),
    _other(
        "pinn-does-not-outperform-elements",
        PINN,
        "In terms of solution time and accuracy, physics-informed neural networks have not been "
        "able to outperform the finite element method",
        sentence="A finite element reaches the error of the best trained net in less time.",
        declared="2026-11-17 45390af0",
        criterion="seconds of the fastest hexP solve with no larger l2_error < the median "
        "seconds of the best trained nets",
        **_over(_not_outperformed, ALL),
    ),
    _other(
        "pielm-below-elements-at-steep-gradients",
        PIELM,
        "it retains its speed edge and lowers the FEM error by one order of magnitude",
        sentence="At a singular edge whose place is given, the largest untrained nets have a "
        "smaller error than hp elements of no more time.",
        declared="2026-11-18 50a1a2fa",
        criterion="l2_error of the untrained net (tanh, most features) < the smallest of the hp "
        "meshes that take no longer than its median seconds, by seed, curlsing and screen",
        examine=_against_hp,
        family="solve",
        problems=SINGULAR,
    ),
]
