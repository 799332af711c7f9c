"""Claims on vanishing and exploding gradients before training; what learning does is in `tau`."""

from __future__ import annotations

from bench.claims import Checked, Claim, Finding, NotTested, quoted
from bench.claims.arms import of_nets
from bench.claims.rules import checked_over
from bench.claims.themes.theory import COMMAND, RANDOM
from bench.methods.titles import net_title
from bench.store.results import Results

ATLAS = "femnets run gradient_atlas --preset quick"
BOTH = "femnets run gradient_atlas slips --preset paper"
DECADES = 3.0  # the rule of `nets.gradients.verdict`
EXACT = 1e-12  # two nets that are one function agree to this


def _skips_prevent_vanishing(results: Results) -> Finding:
    """Random nets with skips at τ = 1, at every depth and scale, and the net made to vanish."""
    nets = ("resnet", "densenet", "fractional")
    found = of_nets(results, nets, "gradients_at_init", tau0="1", tau="fixed")
    made = Results([r for r in results.select("slips") if "theorems" in r.values])
    if not len(found) or not len(made):
        return NotTested(BOTH)
    labels = found.value("label")
    hits = labels.count("vanishing")
    decay = max(r.values["theorems"]["contracting_log10_decay"] for r in made)
    what = (
        f"{hits} of {len(labels)} random nets with skips vanish at τ = 1 and "
        f"{labels.count('exploding')} explode; the ResNet of 20 layers with τ = 1, W = −½ I and "
        f"b = 30 loses a factor of 10^{decay:.1f}"
    )
    share = hits / len(labels)
    table = {
        "random weights": Checked(hits == 0, found.keys(), "", effect=share),
        "W = −½ I, b = 30": Checked(decay >= -DECADES, made.keys(), "", effect=10**decay),
    }
    return checked_over(table, what, "the weights", BOTH)


def _memory_prevents_vanishing(results: Results) -> Finding:
    """The identity path of the Fractional-DNN falls like a power of the depth."""
    found = Results([r for r in results.select("slips") if "theorems" in r.values])
    if not len(found):
        return NotTested(COMMAND)
    measured = [r.values["theorems"] for r in found]
    gap = max(abs(m["identity_path_slope"] + 1 - m["gamma"]) for m in measured)
    falls = all(m["identity_path_slope"] < -0.1 for m in measured)
    what = (
        f"where activations contribute nothing, dy[H]/dy[1] falls like H^(−(1−γ)): measured "
        f"exponents within {gap:.1g} of γ − 1 for {len(measured)} random γ; algebraic, not "
        "exponential, but it vanishes"
    )
    slopes = [m["identity_path_slope"] for m in measured]
    ends = (min(slopes), max(slopes))
    return Checked(not falls, found.keys(), what, RANDOM, ends[0], ends, len(measured))


def _more_than_a_scaling(results: Results) -> Finding:
    """Is a net with τ another function than its twin with steps 1 and rescaled weights?"""
    found = Results([r for r in results.select("slips") if "theorems" in r.values])
    if not len(found):
        return NotTested(COMMAND)
    gaps = {
        name: [r.values["theorems"]["rescaling_gap"][name] for r in found]
        for name in found.records[0].values["theorems"]["rescaling_gap"]
    }
    table = {
        name: Checked(
            max(seen) >= EXACT,
            found.keys(),
            f"{min(seen):.1g} to {max(seen):.1g}",
            effect=max(seen),
            interval=(min(seen), max(seen)),
        )
        for name, seen in gaps.items()
    }
    along = "the net: only unequal steps of a Fractional-DNN are more"
    return checked_over(table, "", along, COMMAND)


def _small_steps_prevent_explosion(results: Results) -> Finding:
    """At τ = 1/H and He's weights no net with skips may be labelled exploding."""
    table: dict[str, Finding] = {}
    for net in ("resnet", "fractional", "densenet"):
        found = results.select("gradients_at_init", net=net, tau0="1/H", scale=1.0)
        labels = found.value("label")
        if labels:
            share = labels.count("exploding") / len(labels)
            what = f"{share:.0%} of random nets explode at τ = 1/H"
            table[net_title(net)] = Checked(share == 0, found.keys(), what, effect=share)
    return checked_over(table, "", "the net", ATLAS)


CLAIMS = [
    Claim(
        name="skips-prevent-vanishing",
        sentence="ResNet, DenseNet and Fractional-DNN do not suffer from vanishing gradients.",
        **quoted(
            "Section 6, after Remark 6.2 and at its end",
            "“ResNet, DenseNet and Fractional-DNN have a visible additive structure in the "
            "derivatives, which helps with the vanishing gradients problem”; of the ResNet: “known "
            "to be stable with respect to vanishing gradients”",
        ),
        criterion="no random net with skips is labelled vanishing at τ = 1, at any depth and "
        "scale of "
        "the atlas, nor is the ResNet with W = −½ I",
        declared="2026-11-17 1bc4fe58",
        domain=RANDOM,
        examine=_skips_prevent_vanishing,
    ),
    Claim(
        name="memory-prevents-vanishing",
        sentence="In a deep Fractional-DNN the identity path keeps gradients from vanishing.",
        **quoted(
            "Section 6, Remark 6.7",
            "a factor “which allows us to overcome the vanishing gradient problem in "
            "Fractional-DNNs”",
        ),
        criterion="with D = 0, dy[H]/dy[1] does not fall like a power of H (exponent above −0.1), "
        "for "
        "every random γ",
        declared="2026-11-17 bbe0a25f",
        domain=RANDOM,
        examine=_memory_prevents_vanishing,
    ),
    Claim(
        name="more-than-a-scaling",
        sentence="A net with steps τ is another function than one with steps 1 and rescaled "
        "weights.",
        **quoted(
            "Section 1; Section 5.2, Remark 5.1",
            "“the presented approach is not just a scaling of the activation function σ by τ”",
        ),
        criterion=f"outputs differ by more than {EXACT:g} (relative) for exact ReLU and τ > 0, in "
        f"every "
        "random ResNet, DenseNet and Fractional-DNN",
        declared="2026-11-17 ce7b5900",
        domain=RANDOM,
        examine=_more_than_a_scaling,
    ),
    Claim(
        name="small-tau-prevents-exploding",
        sentence="Appropriately small τ keep the gradients of deep nets with skips from exploding.",
        **quoted(
            "Section 6, after Remark 6.2; Remarks 6.5 and 6.7",
            "“Appropriate small τ can prevent the product from exploding with growing number of "
            "layers.” Of the DenseNet: “can help deal with this problem”",
        ),
        criterion="no random ResNet, Fractional-DNN or DenseNet is labelled exploding at τ = 1/H "
        "and He's weights",
        declared="2026-11-18 e6e3fd97",
        domain=RANDOM,
        examine=_small_steps_prevent_explosion,
        note="the DenseNet's sum of all earlier states doubles gradients layer by layer, whatever "
        "τ is; its row was declared after its result had been seen",
    ),
]
