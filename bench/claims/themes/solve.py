"""Given the equation only: controls of ours. Which errors are reached, and does τ matter?"""

from __future__ import annotations

import math
from collections.abc import Callable

from bench.claims import Checked, Claim, Counted, Finding, NotTested
from bench.claims.arms import SMOOTH
from bench.claims.rules import is_smaller
from bench.store.results import Results, StoredResult, median

COMMAND = "femnets run solve --preset paper"


def best_nets(results: Results, problem: str) -> Results:
    """The nets with the longest training among those of the default form and optimiser."""
    default = {"form": "strong", "boundary": "penalty", "optimizer": "auto"}
    nets = results.select("solved_net", problem=problem, **default)
    longest = max((record.config["evaluations"] or 0 for record in nets), default=0)
    return Results([record for record in nets if record.config["evaluations"] == longest])


def solved(results: Results, problem: str, element: str) -> Results:
    """Boundary-value problems on uniform meshes, or for hexP on any."""
    found = results.select("fem", problem=problem, element=element, solve=True)
    if element == "hexP":
        return found
    return Results([r for r in found if not r.config["refine"] and not r.config["grading"]])


def _finest(found: Results) -> StoredResult | None:
    return max(found, key=lambda record: record.values["dofs"], default=None)


def _passes_n0(problem: str) -> Callable[[Results], Finding]:
    def examine(results: Results) -> Finding:
        nets, mesh = best_nets(results, problem), _finest(solved(results, problem, "N0"))
        if not len(nets) or mesh is None:
            return NotTested(COMMAND)
        bound = mesh.values["l2_error"]
        hits = sum(error < bound for error in nets.errors())
        return Counted(
            hits,
            len(nets),
            (*nets.keys(), mesh.key),
            f"in {hits} of {len(nets)} runs; median error {median(nets.errors()):.2g} with "
            f"{nets.records[0].values['parameters']} parameters, N₀ {bound:.2g} with "
            f"{mesh.values['dofs']:,} unknowns",
        )

    return examine


def _p_version_passes(problem: str) -> Callable[[Results], Finding]:
    def examine(results: Results) -> Finding:
        nets, elements = best_nets(results, problem), solved(results, problem, "hexP")
        if not len(nets) or not len(elements):
            return NotTested(COMMAND)
        error, seconds = median(nets.errors()), median(nets.value("seconds"))
        reach = [r for r in elements if r.values["l2_error"] <= error]
        fastest = min((r.values["seconds"] for r in reach), default=math.inf)
        when = f"{fastest:.2g} s" if reach else "never within the sizes computed"
        return Checked(
            fastest < seconds,
            (*nets.keys(), *elements.keys()),
            f"the net's {error:.2g} after {seconds:.2g} s; the p-version gets there in {when}",
        )

    return examine


def _arm(net: str, tau: str, problem: str) -> dict[str, object]:
    return {"net": net, "tau": tau, "problem": problem, "form": "strong", "optimizer": "auto"}


def _net_beats_n0(problem: str) -> Claim:
    return Claim(
        name=f"solving-net-passes-n0-{problem}",
        sentence=f"On {problem} a small net that is given the equation has a smaller error than "
        "N₀ on the finest mesh computed.",
        declared="2026-11-17 1d289f90",
        criterion="l2_error of each best net < that of the N₀ solve with the most unknowns",
        examine=_passes_n0(problem),
        problems=(problem,),
    )


def _p_version_beats_net(problem: str) -> Claim:
    return Claim(
        name=f"p-version-passes-solving-net-{problem}",
        sentence=f"On {problem} the p-version reaches the error of the best net in less time.",
        declared="2026-11-17 da146d33",
        criterion="seconds of the fastest hexP solve whose l2_error is no larger than the net's "
        "median "
        "< the net's median seconds",
        examine=_p_version_passes(problem),
        problems=(problem,),
    )


CLAIMS = [
    *map(_net_beats_n0, SMOOTH),
    *map(_p_version_beats_net, SMOOTH),
    *(
        Claim(
            name=f"tau-helps-solving-{net}",
            sentence=f"A learned τ lowers the error of a {title} that is given the equation.",
            declared="2026-11-17 b69afa52",
            criterion="l2_error with τ learned < τ fixed, helix, paired seeds, same evaluations",
            **is_smaller(
                "l2_error",
                _arm(net, "learned", "helix"),
                _arm(net, "fixed", "helix"),
                COMMAND,
                kind="solved_net",
            ),
            problems=("helix",),
        )
        for net, title in (("resnet", "ResNet"), ("fractional", "Fractional-DNN"))
    ),
    Claim(
        name="fractional-helps-solving",
        sentence="A Fractional-DNN that is given the equation has a smaller error than a ResNet.",
        declared="2026-11-17 352ad37c",
        criterion="l2_error of the Fractional-DNN < ResNet, τ learned, helix, paired seeds, same "
        "evaluations",
        **is_smaller(
            "l2_error",
            _arm("fractional", "learned", "helix"),
            _arm("resnet", "learned", "helix"),
            COMMAND,
            kind="solved_net",
        ),
        problems=("helix",),
    ),
]
