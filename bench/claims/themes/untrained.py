"""What other papers claim of untrained and interpolated nets, and untrained nets against hp."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from bench.claims.admissibility import (
    FLAT,
    first_broken,
    information,
    interior,
    ladder,
    ladders,
    rungs_of,
    seeds,
)
from bench.claims.arms import SMOOTH
from bench.claims.claim import Claim
from bench.claims.findings import Checked, Compared, Counted, Finding, need
from bench.claims.rules import Examine, checked_over, count, over, paired, tabled
from bench.claims.themes.solve import best_nets, solved
from bench.store.results import Results, StoredResult, median

FEINN = "Badia, Li, Martín, Compatible FE interpolated neural networks, arXiv 2411.04591, abstract"
PIELM = "Sacchetti, When random features beat the mesh, IEEE Access 2026, abstract"
RAPID = "Dwivedi, Srinivasan, Physics Informed Extreme Learning Machine, arXiv 1907.03507, abstract"
PINN = "Grossmann and others, Can physics-informed neural networks beat the FEM?, 2024, abstract"
ORDERS = 2  # "several orders of magnitude" are at least two
TIMES = 10  # "an order of magnitude faster"
SINGULAR = ("curlsing", "screen")
STRONGEST = ("sine", "tanh")  # by the pilot of `solve`


def _feinn(results: Results) -> Finding:
    """By element, in how many seeds the net is far below the element's own solution."""
    nets = need(results.select("interpolated_net"))

    def of(element: str) -> Counted:
        records = nets.select("interpolated_net", element=element)
        what = f"{element}: net over element {median(map(_over_element, records)):.2g}"
        return count(records, _far_below, what)

    table = over(nets.distinct("element"), of)
    every = count(nets, _far_below, "; ".join(part.what for part in table.values()))
    return replace(every, table=table)


def _over_element(record: StoredResult) -> float:
    return float(record.values["l2_error"] / record.values["element_l2_error"])


def _far_below(record: StoredResult) -> bool:
    return _over_element(record) < 10.0**-ORDERS


def untrained(results: Results, problem: str) -> list[Results]:
    """The untrained nets by number of features, with sines if there are such."""
    found = results.select("untrained_net", problem=problem)
    known = found.distinct("activation")
    nets = found.select("untrained_net", activation=next(filter(known.__contains__, STRONGEST), ""))
    sizes = nets.distinct("features")
    return [nets.select("untrained_net", features=features) for features in sizes]


def _faster(results: Results, problem: str) -> Checked:
    nets = need(untrained(results, problem))[-1]
    return _against_elements(results, problem, nets, lambda ratio: ratio >= TIMES)


def _not_outperformed(results: Results, problem: str) -> Checked:
    return _against_elements(results, problem, best_nets(results, problem), lambda ratio: ratio < 1)


def _against_elements(
    results: Results, problem: str, nets: Results, true: Callable[[float], bool]
) -> Checked:
    """The time of the fastest p-version that is as accurate as the nets, over their own time."""
    elements = need(solved(results, problem, "hexP"), nets)
    error, seconds = median(nets.errors()), median(nets.value("seconds"))
    reached = [r.values["seconds"] for r in elements if r.values["l2_error"] <= error]
    fastest = min(reached, default=math.inf)
    return Checked(
        true(fastest / seconds),
        (*nets.keys(), *elements.keys()),
        f"nets {error:.2g} after {seconds:.2g} s; the p-version gets there in {fastest:.2g} s",
        effect=fastest / seconds if reached else None,
        seeds=len(nets),
    )


def _as_accurate(results: Results, problem: str) -> Checked:
    sizes, trained = need(untrained(results, problem)), need(best_nets(results, problem))
    error, seconds = median(trained.errors()), median(trained.value("seconds"))
    within = [nets for nets in sizes if median(nets.value("seconds")) <= seconds]
    nets = (within or sizes)[-1]
    reached = median(nets.errors())
    return Checked(
        bool(within) and reached <= error,
        (*nets.keys(), *trained.keys()),
        f"untrained {reached:.2g}, trained {error:.2g} after {seconds:.2g} s",
        effect=reached / error,
        seeds=len(nets),
    )


def _on_every_field(check: Callable[[Results, str], Checked], problems: tuple[str, ...]) -> Examine:
    def examine(results: Results) -> Finding:
        return checked_over(over(problems, partial(check, results)), "the field")

    return examine


