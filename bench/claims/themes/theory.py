"""Formulas of Sections 3, 5 and 6 as the paper prints them, each against an independent value."""

from __future__ import annotations

from functools import partial

from bench.claims import Checked, Claim, Fault, Finding, NotTested, formula
from bench.claims.rules import checked_over
from bench.store.results import Results

COMMAND = "femnets run slips --preset paper"
ATLAS = "femnets run gradient_atlas --preset quick"
ROUNDING = 1e-10  # a formula that is right agrees with automatic differentiation to this
RANDOM = "random nets, no field"  # where formulas and gradients are measured
AGREEMENT = 1e-8  # norms of deep nets, wherever they are finite


def _found(results: Results, slip: str) -> Results:
    return Results([r for r in results.select("slips") if slip in r.values])


def _as_printed(results: Results, slips: tuple[str, ...]) -> Finding:
    """Do the printed formulas agree to rounding in every random net?"""
    found = Results([r for r in results.select("slips") if all(slip in r.values for slip in slips)])
    if not len(found):
        return NotTested(COMMAND)
    printed = [r.values[slip]["printed"] for slip in slips for r in found]
    corrected = [r.values[slip]["corrected"] for slip in slips for r in found]
    right = sum(error <= ROUNDING for error in printed)
    ends = (min(printed), max(printed))
    what = (
        f"right in {right} of {len(printed)} random nets or equations; off by {ends[0]:.2g} to "
        f"{ends[1]:.2g} (relative)"
    )
    if None not in corrected:
        what += f"; corrected, by {max(corrected):.1g} at most"
    keys, seeds = found.keys(), len(found)
    return Checked(right == len(printed), keys, what, RANDOM, ends[1], ends, seeds)


def _index(results: Results) -> Finding:
    """Right in the theorem's own notation, wrong with the weights of Section 5."""
    found = _found(results, "fractional_own_notation")
    if not len(found):
        return NotTested(COMMAND)
    own = max(r.values["fractional_own_notation"]["printed"] for r in found)
    other = [r.values["fractional_index"]["printed"] for r in found]
    what = (
        f"with a_{{ℓ,k}} in the state equation too, as the theorem prints it, the derivative is "
        f"right to {own:.1g}; with the weights a_{{ℓ−1,k}} of Section 5 it is off by "
        f"{min(other):.2g} to {max(other):.2g} and needs the shift"
    )
    keys, ends = found.keys(), (min(other), max(other))
    table = {
        "a_{ℓ,k} in the state equation too": Checked(own <= ROUNDING, keys, "", effect=own),
        "the weights of Section 5": Checked(
            ends[1] <= ROUNDING, keys, "", effect=ends[1], interval=ends
        ),
    }
    return checked_over(table, what, "which a_{ℓ,k} is meant", COMMAND)


def _differ(results: Results) -> Finding:
    """DtO and OtD differ by more than rounding, already in one step, in every random net."""
    found = _found(results, "otd_one_step")
    if not len(found):
        return NotTested(COMMAND)
    steps = [r.values["otd_one_step"] for r in found]
    drift = [r.values["otd_drift"]["printed"] for r in found]
    return Checked(
        all(step["printed"] > ROUNDING for step in steps),
        found.keys(),
        f"one step differs by {min(s['printed'] for s in steps):.2g} or more, whole recursions by "
        f"{min(drift):.2g} to {max(drift):.2g}; for equal steps DtO is OtD minus α φ[L−1], to "
        f"{max(s['corrected'] for s in steps):.1g}",
        effect=min(step["printed"] for step in steps),
        seeds=len(found),
    )


