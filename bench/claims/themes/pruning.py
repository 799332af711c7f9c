"""Claims on redundant layers: τ ≈ 0 appears, marks a layer as redundant, and it may be deleted."""

from __future__ import annotations

import numpy as np

from bench.claims import Checked, Claim, Finding, NotTested, quoted
from bench.claims.arms import MAIN, NAMES, arm
from bench.claims.domains import TEST
from bench.claims.paper import PRUNING_REL_TEST_ERROR
from bench.claims.rules import counted, is_true_of, unit_of
from bench.store.results import Results, StoredResult

COMMAND = "femnets run pruning --preset paper"
EXPERIMENT = {
    "problem": MAIN,
    "net": "resnet",
    "tau": "learned",
    "bias_ordering": True,
    "hidden": 5,
    "width": 10,
    "optimizer": "steepest",
    "steps": 1000,
    "lambda2": 0.0,
    "init": "torch",
    "scale": 1.0,
}
NEAR_ZERO = 1e-2
KEEPS_WITHIN = 1.05


def _near_zero(record: StoredResult) -> bool:
    """A τ beyond the first layer, which lifts the input and cannot be spared."""
    return any(tau is not None and abs(tau) < NEAR_ZERO for tau in record.values["tau"][1:])


def _reached(results: Results) -> Finding:
    """Do the runs end near the printed test error? Their middle half decides, not one of them."""
    found = results.select("net", **EXPERIMENT)
    errors = sorted(e for e in found.value("rel_test_error") if e is not None)
    if not errors:
        return NotTested(COMMAND)
    low, middle, high = (float(np.quantile(errors, share)) for share in (0.25, 0.5, 0.75))
    near = low <= PRUNING_REL_TEST_ERROR <= high
    what = (
        f"printed {PRUNING_REL_TEST_ERROR:g}; median of {len(errors)} {unit_of(found)} "
        f"{middle:.2g}, middle half {low:.2g} to {high:.2g}, largest {errors[-1]:.2g}"
    )
    seeds = len(found.distinct("seed"))
    ends = (low, high)
    return Checked(near, found.keys(), what, TEST, middle, ends, seeds, printed=True)


def _reduced(results: Results) -> Finding:
    """How many runs have τ[1], τ[3] and τ[4] near zero, over all starting values."""
    found = results.select("net", **EXPERIMENT)
    if not len(found):
        return NotTested(COMMAND)
    some = sum(map(_near_zero, found))
    whole = sum(all(abs(r.values["tau"][at] or 1.0) < NEAR_ZERO for at in (1, 3, 4)) for r in found)
    least = [min(abs(tau or 1.0) for tau in r.values["tau"][1:]) for r in found]
    what = (
        f"τ[1], τ[3] and τ[4] end below {NEAR_ZERO:g} in {whole} of {len(found)} "
        f"{unit_of(found)}, some τ[ℓ] with ℓ ≥ 1 in {some}; the smallest is {min(least):.2g}"
    )
    ends = (min(least), max(least))
    seeds = len(found.distinct("seed"))
    least_tau, where = min(least), "the τ of a net"
    return Checked(whole > 0, found.keys(), what, where, least_tau, ends, seeds, printed=True)


def _kept(results: Results) -> Finding:
    found = results.select("net", **EXPERIMENT)
    pruned = Results([r for r in found if r.values.get("pruned_tau_layers")])
    if not len(pruned):
        return NotTested(COMMAND)
    ratios = [
        (r.values["pruned_tau_error"] or float("inf")) / r.values["rel_test_error"] for r in pruned
    ]
    what = (
        f"deleting the layers with |τ| < {NEAR_ZERO:g} keeps the error within 5 % in {{hits}} of "
        f"{{runs}} that have such layers (worst: {max(ratios):.3g} times)"
    )
    return counted([ratio <= KEEPS_WITHIN for ratio in ratios], pruned, what)


def _positive(record: StoredResult) -> bool:
    steps = record.values.get("tau") or [None]
    return all(tau is not None and tau > 0 for tau in steps)


def _deep_with_learned_tau(results: Results) -> Results:
    arms = [
        arm(net=net, bias_ordering=ordering, hidden=6, tau="learned")
        for net in NAMES
        for ordering in (False, True)
    ]
    return Results([record for chosen in arms for record in results.select("net", **chosen)])


TRAINING = "femnets run training --preset paper"
POSITIVE = "all τ end positive in {hits} of {runs}"
REDUCTION = "Section 7.1, network reduction"

CLAIMS = [
    Claim(
        name="pruning-error",
        sentence="1000 steps of steepest descent bring the 5-10 ResNet with learned τ and bias "
        "ordering to a relative test error of 0.07.",
        **quoted(REDUCTION, "“The relative error in the Euclidean norm on the test set is 0.07”"),
        declared="2026-11-18 0c0ddd5b",
        criterion="0.07 lies within the middle half of the runs over seeds and starting τ",
        examine=_reached,
        note="the paper does not say from which τ it starts; several are tried",
    ),
    Claim(
        name="reduction-5-10-to-2-10",
        sentence="In the 5-10 ResNet three of the five learned τ end near zero, so that it reduces "
        "to 2-10.",
        **quoted(REDUCTION, "“we see τ[1], τ[3] and τ[4] are approximately 0”"),
        declared="2026-11-18 c94a12b6",
        criterion=f"|τ[1]|, |τ[3]| and |τ[4]| < {NEAR_ZERO:g} in some run",
        examine=_reduced,
    ),
    Claim(
        name="deleting-keeps-the-error",
        sentence="Layers with τ near zero can be deleted without losing accuracy.",
        **quoted(
            "Section 1, advantages; Section 7.1, network reduction",
            "“If τ for any layer is close to zero, then the associated layer is redundant and "
            "can be deleted without sacrificing the accuracy.”",
        ),
        declared="2026-11-18 e465df5c",
        family="pruning",
        domain=TEST,
        criterion="the test error after deletion is within 5 % of the one before in all runs that "
        "have such layers, in most seeds",
        examine=_kept,
    ),
    Claim(
        name="tau-positive-at-6-50",
        sentence="In the 6-50 nets every learned τ ends positive: no layer is redundant.",
        **quoted(REDUCTION, "“we see in Table 1 that τ > 0 for all ℓ in this setup”"),
        declared="2026-11-18 2d3cd9af",
        domain="the τ of a net",
        criterion="all τ > 0 in every 6-50 run with learned τ, with and without bias ordering, in "
        "most seeds",
        **is_true_of(_deep_with_learned_tau, _positive, POSITIVE, TRAINING),
    ),
]
