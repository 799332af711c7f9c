"""Claims on unseen data: the cube, the outside of the cylinder, u₃, and the comparison with N₀."""

from __future__ import annotations

import math

from bench.claims import Claim, Finding, NotTested, Untestable, quoted
from bench.claims.arms import MAIN, NAMES, PAPER, Arm, arm
from bench.claims.rules import Examine, counted, is_smaller, is_true_of
from bench.store.results import Results, StoredResult, median

COMMAND = "femnets run training --preset paper"
CYLINDER_IN_CUBE = math.pi / 4  # volume of {r ≤ 1} within the unit cube


def _shallow(net: str, tau: str = "learned") -> Arm:
    return arm(net=net, tau=tau, hidden=2)


WORDS = {
    "l2_error": "“a smaller error on unseen data is achieved with Fractional-DNNs”",
    "l2_error_outside": "“Fractional-DNNs … extrapolate better than ResNets”",
}
DIGESTS = {"l2_error": "495ae568", "l2_error_outside": "e41b22b8"}


def _fractional_beats_resnet(metric: str, words: str, tau: str) -> Claim:
    return Claim(
        name=f"fractional-beats-resnet-{metric}-{tau}",
        sentence=f"At 2-50 with τ {tau} the Fractional-DNN has a smaller error {words} than the "
        "ResNet.",
        **quoted("Section 7.1, error maps and figure of L² errors", WORDS[metric]),
        declared=f"2026-11-16 {DIGESTS[metric]}",
        criterion=f"{metric} of the Fractional-DNN < that of the ResNet, paired seeds",
        **is_smaller(metric, _shallow("fractional", tau), _shallow("resnet", tau), COMMAND),
    )


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
    arms = [_shallow(net, tau) for net in NAMES for tau in ("fixed", "learned")]
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


WELL = "“The DNNs are shown to generalize well on the unseen data and physical domains.”"


def _generalises_to(
    name: str, unseen: str, criterion: str, declared: str, examine: Examine
) -> Claim:
    return Claim(
        name=f"generalises-to-unseen-{name}",
        sentence=f"The nets generalise well to unseen {unseen}.",
        **quoted("Section 1", WELL),
        declared=declared,
        criterion=criterion,
        examine=examine,
    )


CLAIMS = [
    *(
        _fractional_beats_resnet(metric, words, tau)
        for metric, words in (
            ("l2_error", "on the cube"),
            ("l2_error_outside", "outside the cylinder"),
        )
        for tau in ("fixed", "learned")
    ),
    Claim(
        name="tau-extrapolates-better-resnet",
        sentence="At 2-50 the ResNet with learned τ extrapolates better than with fixed τ.",
        **quoted(
            "Section 7.1, error maps",
            "“In the ResNet setting, employing the τ-learning framework yields to slightly "
            "better results than fixing τ”",
        ),
        declared="2026-11-16 bb40aa2e",
        criterion="l2_error_outside with τ learned < τ fixed, paired seeds",
        **is_smaller("l2_error_outside", _shallow("resnet"), _shallow("resnet", "fixed"), COMMAND),
    ),
    Claim(
        name="nets-beat-n0-at-large-h",
        sentence="For large h the 2-50 nets have a smaller L² error on the cube than N₀.",
        **quoted(
            "Section 7.1, figure of L² errors",
            "“for the DNN with 2 layers and for large h, the DNN approach gives a better "
            "approximation than the Lowest Order Nédélec space”",
        ),
        declared="2026-11-16 b302d2a4",
        criterion="l2_error < that of the best approximation on one cell, in every run",
        examine=_nets_beat_coarse_fem,
    ),
    Claim(
        name="nets-comparable-with-n0",
        sentence="The 2-50 nets are comparable with lowest-order finite elements.",
        **quoted(
            "Section 7.1, first paragraph",
            "“These results are also comparable to the approximation obtained with the finite "
            "element method”",
        ),
        declared="2026-11-16 12399b10",
        criterion="l2_error between those of N₀ at n = 10 and n = 1, in every run",
        examine=_comparable_with_fem,
    ),
    _generalises_to(
        "points",
        "data",
        f"held-out MSE ≤ {GENERALISES_WITHIN:g} × training MSE, in every 2-50 run",
        "2026-11-16 20d7bc9f",
        is_true_of(_shallow_nets, _generalises, GENERALISED, COMMAND),
    ),
    _generalises_to(
        "domains",
        "physical domains",
        f"rms error outside the cylinder ≤ {SAME_ORDER:g} × that inside, in every 2-50 run",
        "2026-11-16 2c4e87e8",
        is_true_of(_shallow_nets, _extrapolates, EXTRAPOLATED, COMMAND),
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
        declared="2026-11-16 3f99d8f5",
        criterion="max |u₃| within a factor of ten of the rms error in the cylinder, in every run",
        examine=is_true_of(_fractional, _u3_of_the_order_of_the_error, SMALL_U3, COMMAND),
    ),
    Claim(
        name="resnet-u3-smaller",
        sentence="At 2-50 with learned τ the ResNet keeps u₃ smaller than the Fractional-DNN.",
        **quoted(
            "Section 7.1, on the quiver plots",
            "“Meanwhile, ResNet with variable τ achieves better results in this test case.”",
        ),
        declared="2026-11-16 819dd9aa",
        criterion="max u₃ − min u₃ of the ResNet < that of the Fractional-DNN, paired seeds",
        **is_smaller("u3_range", _shallow("resnet"), _shallow("fractional"), COMMAND),
    ),
]