def _against_hp(results: Results) -> Finding:
    """The error of the largest untrained nets over that of the best hp mesh of no more time, by
    field and norm."""
    compared = {
        name: partial(_on_edge, results, problem, error)
        for problem in SINGULAR
        for name, error in ((problem, "l2_error"), (f"{problem}, with the curl", "hcurl_error"))
    }
    return tabled(
        over([*compared], lambda name: compared[name]()),
        "error, the untrained net over hp",
        "the field and the norm",
    )


def _on_edge(results: Results, problem: str, error: str) -> Compared:
    found = results.select("fem", problem=problem, element="hexP", solve=True)
    meshes = Results([r for r in found if r.config["layers"]])
    sizes = need(untrained(results, problem), meshes)
    nets, every = sizes[-1], Results([r for group in sizes for r in group])
    seconds = median(nets.value("seconds"))
    least = FLAT if error == "l2_error" else 0.0
    able = need([r for r in meshes if r.values["seconds"] <= seconds])
    best = min(able, key=lambda r: (max(r.values[error], least), r.values["seconds"]))
    ratio, ratios = {"ratio": best.config["ratio"]}, {"ratio": meshes.distinct("ratio")}
    grown = ladder(rungs_of(every, error), "untrained nets")
    refused = first_broken(
        [
            ("ladder", ladders(meshes, "hp") or grown),
            ("interior", interior(ratio, ratios, arm="hp")),
            ("seeds", seeds(len(nets))),
            ("information", information(nets.records[0], best)),
        ]
    )
    rows = [
        (r.config["seed"], max(r.values[error], least), max(best.values[error], least))
        for r in nets
    ]
    cells = (*nets.keys(), *meshes.keys())
    return paired(rows, cells, f"{error} over that of hp", "cube", refused)


other = partial(Claim, part="other", domain="cube", needs="solve --preset paper")
ALL = (*SMOOTH, *SINGULAR)
CLAIMS = [
    other(
        name="feinn-net-orders-below-element",
        sentence="A net that is interpolated into a Nédélec space and trained there is at least a "
        "hundred times as accurate as the element's own solution on the same mesh.",
        where=FEINN,
        words="the trained network outperforms finite element solutions by several orders of "
        "magnitude for smooth analytical solutions",
        criterion="l2_error of the net < 1/100 of the element's, for every space of the study, by "
        "seed, maxwell",
        declared="2026-11-17 364cd5fd",
        examine=_feinn,
    ),
    other(
        name="pielm-ten-times-faster",
        sentence="On smooth fields a net with random hidden weights is at least ten times as fast "
        "as an equally accurate finite element.",
        where=PIELM,
        words="at least an order of magnitude faster than equally accurate FEM",
        criterion="seconds of the fastest hexP solve with no larger l2_error ≥ 10 times the "
        "median seconds of the largest untrained net (sines)",
        declared="2026-11-18 26cbadf5",
        examine=_on_every_field(_faster, SMOOTH),
        problems=SMOOTH,
    ),
    other(
        name="pielm-no-less-accurate-than-trained",
        sentence="A net with random hidden weights is at least as accurate as the best trained "
        "net, in no more time.",
        where=RAPID,
        words="matches or exceeds the accuracy of PINNs on a range of problems",
        criterion="median l2_error of the largest untrained nets (sines) that take no longer ≤ "
        "that of the best trained nets",
        declared="2026-11-18 4a675131",
        examine=_on_every_field(_as_accurate, ALL),
        problems=ALL,
    ),
    other(
        name="pinn-does-not-outperform-elements",
        sentence="A finite element reaches the error of the best trained net in less time.",
        where=PINN,
        words="In terms of solution time and accuracy, physics-informed neural networks have not "
        "been able to outperform the finite element method",
        criterion="seconds of the fastest hexP solve with no larger l2_error < the median "
        "seconds of the best trained nets",
        declared="2026-11-17 45390af0",
        examine=_on_every_field(_not_outperformed, ALL),
        problems=ALL,
    ),
    other(
        name="pielm-below-elements-at-steep-gradients",
        sentence="At a singular edge whose place is given, the largest untrained nets have a "
        "smaller error than hp elements of no more time.",
        where=PIELM,
        words="it retains its speed edge and lowers the FEM error by one order of magnitude",
        criterion="l2_error (below 1e-11 all are equal) and hcurl_error of the untrained net "
        "(sines, most features) < the smallest of the hp meshes, over all ratios of layers, that "
        "take no longer than its median seconds, by seed, curlsing and screen",
        declared="2026-11-18 bb405997",
        family="solve",
        examine=_against_hp,
        problems=SINGULAR,
    ),
]
