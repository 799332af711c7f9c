"""Given the equation only: findings of ours. Which errors are reached, and does τ matter?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.claims.admissibility import first_broken, ladders
from bench.claims.arms import NAMES
from bench.claims.claim import Claim
from bench.claims.domains import whole
from bench.claims.findings import Compared, Finding, need
from bench.claims.rules import over, paired, seed_of, smaller, tabled
from bench.store.results import Results, StoredResult


def best_nets(results: Results, problem: str) -> Results:
    """The nets with the longest training among those of the default form and optimiser."""
    default = {"form": "strong", "boundary": "penalty", "optimizer": "auto"}
    nets = results.select("solved_net", problem=problem, **default)
    longest = max((record.config["evaluations"] or 0 for record in nets), default=0)
    return Results([record for record in nets if record.config["evaluations"] == longest])


def solved(results: Results, problem: str, element: str) -> Results:
    """Boundary-value problems on meshes that are not given the place of a singular edge."""
    found = results.select("fem", problem=problem, element=element, solve=True)
    return Results([r for r in found if not r.config["grading"] and not r.config["layers"]])


Measure = Callable[[StoredResult, Results], tuple[float | None, float | None]]


def _by_problem(results: Results, element: str, title: str, what: str, measure: Measure) -> Finding:
    """Nets against all meshes of an element, problem by problem and seed by seed."""

    def compare(problem: str) -> Compared:
        nets, meshes = best_nets(results, problem), need(solved(results, problem, element))
        rows = [(seed_of(net), *measure(net, meshes)) for net in nets]
        cut_short = ladders(meshes, title) or ladders(nets, "the net")
        refused = first_broken([("ladder", cut_short)])
        return paired(rows, nets.keys() + meshes.keys(), what, whole(problem), refused)

    problems = results.select("solved_net").distinct("problem")
    return tabled(over(problems, compare), what, "the field")


def _errors(net: StoredResult, meshes: Results) -> tuple[float | None, float | None]:
    return net.values.get("l2_error"), min(meshes.errors())


def _seconds(net: StoredResult, meshes: Results) -> tuple[float | None, float | None]:
    """Of the fastest mesh with an error no larger than the net's, and of the net."""
    error = net.values.get("l2_error")
    able = [r for r in meshes if error is None or r.values["l2_error"] <= error]
    return min((r.values["seconds"] for r in able), default=None), net.values.get("seconds")


def _arm(net: str, tau: str) -> dict[str, object]:
    return {"net": net, "tau": tau, "problem": "helix", "form": "strong", "optimizer": "auto"}


claim = partial(Claim, family="solve")
CLAIMS = [
    claim(
        name="solving-net-beats-n0",
        sentence="Given the equation, a small trained net has a smaller error than every mesh of "
        "lowest-order Nédélec elements (N₀) within one minute.",
        criterion="l2_error of the longest trained net < smallest l2_error of N₀ on uniform and "
        "adaptive meshes, by problem and seed; both ladders climb to half of 60 s or level off",
        declared="2026-11-18 20b8cef1",
        examine=partial(
            _by_problem,
            element="N0",
            title="N₀",
            what="l2_error, the best net over the best mesh of N₀",
            measure=_errors,
        ),
        problems=(),
    ),
    claim(
        name="p-version-beats-solving-net",
        sentence="Given the equation, elements of high order on uniform meshes reach the error of "
        "the best net in less time.",
        criterion="seconds of the fastest hexP solve whose l2_error is no larger than the net's < "
        "the net's seconds, by problem and seed; no mesh is given the place of an edge",
        declared="2026-11-18 6b8bd743",
        examine=partial(
            _by_problem,
            element="hexP",
            title="the p-version",
            what="seconds, the fastest p-version of the net's error over the net",
            measure=_seconds,
        ),
        problems=(),
    ),
    claim(
        name="tau-and-memory-help-solving",
        sentence="Given the equation, a learned τ, and the memory of a Fractional-DNN, lower the "
        "error of a net on the field helix.",
        criterion="l2_error with τ learned < τ fixed, and of the Fractional-DNN < ResNet with τ "
        "learned; helix, paired seeds, same evaluations",
        declared="2026-11-18 90494214",
        examine=smaller(
            "l2_error",
            {
                **{f"τ, {NAMES[n]}": (_arm(n, "learned"), _arm(n, "fixed")) for n in NAMES},
                "memory": (_arm("fractional", "learned"), _arm("resnet", "learned")),
            },
            along="what is compared",
            kind="solved_net",
        ),
        problems=("helix",),
    ),
]
