"""Formulas of Sections 3, 5 and 6 as the paper prints them, each against an independent value."""

from __future__ import annotations

from functools import partial

from bench.claims.arms import any_of
from bench.claims.claim import formula
from bench.claims.findings import Finding, need
from bench.claims.rules import Examine, checked, checked_over
from bench.store.results import Results

SLIPS, ATLAS = "slips --preset paper", "gradient_atlas --preset quick"
ROUNDING = 1e-10  # a formula that is right agrees with automatic differentiation to this
RANDOM = "random nets, no field"  # where formulas and gradients are measured
AGREEMENT = 1e-8  # norms of deep nets, wherever they are finite


def with_slips(results: Results, *names: str) -> Results:
    """The cells that compare these printed formulas with correct ones."""
    found = [r for r in results.select("slips") if all(name in r.values for name in names)]
    return need(Results(found))


def _agrees(*names: str) -> Examine:
    """Do the printed formulas agree to rounding in every random net?"""

    def examine(results: Results) -> Finding:
        found = with_slips(results, *names)
        printed = [r.values[name]["printed"] for name in names for r in found]
        corrected = [r.values[name]["corrected"] for name in names for r in found]
        right = sum(error <= ROUNDING for error in printed)
        what = (
            f"right in {right} of {len(printed)} random nets or equations; off by "
            f"{min(printed):.2g} to {max(printed):.2g} (relative)"
        )
        if None not in corrected:
            what += f"; corrected, by {max(corrected):.1g} at most"
        return checked(right == len(printed), found, printed, what, seeds=len(found))

    return examine


def _index(results: Results) -> Finding:
    """Right in the theorem's own notation, wrong with the weights of Section 5."""
    found = with_slips(results, "fractional_own_notation")
    own = max(r.values["fractional_own_notation"]["printed"] for r in found)
    other = [r.values["fractional_index"]["printed"] for r in found]
    what = (
        f"with a_{{ℓ,k}} in the state equation too, as the theorem prints it, the derivative is "
        f"right to {own:.1g}; with the weights a_{{ℓ−1,k}} of Section 5 it is off by "
        f"{min(other):.2g} to {max(other):.2g} and needs the shift"
    )
    table = {
        "a_{ℓ,k} in the state equation too": checked(own <= ROUNDING, found, [own]),
        "the weights of Section 5": checked(max(other) <= ROUNDING, found, other),
    }
    return checked_over(table, "which a_{ℓ,k} is meant", what)


def _differ(results: Results) -> Finding:
    """DtO and OtD differ by more than rounding, already in one step, in every random net."""
    found = with_slips(results, "otd_one_step")
    steps = [r.values["otd_one_step"] for r in found]
    drift = [r.values["otd_drift"]["printed"] for r in found]
    least = min(step["printed"] for step in steps)
    what = (
        f"one step differs by {least:.2g} or more, whole recursions by {min(drift):.2g} to "
        f"{max(drift):.2g}; for equal steps DtO is OtD minus α φ[L−1], to "
        f"{max(step['corrected'] for step in steps):.1g}"
    )
    return checked(least > ROUNDING, found, [least], what, seeds=len(found))


def _stable(results: Results) -> Finding:
    """Some constant exists where f is Lipschitz throughout; none if solutions leave the ball."""
    found = with_slips(results, "theorems")
    excess = max(r.values["gronwall"]["corrected"] for r in found)
    left = found.records[0].values["theorems"]
    growth, bound = left["escape_growth"], left["escape_bound"]
    what = (
        f"for f = Λy growth stays below E_γ(Λt^γ) in {len(found)} random equations (excess "
        f"{excess:g}), so a constant exists; two solutions of ∂^γ y = y² that leave the ball where "
        f"Λ holds grow apart by {growth:.3g}, the bound with that Λ is {bound:.3g}"
    )
    table = {
        "f is Lipschitz throughout": checked(excess <= 0, found, [excess]),
        "solutions leave the ball": checked(growth <= bound, found, [growth / bound]),
    }
    return checked_over(table, "whether solutions stay where f is Lipschitz", what)


def _product(results: Results) -> Finding:
    found = with_slips(results, "theorems")
    product = found.records[0].values["theorems"]["product_of_factors_below_one"]
    what = (
        f"200 factors 1 − 1/k² < 1 of a one-neuron net multiply to {product:.4f}, on the way to ½; "
        "the product tends to 0 if and only if Σ (1 − factor) diverges, for which a uniform bound "
        "below 1 is enough"
    )
    return checked(product < 0.01, found, [product], what)


def _trade_off(results: Results) -> Finding:
    found = with_slips(results, "theorems")
    values = found.records[0].values["theorems"]
    (large, cured), (own, shrunk) = values["example_6_3_first"], values["example_6_3_second"]
    what = (
        f"with d a/d y = 100, τ[1] from 1 to 1/100 brings dy[2]/db[0] from {large:g} to {cured:g} "
        f"and dy[2]/db[1] from {own:g} to {shrunk:g}"
    )
    fallen = max(cured / large, shrunk / own)
    return checked(fallen < 0.1, found, [fallen], what)


def _theory_agrees(results: Results) -> Finding:
    """The three theorems that need no correction."""
    arms = ({"net": net} for net in ("feedforward", "resnet", "densenet"))
    nets = any_of(results, *arms, kind="gradients_at_init")
    found = need(Results([r for r in nets if r.values.get("theory_error") is not None]))
    worst = max(found.errors("theory_error"))
    what = (
        f"largest relative difference {worst:.1e} over {len(found)} nets of up to "
        f"{max(found.distinct('hidden'))} layers"
    )
    return checked(worst < AGREEMENT, found, [worst], what)