def _stable(results: Results) -> Finding:
    """Some constant exists where f is Lipschitz throughout; none if solutions leave the ball."""
    found = _found(results, "theorems")
    if not len(found):
        return NotTested(COMMAND)
    excess = max(r.values["gronwall"]["corrected"] for r in found)
    left = found.records[0].values["theorems"]
    what = (
        f"for f = Λy growth stays below E_γ(Λt^γ) in {len(found)} random equations (excess "
        f"{excess:g}), so a constant exists; two solutions of ∂^γ y = y² that leave the ball where "
        f"Λ holds grow apart by {left['escape_growth']:.3g}, the bound with that Λ is "
        f"{left['escape_bound']:.3g}"
    )
    keys, growth = found.keys(), left["escape_growth"] / left["escape_bound"]
    table = {
        "f is Lipschitz throughout": Checked(excess <= 0, keys, "", effect=excess),
        "solutions leave the ball": Checked(growth <= 1, keys, "", effect=growth),
    }
    return checked_over(table, what, "whether solutions stay where f is Lipschitz", COMMAND)


def _product(results: Results) -> Finding:
    found = _found(results, "theorems")
    if not len(found):
        return NotTested(COMMAND)
    product = found.records[0].values["theorems"]["product_of_factors_below_one"]
    what = (
        f"200 factors 1 − 1/k² < 1 of a one-neuron net multiply to {product:.4f}, on the way to ½; "
        "the product tends to 0 if and only if Σ (1 − factor) diverges, for which a uniform bound "
        "below 1 is enough"
    )
    return Checked(product < 0.01, found.keys(), what, effect=product)


def _trade_off(results: Results) -> Finding:
    found = _found(results, "theorems")
    if not len(found):
        return NotTested(COMMAND)
    values = found.records[0].values["theorems"]
    (large, cured), (own, shrunk) = values["example_6_3_first"], values["example_6_3_second"]
    what = (
        f"with d a/d y = 100, τ[1] from 1 to 1/100 brings dy[2]/db[0] from {large:g} to {cured:g} "
        f"and dy[2]/db[1] from {own:g} to {shrunk:g}"
    )
    fallen = max(cured / large, shrunk / own)
    return Checked(fallen < 0.1, found.keys(), what, effect=fallen)


def _theory_agrees(results: Results) -> Finding:
    """The three theorems that need no correction."""
    kept = [
        r
        for net in ("feedforward", "resnet", "densenet")
        for r in results.select("gradients_at_init", net=net)
    ]
    found = Results([r for r in kept if r.values.get("theory_error") is not None])
    if not len(found):
        return NotTested(ATLAS)
    worst = max(found.errors("theory_error"))
    return Checked(
        worst < AGREEMENT,
        found.keys(),
        f"largest relative difference {worst:.1e} over {len(found)} nets of up to "
        f"{max(found.distinct('hidden'))} layers",
        effect=worst,
    )


def _printed(
    name: str, slips: tuple[str, ...], words: str, sentence: str, where: str, fault: Fault = ""
) -> Claim:
    return Claim(
        name=name,
        sentence=sentence,
        domain=RANDOM,
        **formula(where, words),
        criterion=f"the printed formula agrees to {ROUNDING:g}, in every random net",
        declared="2026-11-16 46dd0b00",
        examine=partial(_as_printed, slips=slips),
        fault=fault,
    )


