"""Claims on unseen data: the cube, the outside of the cylinder, u₃, and the comparison with N₀."""

from __future__ import annotations

import math

from bench.claims import Claim, Finding, NotTested, Untestable, quoted
from bench.claims.arms import MAIN, NAMES, PAPER, Arm, arm
from bench.claims.rules import both, count, counted, is_smaller, is_true_of
from bench.store.results import Results, StoredResult, median

COMMAND = "femnets run training --preset paper"
CYLINDER_IN_CUBE = math.pi / 4  # volume of {r ≤ 1} within the unit cube
TAUS = ("fixed", "learned")


def _shallow(net: str, tau: str = "learned") -> Arm:
    return arm(net=net, tau=tau, hidden=2)


def _fractional_and_resnet() -> dict[str, tuple[Arm, Arm]]:
    return {f"τ {t}": (_shallow("fractional", t), _shallow("resnet", t)) for t in TAUS}


def _nets_beat_coarse_fem(results: Results) -> Finding:
    """In every seed the 2-50 nets beat N₀ on one cell; the evidence says up to which h they do."""
    fem = results.select("fem", problem=MAIN, element="N0", solve=False).sorted_by("n")
    nets = _shallow_nets(results)
    if not len(fem) or not len(nets):
        return NotTested(f"{COMMAND} && femnets run convergence --preset paper")
    errors = nets.errors()
    wins = [error < fem.records[0].values["l2_error"] for error in errors]
    middle = median(errors)
    beaten = [r.values for r in fem if r.values["l2_error"] > middle]
    reach = (
        f"the median net ({middle:.2g}) beats N₀ down to h = {beaten[-1]['h']:.3g} "
        f"(n = {beaten[-1]['n']})"
        if beaten
        else f"the median net ({middle:.2g}) beats N₀ on no mesh"
    )
    what = f"{{hits}} of {{runs}} beat N₀ at n = {fem.records[0].values['n']}; {reach}"
    return counted(wins, nets, what)


TEN_MESHES = (1, 10)


def _comparable_with_fem(results: Results) -> Finding:
    """Is a 2-50 net's error between those of N₀ on the coarsest and the finest of ten meshes?"""
    fem = results.select("fem", problem=MAIN, element="N0", solve=False)
    ends = [r.values["l2_error"] for n in TEN_MESHES for r in fem.select("fem", n=n)]
    nets = _shallow_nets(results)
    if len(ends) < len(TEN_MESHES) or not len(nets):
        return NotTested(f"{COMMAND} && femnets run convergence --preset paper")
    errors = nets.errors()
    what = (
        f"{{hits}} of {{runs}} end between {ends[1]:.2g} (n = 10) and {ends[0]:.2g} (n = 1); "
        f"{sum(error > ends[0] for error in errors)} are worse than one cell"
    )
    return counted([ends[1] <= error <= ends[0] for error in errors], nets, what)


def _shallow_nets(results: Results) -> Results:
    arms = [_shallow(net, tau) for net in NAMES for tau in TAUS]
    return Results([record for chosen in arms for record in results.select("net", **chosen)])


# The mean of |u|² over the cylinder: 2 ∫ I₁(r)² r dr = I₁(1)² − I₀(1) I₂(1).
MEAN_SQUARE_U = 0.1475393
GENERALISES_WITHIN = 1.2
SAME_ORDER = 3.0
GENERALISED = (
    f"the held-out MSE is at most {GENERALISES_WITHIN:g} times the training MSE in "
    "{hits} of {runs}"
)
EXTRAPOLATED = (
    f"the rms error outside is at most {SAME_ORDER:g} times that inside in {{hits}} of {{runs}}"
)


def _generalises(record: StoredResult) -> bool:
    """The mean squared error on held-out points of the cylinder against that in training."""
    relative, train = record.values.get("rel_test_error"), record.values.get("train_mse")
    if relative is None or not train:
        return False
    return bool(relative**2 * MEAN_SQUARE_U / 2 <= GENERALISES_WITHIN * train)


