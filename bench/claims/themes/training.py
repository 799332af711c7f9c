"""Claims on training: what a learned τ does to the error, and how the descent behaves."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.claims import Claim, Finding, NotTested, quoted
from bench.claims.arms import NAMES, arm
from bench.claims.rules import Examine, compared_values, counted, is_smaller, is_true_of
from bench.store.results import Results, StoredResult, pairs

COMMAND = "femnets run training --preset paper"
REDUCTION = "Section 7.1, network reduction"
TAUS = ("fixed", "learned")
Seeds = tuple[int, int]  # of the weights, of the data


WORDS_HELPS = {
    6: "“Variable τ helps improve the training error decay, see Figure 1”",
    2: "“for shallow networks, the τ-variable framework provides comparatively less improvements”",
}


def _tau_helps(net: str, hidden: int) -> Claim:
    learned, fixed = (arm(net=net, tau=tau, hidden=hidden) for tau in ("learned", "fixed"))
    return Claim(
        name=f"tau-trains-better-{net}-{hidden}-50",
        sentence=f"A learned τ lowers the training error of the {hidden}-50 {NAMES[net]}.",
        **quoted("Section 1, advantages and Figure 1; Section 7.1", WORDS_HELPS[hidden]),
        declared="2026-11-16 3f2822d9",
        note="against τ fixed at 1, where learning starts; the controls compare it with tuned τ",
        criterion="train_mse with τ learned < τ fixed, paired seeds, same number of steps",
        **is_smaller("train_mse", learned, fixed, COMMAND),
    )


def _gain(results: Results, net: str, hidden: int) -> dict[Seeds, tuple[float, tuple[str, ...]]]:
    """By seeds, train_mse with learned τ over train_mse with fixed τ."""
    found = pairs(
        results.select("net", **arm(net=net, tau="learned", hidden=hidden)),
        results.select("net", **arm(net=net, tau="fixed", hidden=hidden)),
    )
    return {
        (learned.config["seed"], learned.config["data_seed"]): (
            _ratio(learned.values.get("train_mse"), fixed.values.get("train_mse")),
            (learned.key, fixed.key),
        )
        for learned, fixed in found
    }


def _ratio(a: float | None, b: float | None) -> float:
    return math.nan if a is None or b is None or b == 0 else a / b


def _gains_less_when_shallow(results: Results, net: str) -> Finding:
    deep, shallow = _gain(results, net, 6), _gain(results, net, 2)
    seeds = sorted(deep.keys() & shallow.keys())
    if not seeds:
        return NotTested(COMMAND)
    a = [deep[seed][0] for seed in seeds]
    b = [shallow[seed][0] for seed in seeds]
    cells = tuple(key for seed in seeds for key in deep[seed][1] + shallow[seed][1])
    return compared_values(a, b, seeds, cells, "gain at 6-50 over gain at 2-50")


LOOKS = 10  # at every tenth of the descent; the start is the same for both arms


def _always_below(results: Results, net: str) -> Finding:
    """In how many seeds does the MSE curve with learned τ stay below that with fixed τ?"""
    found = pairs(
        results.select("net", **arm(net=net, tau="learned", hidden=6)),
        results.select("net", **arm(net=net, tau="fixed", hidden=6)),
    )
    if not found:
        return NotTested(COMMAND)
    below = [_share_below(*(_looks(record) for record in pair)) for pair in found]
    what = (
        "the curve with learned τ is below the other at every tenth of the descent in {hits} of "
        f"{{runs}}, and at {np.mean(below):.0%} of all looks"
    )
    return counted([share == 1 for share in below], Results([pair[0] for pair in found]), what)


def _looks(record: StoredResult) -> NDArray[np.float64]:
    """The MSE term at equal shares of the steps; infinite once a run has ended early."""
    mse = np.asarray(record.arrays["history_mse"], dtype=float)
    steps = int(record.config["steps"])
    full = np.full(steps + 1, np.inf)
    full[: len(mse)] = mse[: steps + 1]
    return full[np.linspace(0, steps, LOOKS + 1).astype(int)[1:]]


def _share_below(learned: NDArray[np.float64], fixed: NDArray[np.float64]) -> float:
    return float((learned < fixed).mean())


def _never_increases(record: StoredResult) -> bool:
    return not record.values.get("diverged") and record.values.get("loss_increases") == 0


def _mse_increases(record: StoredResult) -> bool:
    return (record.values.get("mse_increases") or 0) > 0


def _steepest(results: Results, **where: Any) -> Results:
    return results.select("net", optimizer="steepest", **where)


YIELDS_BETTER = quoted(
    "Section 7.1, network reduction; figure of L² errors",
    "“a network with 2 hidden layers with 50 nodes per layer (2-50), which yields better results, "
    "cf. Figure 3”",
)


def _shallow_beats_deep(net: str, tau: str) -> Claim:
    shallow, deep = (arm(net=net, tau=tau, hidden=hidden) for hidden in (2, 6))
    return Claim(
        name=f"2-50-beats-6-50-{net}-{tau}",
        sentence=f"On the cube the 2-50 {NAMES[net]} with {tau} τ has a smaller error than the "
        "6-50 one.",
        **YIELDS_BETTER,
        declared="2026-11-16 0cb234b7",
        criterion="l2_error at 2-50 < l2_error at 6-50, paired seeds",
        **is_smaller("l2_error", shallow, deep, COMMAND),
    )


def _less_when_shallow(net: str) -> Claim:
    return Claim(
        name=f"tau-gains-less-at-2-50-{net}",
        sentence=f"The gain of a learned τ is smaller for the shallow 2-50 {NAMES[net]} than for "
        "6-50.",
        **quoted(
            "Section 7.1, first paragraph",
            "“outperforms the standard approach (with fixed τ) for deeper networks … for shallow "
            "networks, the τ-variable framework provides comparatively less improvements”",
        ),
        declared="2026-11-16 45aba63e",
        family="training",
        criterion="(learned/fixed train_mse at 6-50) < (the same at 2-50), paired seeds",
        examine=partial(_gains_less_when_shallow, net=net),
    )


def _source(better: str) -> dict[str, Any]:
    """The paper says so of the ResNet at 2-50; of the Fractional-DNN at 6-50 it is our question."""
    if better == "fractional":
        return {"part": "control", "declared": "2026-11-16 74b72d5f"}
    return {
        "part": "paper",
        "words": "“for the case of 2 layers and 50 nodes, the training error is slightly better "
        "with the ResNet-based architectures”",
        "where": "Section 7.1, after the figures",
        "declared": "2026-11-16 cfffd347",
    }


def _trains_better(better: str, than: str, hidden: int, tau: str) -> Claim:
    one, other = (arm(net=net, tau=tau, hidden=hidden) for net in (better, than))
    return Claim(
        name=f"{better}-trains-better-{hidden}-50-{tau}",
        sentence=f"At {hidden}-50 with τ {tau} the {NAMES[better]} has a smaller training error "
        f"than the {NAMES[than]}.",
        **_source(better),
        criterion=f"train_mse of the {NAMES[better]} < that of the {NAMES[than]}, paired seeds",
        **is_smaller("train_mse", one, other, COMMAND),
    )


def _always(net: str) -> Claim:
    return Claim(
        name=f"tau-always-below-{net}-6-50",
        sentence=f"During the whole training the error of the 6-50 {NAMES[net]} with learned τ "
        "stays below that with fixed τ.",
        **quoted(
            REDUCTION,
            "“The proposed variable-τ approach seems to always outperform its constant τ "
            "counterpart, see Figure 1”",
        ),
        declared="2026-11-16 2b450d85",
        criterion="MSE with τ learned < τ fixed at every tenth of the steps, in every paired seed",
        examine=partial(_always_below, net=net),
    )


def _descends(
    name: str, sentence: str, words: str, criterion: str, declared: str, examine: Examine
) -> Claim:
    """What the paper says of the curves."""
    return Claim(
        name=name,
        sentence=sentence,
        **quoted(REDUCTION, words),
        criterion=criterion,
        declared=declared,
        examine=examine,
    )


FALLS = "J never increased in {hits} of {runs}"
RISES = "the MSE term increased at some step in {hits} of {runs}, with bias ordering"

CLAIMS = [
    *(_tau_helps(net, hidden) for hidden in (6, 2) for net in NAMES),
    *(_less_when_shallow(net) for net in NAMES),
    *(_always(net) for net in NAMES),
    *(_shallow_beats_deep(net, tau) for net in NAMES for tau in TAUS),
    *(_trains_better("resnet", "fractional", 2, tau) for tau in TAUS),
    *(_trains_better("fractional", "resnet", 6, tau) for tau in TAUS),
    _descends(
        "loss-monotone",
        "The full loss J decreases monotonically under the paper's descent.",
        "“In case of the entire J we do observe monotone behavior as expected.”",
        "no step raises J, in every steepest-descent run",
        "2026-11-16 d516dabc",
        is_true_of(_steepest, _never_increases, FALLS, COMMAND),
    ),
    _descends(
        "mse-not-monotone",
        "The MSE term alone is not monotone when biases are ordered by a penalty.",
        "“the curves in Figure 1 are not monotone because we have only plotted the mean squared "
        "error term”",
        "some step raises the MSE term, in every run with bias ordering",
        "2026-11-16 bcde5deb",
        is_true_of(partial(_steepest, bias_ordering=True), _mse_increases, RISES, COMMAND),
    ),
]