claim = partial(formula, domain=RANDOM, needs=SLIPS)
printed = partial(
    claim,
    criterion=f"the printed formula agrees to {ROUNDING:g}, in every random net",
    declared="2026-11-16 46dd0b00",
)
CLAIMS = [
    claim(
        name="gradient-theorems",
        sentence="The theorems of Section 6 give the derivatives of feedforward net, ResNet and "
        "DenseNet.",
        where="Section 6, Theorems 6.1 and 6.4",
        words="d y[ℓ]/dθ[j] = Π (τ D) ∂(τ a), Π (I + τ D) ∂(τ a), and the DenseNet's recursion",
        criterion=f"the printed formulas equal measured norms to {AGREEMENT:g} wherever finite",
        declared="2026-11-17 9fb8e163",
        needs=ATLAS,
        examine=_theory_agrees,
    ),
    claim(
        name="theorem-fractional-index",
        sentence="The derivatives of the Fractional-DNN by W and b follow the recursion with "
        "weights a_{i,k}.",
        where="Section 6, Theorem 6.6, proof, remark and Example 6.8",
        words="d y[i] = d Σ_{k=j+1}^{i−2} (a_{i,k} − a_{i,k−1}) y[k] + ((1 − a_{i,i−2}) I + …) …",
        criterion=f"agrees to {ROUNDING:g} in every random net, read with the theorem's own state "
        "equation, and read with that of Section 5",
        declared="2026-11-17 da1c0372",
        examine=_index,
        fault="clash of notation",
    ),
    printed(
        name="theorem-fractional-tau-column",
        sentence="The same recursion gives the derivatives with respect to τ.",
        where="Section 6, Theorem 6.6",
        words="d_{θ[j]} y[j+1] = c ∂_{θ[j]}((τ[j])^γ a[j]), θ = (W, b, τ)",
        examine=_agrees("fractional_tau_column"),
        fault="substantive error",
    ),
    claim(
        name="dto-differs-from-otd",
        sentence="Optimise-then-discretise and discretise-then-optimise give different adjoints.",
        where="Section 5.2",
        words="“in the τ-variable fractional setting, we observe that the two approaches do not "
        "coincide”",
        criterion=f"one step differs by more than {ROUNDING:g}, in every random net",
        declared="2026-11-16 0dde11d2",
        examine=_differ,
        note="already for equal steps, where the paper expects a = b to make them agree",
    ),
    printed(
        name="parameter-gradients",
        sentence="The derivatives of a hidden layer are y (φ ⊙ τσ′)ᵀ by W and φᵀ τσ′ by b.",
        where="Section 5, derivatives by θ",
        words="∂_W L = y (φ ⊙ τ σ′)ᵀ + ∂_W J, ∂_b L = φᵀ τ σ′ + ∂_b J",
        examine=_agrees("weight_gradient_transposed", "bias_gradient_summed"),
        fault="typo",
    ),
    printed(
        name="terminal-adjoint",
        sentence="For one sample the adjoint starts from y − S(u).",
        where="Section 5.1, adjoint system",
        words="φ[L] = ∂J = y[L] − S(u)",
        examine=_agrees("terminal_adjoint"),
    ),
    printed(
        name="volterra-kernel",
        sentence="The fractional equation has the Volterra kernel (t−s)^{−γ}/Γ(1−γ).",
        where="Section 3.2, proof of Proposition 3.2",
        words="y(t) = y₀ + c_γ ∫ (t−s)^{−γ} f ds, c_γ = 1/Γ(1−γ)",
        examine=_agrees("volterra_kernel"),
        fault="substantive error",
    ),
    printed(
        name="stability-constant",
        sentence="Perturbations grow at most by the factor that the proof prints.",
        where="Section 3.2, proof of Proposition 3.2",
        words="‖y_α − y_β‖ ≤ ‖y_α(0) − y_β(0)‖ exp(L t^{1−γ} / ((1−γ) Γ(1−γ)))",
        examine=_agrees("gronwall"),
        fault="substantive error",
    ),
    claim(
        name="stability-proposition",
        sentence="Solutions depend continuously on their initial values, with some C(γ, T, L).",
        where="Section 3.2, Proposition 3.2",
        words="‖y_α − y_β‖_{L¹(0,T;E)} ≤ C ‖y_{α,0} − y_{β,0}‖, C = C(γ, T, L) > 0",
        criterion="growth ≤ E_γ(Λt^γ) for f = Λy, and for an f that is Lipschitz in a ball only",
        declared="2026-11-17 556fe596",
        examine=_stable,
        fault="substantive error",
    ),
    claim(
        name="factors-below-one",
        sentence="Factors below 1 make the product of derivatives tend to 0.",
        where="Section 6, after Remark 6.2",
        words="“if the partial derivatives are smaller than 1, the product will tend to 0 as the "
        "number of layers L increases”",
        criterion="the product of factors 1 − 1/k² of a one-neuron net falls below 0.01",
        declared="2026-11-17 a8d5cea9",
        examine=_product,
        fault="substantive error",
    ),
    claim(
        name="example-6-3",
        sentence="A small τ[1] that tames the first layer's derivatives shrinks the second layer's "
        "own.",
        where="Section 6, Example 6.3",
        words="“fixing one potential exploding gradient problem, can cause another gradient to "
        "vanish”",
        criterion="both derivatives fall more than tenfold when τ[1] goes from 1 to 1/(d a/d y)",
        declared="2026-11-17 45ffc28e",
        examine=_trade_off,
    ),
]