def _extrapolates(record: StoredResult) -> bool:
    """Root mean square errors of the parts of the cube outside and inside the cylinder."""
    inside, outside = (record.values.get(f"l2_error_{part}") for part in ("inside", "outside"))
    if inside is None or outside is None:
        return False
    ratio = (outside / math.sqrt(1 - CYLINDER_IN_CUBE)) / (inside / math.sqrt(CYLINDER_IN_CUBE))
    return bool(ratio <= SAME_ORDER)


def _flat_in_h(results: Results) -> Finding:
    """The spread of the error of the paper's nets over the quadratures of the meshes n = 2..10."""
    mode = {name: value for name, value in PAPER.items() if name != "bias_ordering"}
    nets = results.select("net", **mode)
    measured = [r for r in nets if r.values.get("mesh_errors")]
    if not measured:
        return NotTested(COMMAND)
    spreads = [max(e[1:]) / min(e[1:]) - 1 for e in (r.values["mesh_errors"] for r in measured)]
    worst = max(spreads)
    return Untestable(
        "a net does not know h, so its error cannot depend on it; what varies is the quadrature: "
        f"over the meshes' rules (n ≥ 2) the error of one net changes by {worst:.1%} at most",
        tuple(r.key for r in measured),
    )


def _u3_of_the_order_of_the_error(record: StoredResult) -> bool:
    """max |u₃| within a factor of ten of the root mean square error inside the cylinder."""
    values = record.values
    if values.get("u3_max") is None or not values.get("l2_error_inside"):
        return False
    largest = max(abs(values["u3_min"]), abs(values["u3_max"]))
    rms = values["l2_error_inside"] / math.sqrt(CYLINDER_IN_CUBE)
    return bool(0.1 * rms <= largest <= 10 * rms)


SMALL_U3 = "max |u₃| within a factor of ten of the error in {hits} of {runs}"


def _fractional(results: Results) -> Results:
    return results.select("net", **_shallow("fractional"))


def _generalise(results: Results) -> Finding:
    nets = _shallow_nets(results)
    parts = {
        "unseen points": count(nets, _generalises, GENERALISED, COMMAND),
        "outside the cylinder": count(nets, _extrapolates, EXTRAPOLATED, COMMAND),
    }
    return both(parts, COMMAND)


MAPS = "Section 7.1, error maps and figure of L² errors"

