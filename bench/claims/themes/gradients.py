"""Claims on vanishing and exploding gradients before training; what learning does is in `tau`."""

from __future__ import annotations

from functools import partial

from bench.claims.arms import any_of
from bench.claims.claim import quoted
from bench.claims.findings import Checked, Finding, need
from bench.claims.rules import checked, checked_over, over
from bench.claims.themes.theory import ATLAS, RANDOM, SLIPS, with_slips
from bench.methods.titles import net_title
from bench.store.results import Results

DECADES = 3.0  # the rule of `nets.gradients.verdict`
EXACT = 1e-12  # two nets that are one function agree to this
SKIPS = ("resnet", "densenet", "fractional")


def _skips_prevent_vanishing(results: Results) -> Finding:
    """Random nets with skips at τ = 1, at every depth and scale, and the net made to vanish."""
    arms = ({"net": net, "tau0": "1", "tau": "fixed"} for net in SKIPS)
    found = need(any_of(results, *arms, kind="gradients_at_init"))
    made, labels = with_slips(results, "theorems"), found.value("label")
    hits = labels.count("vanishing")
    decay = max(r.values["theorems"]["contracting_log10_decay"] for r in made)
    what = (
        f"{hits} of {len(labels)} random nets with skips vanish at τ = 1 and "
        f"{labels.count('exploding')} explode; the ResNet of 20 layers with τ = 1, W = −½ I and "
        f"b = 30 loses a factor of 10^{decay:.1f}"
    )
    table = {
        "random weights": checked(hits == 0, found, [hits / len(labels)]),
        "W = −½ I, b = 30": checked(decay >= -DECADES, made, [10**decay]),
    }
    return checked_over(table, "the weights", what)


def _memory_prevents_vanishing(results: Results) -> Finding:
    """The identity path of the Fractional-DNN falls like a power of the depth."""
    found = with_slips(results, "theorems")
    measured = [r.values["theorems"] for r in found]
    slopes = [m["identity_path_slope"] for m in measured]
    gap = max(abs(m["identity_path_slope"] + 1 - m["gamma"]) for m in measured)
    what = (
        f"where activations contribute nothing, dy[H]/dy[1] falls like H^(−(1−γ)): measured "
        f"exponents within {gap:.1g} of γ − 1 for {len(measured)} random γ; algebraic, not "
        "exponential, but it vanishes"
    )
    return checked(max(slopes) >= -0.1, found, slopes, what, by=min, seeds=len(measured))


def _more_than_a_scaling(results: Results) -> Finding:
    """Is a net with τ another function than its twin with steps 1 and rescaled weights?"""
    found = with_slips(results, "theorems")
    gaps = [r.values["theorems"]["rescaling_gap"] for r in found]

    def check(net: str) -> Checked:
        seen = [gap[net] for gap in gaps]
        return checked(max(seen) >= EXACT, found, seen, f"{min(seen):.1g} to {max(seen):.1g}")

    return checked_over(
        over(gaps[0], check), "the net: only unequal steps of a Fractional-DNN are more"
    )


def _small_steps_prevent_explosion(results: Results) -> Finding:
    """At τ = 1/H and He's weights no net with skips may be labelled exploding."""

    def check(net: str) -> Checked:
        found = need(results.select("gradients_at_init", net=net, tau0="1/H", scale=1.0))
        share = found.value("label").count("exploding") / len(found)
        what = f"{share:.0%} of random nets explode at τ = 1/H"
        return checked(share == 0, found, [share], what)

    parts = over(("resnet", "fractional", "densenet"), check)
    return checked_over({net_title(net): part for net, part in parts.items()}, "the net")


claim = partial(quoted, domain=RANDOM, needs=SLIPS)
CLAIMS = [
    claim(
        name="skips-prevent-vanishing",
        sentence="ResNet, DenseNet and Fractional-DNN do not suffer from vanishing gradients.",
        where="Section 6, after Remark 6.2 and at its end",
        words="“ResNet, DenseNet and Fractional-DNN have a visible additive structure in the "
        "derivatives, which helps with the vanishing gradients problem”; of the ResNet: “known "
        "to be stable with respect to vanishing gradients”",
        criterion="no random net with skips is labelled vanishing at τ = 1, at any depth and "
        "scale of the atlas, nor is the ResNet with W = −½ I",
        declared="2026-11-17 1bc4fe58",
        needs="gradient_atlas slips --preset paper",
        examine=_skips_prevent_vanishing,
    ),
    claim(
        name="memory-prevents-vanishing",
        sentence="In a deep Fractional-DNN the identity path keeps gradients from vanishing.",
        where="Section 6, Remark 6.7",
        words="a factor “which allows us to overcome the vanishing gradient problem in "
        "Fractional-DNNs”",
        criterion="with D = 0, dy[H]/dy[1] does not fall like a power of H (exponent above −0.1), "
        "for every random γ",
        declared="2026-11-17 bbe0a25f",
        examine=_memory_prevents_vanishing,
    ),
    claim(
        name="more-than-a-scaling",
        sentence="A net with steps τ is another function than one with steps 1 and rescaled "
        "weights.",
        where="Section 1; Section 5.2, Remark 5.1",
        words="“the presented approach is not just a scaling of the activation function σ by τ”",
        criterion=f"outputs differ by more than {EXACT:g} (relative) for exact ReLU and τ > 0, in "
        "every random ResNet, DenseNet and Fractional-DNN",
        declared="2026-11-17 ce7b5900",
        examine=_more_than_a_scaling,
    ),
    claim(
        name="small-tau-prevents-exploding",
        sentence="Appropriately small τ keep the gradients of deep nets with skips from exploding.",
        where="Section 6, after Remark 6.2; Remarks 6.5 and 6.7",
        words="“Appropriate small τ can prevent the product from exploding with growing number of "
        "layers.” Of the DenseNet: “can help deal with this problem”",
        criterion="no random ResNet, Fractional-DNN or DenseNet is labelled exploding at τ = 1/H "
        "and He's weights",
        declared="2026-11-18 e6e3fd97",
        needs=ATLAS,
        examine=_small_steps_prevent_explosion,
        note="the DenseNet's sum of all earlier states doubles gradients layer by layer, whatever "
        "τ is; its row was declared after its result had been seen",
    ),
]