CLAIMS = [
    Claim(
        name="gradient-theorems",
        sentence="The theorems of Section 6 give the derivatives of feedforward net, ResNet and "
        "DenseNet.",
        domain=RANDOM,
        **formula(
            "Section 6, Theorems 6.1 and 6.4",
            "d y[ℓ]/dθ[j] = Π (τ D) ∂(τ a), Π (I + τ D) ∂(τ a), and the DenseNet's recursion",
        ),
        criterion=f"the printed formulas equal measured norms to {AGREEMENT:g} wherever finite",
        declared="2026-11-17 9fb8e163",
        examine=_theory_agrees,
    ),
    Claim(
        name="theorem-fractional-index",
        sentence="The derivatives of the Fractional-DNN by W and b follow the recursion with "
        "weights a_{i,k}.",
        domain=RANDOM,
        **formula(
            "Section 6, Theorem 6.6, proof, remark and Example 6.8",
            "d y[i] = d Σ_{k=j+1}^{i−2} (a_{i,k} − a_{i,k−1}) y[k] + ((1 − a_{i,i−2}) I + …) …",
        ),
        criterion=f"agrees to {ROUNDING:g} in every random net, read with the theorem's own state "
        "equation, and read with that of Section 5",
        declared="2026-11-17 da1c0372",
        examine=_index,
        fault="clash of notation",
    ),
    _printed(
        "theorem-fractional-tau-column",
        ("fractional_tau_column",),
        "d_{θ[j]} y[j+1] = c ∂_{θ[j]}((τ[j])^γ a[j]), θ = (W, b, τ)",
        "The same recursion gives the derivatives with respect to τ.",
        "Section 6, Theorem 6.6",
        "substantive error",
    ),
    Claim(
        name="dto-differs-from-otd",
        sentence="Optimise-then-discretise and discretise-then-optimise give different adjoints.",
        domain=RANDOM,
        **formula(
            "Section 5.2",
            "“in the τ-variable fractional setting, we observe that the two approaches do not "
            "coincide”",
        ),
        criterion=f"one step differs by more than {ROUNDING:g}, in every random net",
        declared="2026-11-16 0dde11d2",
        examine=_differ,
        note="already for equal steps, where the paper expects a = b to make them agree",
    ),
    _printed(
        "parameter-gradients",
        ("weight_gradient_transposed", "bias_gradient_summed"),
        "∂_W L = y (φ ⊙ τ σ′)ᵀ + ∂_W J, ∂_b L = φᵀ τ σ′ + ∂_b J",
        "The derivatives of a hidden layer are y (φ ⊙ τσ′)ᵀ by W and φᵀ τσ′ by b.",
        "Section 5, derivatives by θ",
        "typo",
    ),
    _printed(
        "terminal-adjoint",
        ("terminal_adjoint",),
        "φ[L] = ∂J = y[L] − S(u)",
        "For one sample the adjoint starts from y − S(u).",
        "Section 5.1, adjoint system",
    ),
    _printed(
        "volterra-kernel",
        ("volterra_kernel",),
        "y(t) = y₀ + c_γ ∫ (t−s)^{−γ} f ds, c_γ = 1/Γ(1−γ)",
        "The fractional equation has the Volterra kernel (t−s)^{−γ}/Γ(1−γ).",
        "Section 3.2, proof of Proposition 3.2",
        "substantive error",
    ),
    _printed(
        "stability-constant",
        ("gronwall",),
        "‖y_α − y_β‖ ≤ ‖y_α(0) − y_β(0)‖ exp(L t^{1−γ} / ((1−γ) Γ(1−γ)))",
        "Perturbations grow at most by the factor that the proof prints.",
        "Section 3.2, proof of Proposition 3.2",
        "substantive error",
    ),
    Claim(
        name="stability-proposition",
        sentence="Solutions depend continuously on their initial values, with some C(γ, T, L).",
        domain=RANDOM,
        **formula(
            "Section 3.2, Proposition 3.2",
            "‖y_α − y_β‖_{L¹(0,T;E)} ≤ C ‖y_{α,0} − y_{β,0}‖, C = C(γ, T, L) > 0",
        ),
        criterion="growth ≤ E_γ(Λt^γ) for f = Λy, and for an f that is Lipschitz in a ball only",
        declared="2026-11-17 556fe596",
        examine=_stable,
        fault="substantive error",
    ),
    Claim(
        name="factors-below-one",
        sentence="Factors below 1 make the product of derivatives tend to 0.",
        domain=RANDOM,
        **formula(
            "Section 6, after Remark 6.2",
            "“if the partial derivatives are smaller than 1, the product will tend to 0 as the "
            "number of layers L increases”",
        ),
        criterion="the product of factors 1 − 1/k² of a one-neuron net falls below 0.01",
        declared="2026-11-17 a8d5cea9",
        examine=_product,
        fault="substantive error",
    ),
    Claim(
        name="example-6-3",
        sentence="A small τ[1] that tames the first layer's derivatives shrinks the second layer's "
        "own.",
        domain=RANDOM,
        **formula(
            "Section 6, Example 6.3",
            "“fixing one potential exploding gradient problem, can cause another gradient to "
            "vanish”",
        ),
        criterion="both derivatives fall more than tenfold when τ[1] goes from 1 to 1/(d a/d y)",
        declared="2026-11-17 45ffc28e",
        examine=_trade_off,
    ),
]