CLAIMS = [
    Claim(
        name="fractional-smaller-on-the-cube",
        sentence="At 2-50 the Fractional-DNN has a smaller error on the cube than the ResNet.",
        **quoted(MAPS, "“a smaller error on unseen data is achieved with Fractional-DNNs”"),
        declared="2026-11-18 426a811b",
        criterion="l2_error of the Fractional-DNN < that of the ResNet at 2-50, paired seeds",
        **is_smaller("l2_error", _fractional_and_resnet(), COMMAND, along="τ"),
    ),
    Claim(
        name="fractional-extrapolates-better",
        sentence="At 2-50 the Fractional-DNN has a smaller error than the ResNet outside the "
        "cylinder, where no samples lie.",
        **quoted(MAPS, "“Fractional-DNNs … extrapolate better than ResNets”"),
        declared="2026-11-18 9a5d8943",
        criterion="l2_error_outside of the Fractional-DNN < that of the ResNet at 2-50, paired "
        "seeds",
        **is_smaller("l2_error_outside", _fractional_and_resnet(), COMMAND, along="τ"),
    ),
    Claim(
        name="tau-extrapolates-better",
        sentence="At 2-50 the ResNet with learned τ extrapolates better than with fixed τ.",
        **quoted(
            "Section 7.1, error maps",
            "“In the ResNet setting, employing the τ-learning framework yields to slightly "
            "better results than fixing τ”",
        ),
        declared="2026-11-18 bb40aa2e",
        criterion="l2_error_outside with τ learned < τ fixed, paired seeds",
        **is_smaller(
            "l2_error_outside",
            {"ResNet": (_shallow("resnet"), _shallow("resnet", "fixed"))},
            COMMAND,
        ),
    ),
    Claim(
        name="nets-beat-n0-at-large-h",
        sentence="On the coarsest mesh, one cell, the 2-50 nets have a smaller error on the cube "
        "than lowest-order Nédélec elements (N₀).",
        **quoted(
            "Section 7.1, figure of L² errors",
            "“for the DNN with 2 layers and for large h, the DNN approach gives a better "
            "approximation than the Lowest Order Nédélec space”",
        ),
        declared="2026-11-18 cffd45f2",
        family="training",
        domain="cube",
        criterion="l2_error of all 2-50 nets < that of the best approximation on one cell, in most "
        "seeds",
        note="the elements are given the field, the nets samples of it: different information",
        examine=_nets_beat_coarse_fem,
    ),
    Claim(
        name="nets-comparable-with-n0",
        sentence="The 2-50 nets are comparable with lowest-order Nédélec elements (N₀).",
        **quoted(
            "Section 7.1, first paragraph",
            "“These results are also comparable to the approximation obtained with the finite "
            "element method”",
        ),
        declared="2026-11-18 6f679d1f",
        family="training",
        domain="cube",
        criterion="l2_error of all 2-50 nets between those of N₀ at n = 10 and n = 1, in most "
        "seeds",
        note="the elements are given the field, the nets samples of it: different information",
        examine=_comparable_with_fem,
    ),
    Claim(
        name="generalises-to-unseen-data",
        sentence="The nets generalise well to unseen points of the cylinder and to the part of the "
        "cube outside it.",
        **quoted(
            "Section 1",
            "“The DNNs are shown to generalize well on the unseen data and physical domains.”",
        ),
        declared="2026-11-18 c218283e",
        family="training",
        domain="cylinder and cube outside the cylinder",
        criterion=f"held-out MSE ≤ {GENERALISES_WITHIN:g} × training MSE, and rms error outside "
        f"the cylinder ≤ {SAME_ORDER:g} × that inside, for all 2-50 nets, each in most seeds",
        examine=_generalise,
    ),
    Claim(
        name="net-error-flat-in-h",
        sentence="The net's error stays flat as h goes to 0.",
        **quoted(
            "Section 7.1, figure of L² errors",
            "“as h gets smaller … it is not obvious if the DNN approximation will remain stable. "
            "However, Figure 3 show that the DNN approximation remains stable.”",
        ),
        declared="2026-11-17 34b9c09d",
        criterion="none: a net does not depend on h; the spread of its error over the meshes' "
        "quadratures is reported instead",
        examine=_flat_in_h,
    ),
    Claim(
        name="u3-of-the-order-of-the-error",
        sentence="The third component, which should vanish, is of the order of the error.",
        **quoted(
            "Section 7.1, on the quiver plots",
            "“the constraints violation is of the order of approximation error”",
        ),
        declared="2026-11-18 ce508ab9",
        domain="cylinder",
        criterion="max |u₃| within a factor of ten of the rms error in the cylinder, in most seeds",
        **is_true_of(_fractional, _u3_of_the_order_of_the_error, SMALL_U3, COMMAND),
    ),
    Claim(
        name="resnet-u3-smaller",
        sentence="At 2-50 with learned τ the ResNet keeps u₃ smaller than the Fractional-DNN.",
        **quoted(
            "Section 7.1, on the quiver plots",
            "“Meanwhile, ResNet with variable τ achieves better results in this test case.”",
        ),
        declared="2026-11-18 819dd9aa",
        criterion="max u₃ − min u₃ of the ResNet < that of the Fractional-DNN, paired seeds",
        **is_smaller(
            "u3_range",
            {"2-50, τ learned": (_shallow("resnet"), _shallow("fractional"))},
            COMMAND,
        ),
    ),
]
