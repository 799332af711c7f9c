"""Claims on redundant layers: τ ≈ 0 appears, marks a layer as redundant, and it may be deleted."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from bench.claims.arms import NAMES, any_of, arm, combinations
from bench.claims.claim import quoted
from bench.claims.domains import TEST
from bench.claims.findings import Checked, Finding, need
from bench.claims.paper import PRUNING_REL_TEST_ERROR
from bench.claims.rules import checked, count, unit_of
from bench.store.results import Results, StoredResult

# From several starting values of τ: the paper states none.
DEEP = arm(net="resnet", tau="learned", bias_ordering=True, hidden=5, width=10)
EXPERIMENT = {name: value for name, value in DEEP.items() if name != "tau0"}
NEAR_ZERO = 1e-2
KEEPS_WITHIN = 1.05
STEPS = "the τ of a net"


def _reached(results: Results) -> Finding:
    """Do the runs end near the printed test error? Their middle half decides, not one of them."""
    found = results.select("net", **EXPERIMENT)
    errors = need(sorted(e for e in found.value("rel_test_error") if e is not None))
    low, middle, high = (float(np.quantile(errors, share)) for share in (0.25, 0.5, 0.75))
    what = (
        f"printed {PRUNING_REL_TEST_ERROR:g}; median of {len(errors)} {unit_of(found)} "
        f"{middle:.2g}, middle half {low:.2g} to {high:.2g}, largest {errors[-1]:.2g}"
    )
    near, seeds = low <= PRUNING_REL_TEST_ERROR <= high, len(found.distinct("seed"))
    return Checked(near, found.keys(), what, TEST, middle, (low, high), seeds, printed=True)


def _reduced(results: Results) -> Finding:
    """How many runs have τ[1], τ[3] and τ[4] near zero, over all starting values.

    The first layer lifts the input and cannot be spared.
    """
    found = need(results.select("net", **EXPERIMENT))
    sizes = [[1.0 if tau is None else abs(tau) for tau in r.values["tau"]] for r in found]
    least = [min(size[1:]) for size in sizes]
    whole = sum(max(size[1], size[3], size[4]) < NEAR_ZERO for size in sizes)
    what = (
        f"τ[1], τ[3] and τ[4] end below {NEAR_ZERO:g} in {whole} of {len(found)} "
        f"{unit_of(found)}, some τ[ℓ] with ℓ ≥ 1 in {sum(tau < NEAR_ZERO for tau in least)}; the "
        f"smallest is {min(least):.2g}"
    )
    seeds = len(found.distinct("seed"))
    return checked(whole > 0, found, least, what, by=min, seeds=seeds, printed=True)


def _kept(results: Results) -> Finding:
    found = results.select("net", **EXPERIMENT)
    pruned = need(Results([r for r in found if r.values.get("pruned_tau_layers")]))
    what = (
        f"deleting the layers with |τ| < {NEAR_ZERO:g} keeps the error within 5 % in {{hits}} of "
        f"{{runs}} that have such layers (worst: {max(map(_rise, pruned)):.3g} times)"
    )
    return count(pruned, lambda record: _rise(record) <= KEEPS_WITHIN, what)


def _rise(record: StoredResult) -> float:
    """The test error after deletion over that before."""
    after = record.values["pruned_tau_error"] or math.inf
    return float(after / record.values["rel_test_error"])


def _positive(results: Results) -> Finding:
    settings = combinations(net=NAMES, bias_ordering=(False, True))
    nets = any_of(results, *(arm(hidden=6, tau="learned", **each) for each in settings))
    return count(
        nets,
        lambda r: all(tau is not None and tau > 0 for tau in r.values.get("tau") or [None]),
        "all τ end positive in {hits} of {runs}",
    )


claim = partial(quoted, where="Section 7.1, network reduction")
CLAIMS = [
    claim(
        name="pruning-error",
        sentence="1000 steps of steepest descent bring the 5-10 ResNet with learned τ and bias "
        "ordering to a relative test error of 0.07.",
        words="“The relative error in the Euclidean norm on the test set is 0.07”",
        criterion="0.07 lies within the middle half of the runs over seeds and starting τ",
        declared="2026-11-18 0c0ddd5b",
        needs="pruning --preset paper",
        examine=_reached,
        note="the paper does not say from which τ it starts; several are tried",
    ),
    claim(
        name="reduction-5-10-to-2-10",
        sentence="In the 5-10 ResNet three of the five learned τ end near zero, so that it reduces "
        "to 2-10.",
        words="“we see τ[1], τ[3] and τ[4] are approximately 0”",
        criterion=f"|τ[1]|, |τ[3]| and |τ[4]| < {NEAR_ZERO:g} in some run",
        declared="2026-11-18 c94a12b6",
        domain=STEPS,
        needs="pruning --preset paper",
        examine=_reduced,
    ),
    claim(
        name="deleting-keeps-the-error",
        sentence="Layers with τ near zero can be deleted without losing accuracy.",
        where="Section 1, advantages; Section 7.1, network reduction",
        words="“If τ for any layer is close to zero, then the associated layer is redundant and "
        "can be deleted without sacrificing the accuracy.”",
        criterion="the test error after deletion is within 5 % of the one before in all runs that "
        "have such layers, in most seeds",
        declared="2026-11-18 e465df5c",
        family="pruning",
        domain=TEST,
        examine=_kept,
    ),
    claim(
        name="tau-positive-at-6-50",
        sentence="In the 6-50 nets every learned τ ends positive: no layer is redundant.",
        words="“we see in Table 1 that τ > 0 for all ℓ in this setup”",
        criterion="all τ > 0 in every 6-50 run with learned τ, with and without bias ordering, in "
        "most seeds",
        declared="2026-11-18 2d3cd9af",
        family="training",
        domain=STEPS,
        examine=_positive,
    ),
]
