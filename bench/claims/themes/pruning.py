"""Claims on redundant layers: τ ≈ 0 appears, marks a layer as redundant, and it may be deleted."""

from __future__ import annotations

from bench.claims import Claim, Finding, NotTested, quoted
from bench.claims.arms import MAIN
from bench.claims.paper import PRUNING_REL_TEST_ERROR
from bench.claims.rules import count, counted
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
REPRODUCES_WITHIN = 2.0


def _near_zero(record: StoredResult) -> bool:
    """A τ beyond the first layer, which lifts the input and cannot be spared."""
    return any(tau is not None and abs(tau) < NEAR_ZERO for tau in record.values["tau"][1:])


def _reproduces(record: StoredResult) -> bool:
    error = record.values.get("rel_test_error")
    low, high = (
        PRUNING_REL_TEST_ERROR / REPRODUCES_WITHIN,
        PRUNING_REL_TEST_ERROR * REPRODUCES_WITHIN,
    )
    return error is not None and low <= error <= high


def _reached(results: Results) -> Finding:
    found = results.select("net", **EXPERIMENT)
    errors = sorted(e for e in found.value("rel_test_error") if e is not None)
    spread = f"; errors {errors[0]:.2g} to {errors[-1]:.2g}" if errors else ""
    what = f"{{hits}} of {{runs}} end within a factor of two of 0.07{spread}"
    return count(found, _reproduces, what, COMMAND)


def _appears(results: Results) -> Finding:
    """Over all starting values that were tried; the evidence says from which it happened."""
    found = results.select("net", **EXPERIMENT)
    if not len(found):
        return NotTested(COMMAND)
    parts = []
    for tau0 in found.distinct("tau0"):
        runs = [r for r in found if r.config["tau0"] == tau0]
        parts.append(f"{sum(map(_near_zero, runs))} of {len(runs)} from τ₀ = {tau0}")
    what = f"some τ[ℓ], ℓ ≥ 1, ends below {NEAR_ZERO:g} in {{hits}} of {{runs}}: " + ", ".join(
        parts
    )
    return counted([_near_zero(record) for record in found], found, what)


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


CLAIMS = [
    Claim(
        name="pruning-error",
        sentence="1000 steps of steepest descent bring the 5-10 ResNet with learned τ and bias "
        "ordering to a relative test error of 0.07.",
        **quoted(
            "Section 7.1, network reduction",
            "“The relative error in the Euclidean norm on the test set is 0.07”",
        ),
        declared="2026-11-16 4bc8fd10",
        criterion="rel_test_error within a factor of two of 0.07, in every run",
        examine=_reached,
        note="the paper does not say from which τ it starts; several are tried",
    ),
    Claim(
        name="tau-near-zero-appears",
        sentence="Some learned τ end near zero.",
        **quoted(
            "Section 7.1, network reduction", "“we see τ[1], τ[3] and τ[4] are approximately 0”"
        ),
        declared="2026-11-16 d389fa6d",
        criterion=f"some |τ[ℓ]| < {NEAR_ZERO:g} with ℓ ≥ 1, in every run",
        examine=_appears,
    ),
    Claim(
        name="deleting-keeps-the-error",
        sentence="Layers with τ near zero can be deleted without losing accuracy.",
        **quoted(
            "Section 1, advantages; Section 7.1, network reduction",
            "“If τ for any layer is close to zero, then the associated layer is redundant and "
            "can be deleted without sacrificing the accuracy.”",
        ),
        declared="2026-11-16 644312a7",
        criterion="the test error after deletion is within 5 % of the one before, in every run "
        "that has "
        "such layers",
        examine=_kept,
    ),
]
