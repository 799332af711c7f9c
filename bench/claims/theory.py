"""Claims of Sections 3, 5 and 6: formulas, tested as printed; the corrected ones stand beside."""

from __future__ import annotations

from functools import partial

from bench.claims import Claim, Counted, Finding, NotTested
from bench.store.results import Results

COMMAND = "femnets run slips --preset paper"
ROUNDING = 1e-10  # a formula that is right agrees with automatic differentiation to this


def _as_printed(results: Results, slip: str) -> Finding:
    """In how many random nets does the printed formula agree to rounding?"""
    found = Results([r for r in results.select("slips") if slip in r.values])
    if not len(found):
        return NotTested(COMMAND)
    printed = [r.values[slip]["printed"] for r in found]
    corrected = [r.values[slip]["corrected"] for r in found]
    right = sum(error <= ROUNDING for error in printed)
    what = f"as printed it is off by {min(printed):.2g} to {max(printed):.2g} (relative)"
    if None not in corrected:
        what += f"; corrected, by {max(corrected):.1g} at most"
    return Counted(right, len(found), found.keys(), what)


def _differ(results: Results) -> Finding:
    """DtO and OtD differ: in how many random nets by more than rounding, already in one step?"""
    found = results.select("slips")
    if not len(found):
        return NotTested(COMMAND)
    steps = [r.values["otd_one_step"] for r in found]
    drift = [r.values["otd_drift"]["printed"] for r in found]
    return Counted(
        sum(step["printed"] > ROUNDING for step in steps),
        len(found),
        found.keys(),
        f"one step differs by {min(s['printed'] for s in steps):.2g} or more, whole recursions by "
        f"{min(drift):.2g} to {max(drift):.2g}; the boundary term −α φ[L−1] explains a step to "
        f"{max(s['corrected'] for s in steps):.1g} when steps are equal",
    )


def _printed(name: str, slip: str, sentence: str, where: str) -> Claim:
    return Claim(
        name=name,
        sentence=sentence,
        where=where,
        rule=f"the printed formula agrees to {ROUNDING:g}, in every random net",
        examine=partial(_as_printed, slip=slip),
    )


CLAIMS = [
    Claim(
        name="dto-differs-from-otd",
        sentence="Optimise-then-discretise and discretise-then-optimise give different adjoints.",
        where="Section 5, Fractional-DNN",
        rule=f"one step differs by more than {ROUNDING:g}, in every random net",
        examine=_differ,
    ),
    _printed(
        "theorem-fractional-index",
        "fractional_index",
        "The derivatives of the Fractional-DNN follow the recursion with weights a_{i,k}.",
        "Section 6, theorem on the Fractional-DNN",
    ),
    _printed(
        "theorem-fractional-tau-column",
        "fractional_tau_column",
        "The same recursion gives the derivatives with respect to τ.",
        "Section 6, theorem on the Fractional-DNN",
    ),
    _printed(
        "weight-gradient",
        "weight_gradient_transposed",
        "The derivative by W of a hidden layer is y (φ ⊙ τσ′)ᵀ.",
        "Section 5, derivatives by θ",
    ),
    _printed(
        "bias-gradient",
        "bias_gradient_summed",
        "The derivative by b of a hidden layer is φᵀ τσ′.",
        "Section 5, derivatives by θ",
    ),
    _printed(
        "terminal-adjoint",
        "terminal_adjoint",
        "The adjoint starts from y − S(u) for the mean squared error.",
        "Section 5, adjoint systems",
    ),
    _printed(
        "volterra-kernel",
        "volterra_kernel",
        "The fractional equation has the Volterra kernel (t−s)^{−γ}/Γ(1−γ).",
        "Section 3, proof of the stability proposition",
    ),
    _printed(
        "stability-bound",
        "gronwall",
        "Perturbations of the input grow at most like Gronwall's bound.",
        "Section 3, stability proposition",
    ),
]
