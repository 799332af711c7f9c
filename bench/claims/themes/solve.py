"""Given the equation only: findings of ours. Which errors are reached, and does τ matter?"""

from __future__ import annotations

from collections.abc import Callable

from bench.claims import Claim, Finding, Refusal, admissibility
from bench.claims.arms import NAMES
from bench.claims.domains import whole
from bench.claims.rules import compared_values, is_smaller, seeds_of, tabled
from bench.store.results import Results, StoredResult

COMMAND = "femnets run solve --preset paper"


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


def cut_short(nets: Results, elements: Results, title: str) -> Refusal | None:
    """The rule on ladders, for nets by the length of training and for elements by unknowns."""
    return admissibility.first_broken(
        {"ladder": admissibility.ladders(elements, title) or admissibility.ladders(nets, "the net")}
    )


Ratio = Callable[[StoredResult, Results], tuple[float | None, float | None]]


def _by_problem(results: Results, element: str, title: str, what: str, ratio: Ratio) -> Finding:
    """Nets against all meshes of an element, problem by problem and seed by seed."""
    parts: dict[str, Finding] = {}
    for problem in results.select("solved_net").distinct("problem"):
        nets, meshes = best_nets(results, problem), solved(results, problem, element)
        if len(nets) and len(meshes):
            a, b = zip(*(ratio(net, meshes) for net in nets), strict=True)
            seeds, cells = [seeds_of(net) for net in nets], nets.keys() + meshes.keys()
            refused = cut_short(nets, meshes, title)
            parts[problem] = compared_values(a, b, seeds, cells, what, whole(problem), refused)
    return tabled(parts, what, "the field", COMMAND)


def _errors(net: StoredResult, meshes: Results) -> tuple[float | None, float | None]:
    return net.values.get("l2_error"), min(meshes.errors())


def _seconds(net: StoredResult, meshes: Results) -> tuple[float | None, float | None]:
    """Of the fastest mesh with an error no larger than the net's, and of the net."""
    error = net.values.get("l2_error")
    able = [r for r in meshes if error is None or r.values["l2_error"] <= error]
    return min((r.values["seconds"] for r in able), default=None), net.values.get("seconds")


def _net_over_n0(results: Results) -> Finding:
    what = "l2_error, the best net over the best mesh of N₀"
    return _by_problem(results, "N0", "N₀", what, _errors)


def _p_version_over_net(results: Results) -> Finding:
    what = "seconds, the fastest p-version of the net's error over the net"
    return _by_problem(results, "hexP", "the p-version", what, _seconds)


def _arm(net: str, tau: str) -> dict[str, object]:
    return {"net": net, "tau": tau, "problem": "helix", "form": "strong", "optimizer": "auto"}


CLAIMS = [
    Claim(
        name="solving-net-beats-n0",
        sentence="Given the equation, a small trained net has a smaller error than every mesh of "
        "lowest-order Nédélec elements (N₀) within one minute.",
        criterion="l2_error of the longest trained net < smallest l2_error of N₀ on uniform and "
        "adaptive meshes, by problem and seed; both ladders climb to half of 60 s or level off",
        declared="2026-11-18 20b8cef1",
        family="solve",
        examine=_net_over_n0,
        problems=(),
    ),
    Claim(
        name="p-version-beats-solving-net",
        sentence="Given the equation, the p-version on one cell reaches the error of the best net "
        "in less time.",
        criterion="seconds of the fastest hexP solve whose l2_error is no larger than the net's < "
        "the net's seconds, by problem and seed; no mesh is given the place of an edge",
        declared="2026-11-18 6b8bd743",
        family="solve",
        examine=_p_version_over_net,
        problems=(),
    ),
    Claim(
        name="tau-and-memory-help-solving",
        sentence="Given the equation, a learned τ, and the memory of a Fractional-DNN, lower the "
        "error of a net on the field helix.",
        criterion="l2_error with τ learned < τ fixed, and of the Fractional-DNN < ResNet with τ "
        "learned; helix, paired seeds, same evaluations",
        declared="2026-11-18 90494214",
        **is_smaller(
            "l2_error",
            {
                **{f"τ, {NAMES[n]}": (_arm(n, "learned"), _arm(n, "fixed")) for n in NAMES},
                "memory": (_arm("fractional", "learned"), _arm("resnet", "learned")),
            },
            COMMAND,
            along="what is compared",
            kind="solved_net",
            family="solve",
        ),
        problems=("helix",),
    ),
]
