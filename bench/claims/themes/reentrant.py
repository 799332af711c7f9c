"""Re-entrant edges: controls of ours. Which methods are right there, and which indicators warn.

Also what the report counts by: where a net ended, and whether a user without u would have been
warned. Thresholds were fixed on problems without a re-entrant edge (`bench.methods.calibration`);
the distance to a coarse N₀ solve beyond that solve's own estimate of its error needs none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from bench.claims import Checked, Claim, Finding, NotTested
from bench.claims.arms import Arm
from bench.claims.rules import compared, counted
from bench.methods.calibration import WRONG_ABOVE, thresholds
from bench.store.results import Results, StoredResult, pairs

PROBLEMS = ("reentrant",)
RELATIVES = ("reentrant3d", "fichera")
COMMAND = "femnets run reentrant --preset paper"
NODAL = (0.4, 0.7)  # about the nodal limit, one half
ESTIMATED = "a coarse N₀ solve"
# what warns, and which threshold of the calibration it has
INDICATORS = {
    "held-out points": "held_out",
    "the N₀-tested residual": "tested",
    "the distance from a coarse N₀ solve": "distance",
    ESTIMATED: None,
}
MOVING = 0.9  # of the fine loss over the last quarter of a training: below, it still falls
STALLED = 0.05  # relative change of the error at a doubling of n
GRADED_RATE = 0.85


def end_of(record: StoredResult) -> str:
    """The right field, overfitting between the points, still on the way, or at rest: about the
    nodal limit or elsewhere."""
    values = record.values
    relative = values.get("l2_relative")
    if relative is None or values.get("diverged"):
        return "diverged"
    if relative < WRONG_ABOVE:
        return "right"
    if indicators_of(record)["held_out"] > thresholds()["held_out"]:
        return "overfitted"
    if values["late_fall"] < MOVING:
        return "still falling"
    on_the_prism = record.config.get("problem") in PROBLEMS  # whose nodal limit is known
    return "nodal limit" if on_the_prism and NODAL[0] <= relative <= NODAL[1] else "elsewhere"


def ends(records: Sequence[StoredResult]) -> dict[str, int]:
    """How many records end where."""
    kinds = ("right", "nodal limit", "overfitted", "still falling", "elsewhere", "diverged")
    found = [end_of(record) for record in records]
    return {kind: found.count(kind) for kind in kinds}


def indicators_of(record: StoredResult) -> dict[str, float]:
    """The indicators of a net, as the calibration counts them."""
    values = record.values
    return {
        "held_out": values["held_out_loss"] / values["training_loss"],
        "tested": values["tested_residual"] / values["field_norm"],
        "distance": values["coarse_distance"] / values["coarse_norm"],
    }


def warned(record: StoredResult) -> tuple[bool, dict[str, bool]]:
    """Whether a net is wrong, and which indicators say so without knowing u."""
    values = record.values
    wrong = end_of(record) != "right"
    if values.get("l2_relative") is None:
        return wrong, dict.fromkeys(INDICATORS, True)
    measured, limits = indicators_of(record), thresholds()
    beyond = values["coarse_distance"] > values["coarse_estimate"]
    return wrong, {
        name: beyond if key is None else measured[key] > limits[key]
        for name, key in INDICATORS.items()
    }


KIND = "reentrant_net"
PLAIN = {"problem": "reentrant", "form": "div-curl", "div_exponent": 0.0, "singular": False}
NEEDED = ("l2_relative", "training_loss", "fine_loss", "held_out_loss")


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
    found: dict[tuple[int, int], list[StoredResult]] = {}
    for record in usable(nets.select(KIND, **{**PLAIN, **where})):
        size = (int(record.config["width"]), int(record.config["points"]))
        found.setdefault(size, []).append(record)
    return max(found.values(), key=len, default=[])


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
        "nodal Q₁": edge.select("edge_solve", element="nodalQ", div_exponent=None),
        "nodal Q₁, r div": edge.select("edge_solve", element="nodalQ", div_exponent=1.0),
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


def _ordered(results: Results) -> list[StoredResult]:
    return sorted(results, key=lambda record: record.config["n"])


def _nodal(results: Results) -> Finding:
    found = _ordered(results.select("edge_solve", element="nodalQ", div_exponent=None))
    if len(found) < 3:
        return NotTested(COMMAND)
    errors = [record.values["l2_relative"] for record in found]
    energies = [record.values["energy"] for record in found]
    steps = [abs(b / a - 1) for a, b in pairwise(errors)]
    falls = all(a > b for a, b in pairwise(energies))
    true = max(steps[-2:]) < STALLED and errors[-1] > WRONG_ABOVE and falls
    listed = ", ".join(f"{error:.3f}" for error in errors)
    return Checked(
        true,
        tuple(record.key for record in found),
        f"relative errors {listed} at n = {', '.join(str(r.config['n']) for r in found)}, energies "
        f"{energies[0]:.3g} to {energies[-1]:.3g}",
    )


def _weighted(results: Results) -> Finding:
    plain = results.select("edge_solve", element="nodalQ", div_exponent=None)
    cured = _ordered(results.select("edge_solve", element="nodalQ", div_exponent=1.0))
    if len(cured) < 2 or not len(plain):
        return NotTested(COMMAND)
    last = cured[-1]
    unweighted = [r for r in plain if r.config["n"] == last.config["n"]]
    if not unweighted:
        return NotTested(COMMAND)
    errors = [record.values["l2_relative"] for record in cured]
    falling = all(a > b for a, b in pairwise(errors))
    wrong = unweighted[0].values["l2_relative"]
    return Checked(
        falling and errors[-1] < 0.75 * wrong,
        tuple(record.key for record in (*cured, *unweighted)),
        f"relative error {errors[-1]:.3f} with the weight, {wrong:.3f} without, "
        f"n = {last.config['n']}",
    )


def _graded(results: Results) -> Finding:
    cells = results.select("fem", problem="reentrant", element="N0", solve=False)
    found = _ordered(Results([record for record in cells if record.config["grading"]]))
    if len(found) < 2:
        return NotTested(COMMAND)
    coarse, fine = found[-2:]
    ratio = math.log(fine.config["n"] / coarse.config["n"])
    rate = math.log(coarse.values["l2_error"] / fine.values["l2_error"]) / ratio
    counts = [record.values["iterations"] for record in found]
    return Checked(
        rate >= GRADED_RATE,
        tuple(record.key for record in found),
        f"rate {rate:.3f} at the last step, relative error {fine.values['l2_relative']:.3g}, "
        f"iterations {', '.join(map(str, counts))}",
    )


def _warns(results: Results) -> Finding:
    nets = results.select("reentrant_net")
    wrong = [record for record in nets if warned(record)[0]]
    if not wrong:
        return NotTested(COMMAND)
    right = [record for record in nets if not warned(record)[0]]
    warnings = [warned(record)[1][ESTIMATED] for record in wrong]
    false = sum(warned(record)[1][ESTIMATED] for record in right)
    return counted(
        warnings,
        Results(wrong),
        f"it warns of {{hits}} of {{runs}} that are wrong, and falsely of {false} of {len(right)} "
        "that are right",
    )


MAP = {
    "form": "div-curl", "inside": "uniform", "rim": "uniform", "div_exponent": 0.0,
    "singular": False,
}  # fmt: skip


PENALTY, BUILT_IN = {**MAP, "boundary": "penalty"}, {**MAP, "boundary": "exact"}


def _smaller(arm: Arm, than: Arm, results: Results) -> Finding:
    """Is the error smaller for `arm`, at the size of net and points that has most seeds?"""
    best: list[tuple[StoredResult, StoredResult]] = []
    nets = results.select("reentrant_net", **than)
    for width in nets.distinct("width"):
        for points in nets.distinct("points"):
            size = {"width": width, "points": points}
            arms = [results.select("reentrant_net", **each, **size) for each in (arm, than)]
            best = max(best, pairs(*arms), key=len)
    if not best:
        return NotTested(COMMAND)
    return compared(best, lambda record: record.values.get("l2_relative"), "l2_relative")


def _tells(results: Results) -> Finding:
    nets = Results([r for r in results.select("reentrant_net") if not r.values.get("diverged")])
    if not len(nets):
        return NotTested(COMMAND)
    name = "the distance from a coarse N₀ solve"
    pairs_of = [(wrong, warns[name]) for wrong, warns in map(warned, nets)]
    missed = sum(wrong and not warns for wrong, warns in pairs_of)
    false = sum(warns and not wrong for wrong, warns in pairs_of)
    return counted(
        [wrong == warns for wrong, warns in pairs_of],
        nets,
        f"it is right about {{hits}} of {{runs}}: missed {missed}, falsely alarmed {false}",
    )


_at_the_edge = partial(Claim, problems=PROBLEMS)

CLAIMS = [
    _at_the_edge(
        name="reentrant-nodal-elements-stay-wrong",
        declared="2026-11-17 c2b0a801",
        sentence="At a re-entrant edge nodal elements converge to a field that is not u.",
        criterion=f"relative error of nodal Q₁ above {WRONG_ABOVE:g} and changing by less than "
        f"{100 * STALLED:g} % at each of the last two doublings, while the energy falls",
        examine=_nodal,
    ),
    _at_the_edge(
        name="reentrant-weight-cures-nodal-elements",
        declared="2026-11-17 f39fae89",
        sentence="The weight r on the divergence brings nodal elements back to u.",
        criterion="the error falls at every doubling, to below three quarters of that without "
        "weight",
        examine=_weighted,
    ),
    _at_the_edge(
        name="reentrant-edge-elements-converge",
        declared="2026-11-17 fe2110c0",
        sentence="Nédélec's elements on meshes graded to the edge converge like h.",
        criterion=f"rate by cells per unit length at least {GRADED_RATE:g} at the last doubling",
        examine=_graded,
    ),
    _at_the_edge(
        name="reentrant-built-in-nets-are-worse",
        declared="2026-11-17 a45ce218",
        sentence="Nets whose boundary values are built in end farther from u than nets with a "
        "penalty, uniform points for both.",
        criterion="l2_relative by penalty < built in, uniform points, paired seeds",
        family="reentrant",
        examine=partial(_smaller, PENALTY, BUILT_IN),
    ),
    _at_the_edge(
        name="reentrant-coarse-solve-warns",
        declared="2026-11-17 d828c794",
        sentence="A coarse N₀ solve with its own error estimate warns of nets that are wrong.",
        criterion="distance of the net from the solve > the solve's estimate, for every wrong net",
        examine=_warns,
    ),
    Claim(
        name="reentrant-distance-tells-right-from-wrong",
        problems=(*PROBLEMS, *RELATIVES),
        declared="2026-11-17 031f451b",
        sentence="The distance from a coarse N₀ solve tells nets that are right from nets that are "
        "wrong.",
        criterion="distance from the solve over the solve's size above the threshold that other "
        "problems fixed, for wrong nets and for no right one",
        examine=_tells,
    ),
    _at_the_edge(
        name="reentrant-weak-form-frees-built-in-nets",
        declared="2026-11-17 3d0a19eb",
        sentence="Nets whose boundary values are built in end nearer to u if they are given the "
        "weak form.",
        criterion="l2_relative in the weak form < in the div-curl loss, boundary values built in, "
        "uniform points, paired seeds",
        family="reentrant",
        examine=partial(_smaller, {**MAP, "form": "weak", "boundary": "exact"}, BUILT_IN),
    ),
]
