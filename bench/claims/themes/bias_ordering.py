"""Claims on the bias ordering: the paper runs everything with and without it."""

from __future__ import annotations

from bench.claims import Claim, quoted
from bench.claims.arms import NAMES, Arm, arm
from bench.claims.paper import TAU
from bench.claims.rules import is_smaller, is_true_of
from bench.store.results import Results, StoredResult

COMMAND = "femnets run training --preset paper"


def _ordered(net: str, hidden: int, tau: str = "learned") -> Arm:
    return arm(net=net, hidden=hidden, tau=tau, bias_ordering=True)


def _improves(net: str, hidden: int) -> Claim:
    plain = arm(net=net, hidden=hidden, tau="learned")
    return Claim(
        name=f"bias-ordering-improves-{net}-{hidden}-50",
        sentence=f"With learned τ the bias ordering lowers the error of the {hidden}-50 "
        f"{NAMES[net]} on the cube.",
        declared="2026-11-16 882e90e5",
        note="the paper speaks of “multiple advantages” (Section 2.2) and names none of this kind",
        criterion="l2_error with bias ordering < without, paired seeds",
        **is_smaller("l2_error", _ordered(net, hidden), plain, COMMAND),
    )


OUTPERFORM = quoted(
    "Conclusion; figure of L² errors, top row",
    "“DNNs with τ-variable framework outperform their counterparts with fixed τ for deep "
    "architectures and enjoy an improved training error decay”",
)


def _tau_helps(net: str) -> Claim:
    return Claim(
        name=f"tau-trains-better-with-bias-ordering-{net}-6-50",
        sentence=f"With the bias ordering, too, a learned τ lowers the training error of the 6-50 "
        f"{NAMES[net]}.",
        **OUTPERFORM,
        declared="2026-11-16 92bcb6bb",
        criterion="train_mse with τ learned < τ fixed, both with bias ordering, paired seeds",
        **is_smaller("train_mse", _ordered(net, 6), _ordered(net, 6, "fixed"), COMMAND),
    )


def _positive(record: StoredResult) -> bool:
    steps = record.values.get("tau") or [None]
    return all(tau is not None and tau > 0 for tau in steps)


def _deep_with_learned_tau(results: Results) -> Results:
    arms = [
        arm(net=net, hidden=6, tau="learned", bias_ordering=ordering)
        for net, ordering, hidden in TAU
        if hidden == 6
    ]
    return Results([record for chosen in arms for record in results.select("net", **chosen)])


POSITIVE = "all τ end positive in {hits} of {runs}"

CLAIMS = [
    *(_improves(net, hidden) for hidden in (2, 6) for net in NAMES),
    *(_tau_helps(net) for net in NAMES),
    Claim(
        name="tau-positive-at-6-50",
        sentence="In the 6-50 nets every learned τ ends positive: no layer is redundant.",
        **quoted(
            "Section 7.1, network reduction",
            "“we see in Table 1 that τ > 0 for all ℓ in this setup”",
        ),
        declared="2026-11-16 8929a29d",
        criterion="all τ > 0, in every 6-50 run with learned τ, with and without bias ordering",
        examine=is_true_of(_deep_with_learned_tau, _positive, POSITIVE, COMMAND),
    ),
]
