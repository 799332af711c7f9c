"""Re-entrant edges: findings of ours. Which methods are right there, and what warns of a wrong one.

Also what the report counts by: where a net ended, and whether a user without u would have been
warned by the distance from a coarse N₀ solve. Its threshold was fixed on problems without a
re-entrant edge (`bench.methods.calibration`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from bench.claims.arms import combinations
from bench.claims.claim import Claim
from bench.claims.findings import Compared, Finding, need
from bench.claims.rules import checked, compared, count, over, tabled
from bench.methods.calibration import WRONG_ABOVE, warns_above
from bench.store.results import Results, StoredResult, pairs

PROBLEMS = ("reentrant",)
RELATIVES = ("reentrant3d", "fichera")
PRISM = "L-shaped prism"
NODAL = (0.4, 0.7)  # about the nodal limit, one half
MOVING = 0.9  # of the fine loss over the last quarter of a training: below, it still falls
STALLED = 0.05  # relative change of the error at a doubling of n
GRADED_RATE = 0.85


def end_of(record: StoredResult) -> str:
    """The right field, still on the way, or at rest: about the nodal limit or elsewhere."""
    values = record.values
    relative = values.get("l2_relative")
    if relative is None or values.get("diverged"):
        return "diverged"
    if relative < WRONG_ABOVE:
        return "right"
    if values["late_fall"] < MOVING:
        return "still falling"
    on_the_prism = record.config.get("problem") in PROBLEMS  # whose nodal limit is known
    return "nodal limit" if on_the_prism and NODAL[0] <= relative <= NODAL[1] else "elsewhere"


def ends(records: Sequence[StoredResult]) -> dict[str, int]:
    """How many records end where."""
    kinds = ("right", "nodal limit", "still falling", "elsewhere", "diverged")
    found = [end_of(record) for record in records]
    return {kind: found.count(kind) for kind in kinds}


def warned(record: StoredResult) -> tuple[bool, bool]:
    """Whether a net is wrong, and whether its distance from a coarse solve says so without u."""
    values = record.values
    wrong = end_of(record) != "right"
    if values.get("l2_relative") is None:
        return wrong, True
    return wrong, values["coarse_distance"] / values["coarse_norm"] > warns_above()


KIND = "reentrant_net"
PLAIN = {"problem": "reentrant", "form": "div-curl"}
NEEDED = ("l2_relative", "training_loss", "fine_loss")


def on_the_prism(nets: Results) -> Results:
    """The nets of `reentrant`, whose energy has a known limit."""
    return nets.select(KIND, problem="reentrant")


def usable(records: Iterable[StoredResult]) -> list[StoredResult]:
    """The nets that have an error and a loss: not diverged."""
    return [
        record
        for record in records
        if not record.values.get("diverged")
        and all(record.values.get(name) is not None for name in NEEDED)
    ]


def main_arm(nets: Results, **where: Any) -> list[StoredResult]:
    """An arm of the map at the width and number of points that has most seeds."""
    found = Results(usable(nets.select(KIND, **{**PLAIN, **where})))
    sizes = found.grouped(lambda record: (record.config["width"], record.config["points"]))
    return [*max(sizes.values(), key=len, default=[])]


def elements_of(results: Results) -> dict[str, Results]:
    """The finite elements on the prism by their titles."""
    edge, every = results.select("edge_solve"), results.select("fem", problem="reentrant")
    fem = every.select("fem", solve=False)
    return {
        "N₀ uniform": fem.select("fem", element="N0", grading=None, refine=None),
        "N₀ graded": Results([r for r in fem.select("fem", element="N0") if r.config["grading"]]),
        "N₀ adaptive": Results([r for r in every if r.config["refine"]]),
        "hp bricks": fem.select("fem", element="hexP"),
        "nodal P₁": edge.select("edge_solve", element="nodalP1", div_exponent=None),
        "nodal P₁, r div": edge.select("edge_solve", element="nodalP1", div_exponent=1.0),
        "N₀ solved": edge.select("edge_solve", element="N0"),
    }


def norm_of(results: Results) -> float | None:
    """‖u‖ on the prism, from any result that has it."""
    for record in on_the_prism(results):
        if record.values.get("norm"):
            return float(record.values["norm"])
    for group in elements_of(results).values():
        for record in group:
            error, relative = (record.values.get(name) for name in ("l2_error", "l2_relative"))
            if error and relative:
                return float(error) / float(relative)
    return None


def _elements(results: Results) -> Finding:
    """Nodal elements come to rest at a wrong field while Nédélec elements converge."""
    elements = elements_of(results)
    nodal, graded = (elements[name].sorted_by("n") for name in ("nodal P₁", "N₀ graded"))
    need(nodal.records[2:], graded.records[1:])
    errors = nodal.value("l2_relative")
    steps = [abs(b / a - 1) for a, b in pairwise(errors)]
    stalled = max(steps[-2:]) < STALLED and errors[-1] > WRONG_ABOVE
    coarse, fine = graded.records[-2:]
    ratio = math.log(fine.config["n"] / coarse.config["n"])
    rate = math.log(coarse.values["l2_error"] / fine.values["l2_error"]) / ratio
    what = (
        f"relative errors of nodal P₁ {', '.join(f'{error:.3f}' for error in errors)}; of N₀ on "
        f"graded meshes {fine.values['l2_relative']:.3g} at the last mesh, falling with rate "
        f"{rate:.3f}"
    )
    found = Results([*nodal, *graded])
    return checked(stalled and rate >= GRADED_RATE, found, errors, what, by=lambda seen: seen[-1])


MAP = {"form": "div-curl", "inside": "uniform", "rim": "uniform"}
PENALTY, BUILT_IN = {**MAP, "boundary": "penalty"}, {**MAP, "boundary": "exact"}
REMEDIES = {
    "penalty over built in": PENALTY,
    "built in, weak form over div-curl": {**BUILT_IN, "form": "weak"},
}


def _remedies(results: Results) -> Finding:
    """The remedies at the size of net and points that has most seeds."""
    nets = results.select(KIND, **BUILT_IN)
    sizes = combinations(width=nets.distinct("width"), points=nets.distinct("points"))

    def compare(name: str) -> Compared:
        found = (
            pairs(*(results.select(KIND, **arm, **size) for arm in (REMEDIES[name], BUILT_IN)))
            for size in sizes
        )
        return compared(max(found, key=len, default=[]), "l2_relative")

    return tabled(over(REMEDIES, compare), "l2_relative", "the remedy")


def _tells(results: Results) -> Finding:
    nets = Results([r for r in results.select(KIND) if not r.values.get("diverged")])
    seen = [warned(net) for net in nets]
    return count(
        nets,
        lambda net: len({*warned(net)}) == 1,
        f"it is right about {{hits}} of {{runs}}: missed {seen.count((True, False))}, falsely "
        f"alarmed {seen.count((False, True))}",
    )


claim = partial(Claim, family="reentrant", problems=PROBLEMS)
CLAIMS = [
    Claim(
        name="reentrant-nodal-elements-stay-wrong",
        sentence="At a re-entrant edge nodal elements come to rest at a field that is not u, while "
        "Nédélec elements on graded meshes converge.",
        criterion=f"relative error of nodal P₁ above {WRONG_ABOVE:g} and changing by less than "
        f"{100 * STALLED:g} % at each of the last two doublings; rate of N₀ on graded meshes at "
        f"least {GRADED_RATE:g} at the last doubling",
        declared="2026-11-18 ffdcc3eb",
        domain=PRISM,
        needs="reentrant --preset paper",
        examine=_elements,
        problems=PROBLEMS,
    ),
    claim(
        name="reentrant-built-in-values-mislead",
        sentence="At a re-entrant edge a net with built-in boundary values ends farther from u "
        "than one with a penalty or one in the weak form.",
        criterion="l2_relative by penalty < built in, and in the weak form < in the div-curl loss; "
        "uniform points, paired seeds",
        declared="2026-11-18 af4c823a",
        examine=_remedies,
    ),
    claim(
        name="reentrant-distance-tells-right-from-wrong",
        sentence="Without knowing u, the distance from a coarse N₀ solve tells nets that are right "
        "from nets that are wrong.",
        criterion="distance from the solve over the solve's size above the threshold that other "
        "problems fixed, for all wrong nets and for no right one, in most seeds",
        declared="2026-11-18 2c96c5e9",
        domain=f"{PRISM}, and the domains of {', '.join(RELATIVES)}",
        examine=_tells,
        problems=(*PROBLEMS, *RELATIVES),
    ),
]
