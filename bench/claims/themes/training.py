"""Claims on training: what a learned τ does to the error, and how the descent behaves."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.claims.arms import NAMES, TAUS, arm, rows
from bench.claims.claim import quoted
from bench.claims.domains import TRAINING
from bench.claims.findings import Compared, Finding, need
from bench.claims.rules import Pairs, both, count, over, paired, smaller, tabled
from bench.store.results import Results, StoredResult, pairs

REDUCTION = "Section 7.1, network reduction"
Seeds = tuple[int, int]  # of the weights, of the data


def _learned_and_fixed(results: Results, net: str, hidden: int) -> Pairs:
    arms = (arm(net=net, tau=tau, hidden=hidden) for tau in ("learned", "fixed"))
    return pairs(*(results.select("net", **each) for each in arms))


def _gains_less_when_shallow(results: Results) -> Finding:
    def compare(net: str) -> Compared:
        deep, shallow = (_gain(results, net, hidden) for hidden in (6, 2))
        shared = sorted(deep.keys() & shallow.keys())
        cells = tuple(key for seeds in shared for key in deep[seeds][1] + shallow[seeds][1])
        gains = [(seeds[0], deep[seeds][0], shallow[seeds][0]) for seeds in shared]
        return paired(gains, cells, "gain", TRAINING)

    parts = {NAMES[net]: part for net, part in over(NAMES, compare).items()}
    return tabled(parts, "gain at 6-50 over gain at 2-50", "the net")


def _gain(results: Results, net: str, hidden: int) -> dict[Seeds, tuple[float, tuple[str, ...]]]:
    """By seeds, train_mse with learned τ over train_mse with fixed τ, and the cells."""
    gains: dict[Seeds, tuple[float, tuple[str, ...]]] = {}
    for learned, fixed in _learned_and_fixed(results, net, hidden):
        a, b = (record.values.get("train_mse") for record in (learned, fixed))
        gain = math.nan if a is None or not b else a / b
        seeds = (learned.config["seed"], learned.config["data_seed"])
        gains[seeds] = (gain, (learned.key, fixed.key))
    return gains


LOOKS = 10  # at every tenth of the descent; the start is the same for both arms


def _always_below(results: Results) -> Finding:
    """In how many seeds does the MSE curve with learned τ stay below that with fixed τ?"""
    found = need([pair for net in NAMES for pair in _learned_and_fixed(results, net, 6)])
    below = {
        learned.key: float((_looks(learned) < _looks(fixed)).mean()) for learned, fixed in found
    }
    what = (
        "the curve with learned τ is below the other at every tenth of the descent in {hits} of "
        f"{{runs}}, and at {np.mean([*below.values()]):.0%} of all looks"
    )
    return count(Results([pair[0] for pair in found]), lambda r: below[r.key] == 1, what)


def _looks(record: StoredResult) -> NDArray[np.float64]:
    """The MSE term at equal shares of the steps; infinite once a run has ended early."""
    mse = np.asarray(record.arrays["history_mse"], dtype=float)
    steps = int(record.config["steps"])
    full = np.full(steps + 1, np.inf)
    full[: len(mse)] = mse[: steps + 1]
    return full[np.linspace(0, steps, LOOKS + 1).astype(int)[1:]]


def _never_increases(record: StoredResult) -> bool:
    return not record.values.get("diverged") and record.values.get("loss_increases") == 0


def _mse_increases(record: StoredResult) -> bool:
    return (record.values.get("mse_increases") or 0) > 0


FALLS = "J never increased in {hits} of {runs}"
RISES = "the MSE term increased at some step in {hits} of {runs}, with bias ordering"


def _descends(results: Results) -> Finding:
    every = results.select("net", optimizer="steepest")
    ordered = every.select("net", bias_ordering=True, hidden=6)
    return both(
        ("J falls", count(every, _never_increases, FALLS)),
        ("the MSE term rises", count(ordered, _mse_increases, RISES)),
    )


claim = partial(quoted, family="training")
LEARNED, FIXED = {"tau": "learned", "hidden": 6}, {"tau": "fixed", "hidden": 6}
CLAIMS = [
    claim(
        name="tau-trains-better",
        sentence="A learned τ lowers the training error of the deep 6-50 nets.",
        where="Section 1, advantages and Figure 1; Section 7.1; Conclusion",
        words="“Variable τ helps improve the training error decay, see Figure 1”",
        criterion="train_mse with τ learned < τ fixed at 6-50, with and without bias ordering, "
        "paired seeds, same number of steps",
        declared="2026-11-18 71d4a7c8",
        examine=smaller("train_mse", rows(LEARNED, FIXED, net=NAMES, bias_ordering=(False, True))),
        note="against τ fixed at 1, where learning starts; our findings compare it with tuned τ",
    ),
    claim(
        name="tau-gains-less-when-shallow",
        sentence="A learned τ gains less in the shallow 2-50 nets than in the deep 6-50 nets.",
        where="Section 7.1, first paragraph",
        words="“outperforms the standard approach (with fixed τ) for deeper networks … for shallow "
        "networks, the τ-variable framework provides comparatively less improvements”",
        criterion="(learned/fixed train_mse at 6-50) < (the same at 2-50), paired seeds",
        declared="2026-11-18 45aba63e",
        examine=_gains_less_when_shallow,
    ),
    claim(
        name="tau-always-below",
        sentence="During the whole training the error of the 6-50 nets with learned τ stays below "
        "that with fixed τ.",
        where=REDUCTION,
        words="“The proposed variable-τ approach seems to always outperform its constant τ "
        "counterpart, see Figure 1”",
        criterion="MSE with τ learned < τ fixed at every tenth of the steps for both nets, in most "
        "seeds",
        declared="2026-11-18 51d495bc",
        domain=TRAINING,
        examine=_always_below,
    ),
    claim(
        name="2-50-beats-6-50",
        sentence="The shallow 2-50 nets have a smaller error on the cube than the deep 6-50 nets.",
        where="Section 7.1, network reduction; figure of L² errors",
        words="“a network with 2 hidden layers with 50 nodes per layer (2-50), which yields better "
        "results, cf. Figure 3”",
        criterion="l2_error at 2-50 < l2_error at 6-50, paired seeds",
        declared="2026-11-18 0cb234b7",
        examine=smaller("l2_error", rows({"hidden": 2}, {"hidden": 6}, net=NAMES, tau=TAUS)),
    ),
    claim(
        name="resnet-trains-better-at-2-50",
        sentence="At 2-50 the ResNet has a smaller training error than the Fractional-DNN.",
        where="Section 7.1, after the figures",
        words="“for the case of 2 layers and 50 nodes, the training error is slightly better with "
        "the ResNet-based architectures”",
        criterion="train_mse of the ResNet < that of the Fractional-DNN at 2-50, paired seeds",
        declared="2026-11-18 3a6d43b9",
        examine=smaller(
            "train_mse", rows(*({"net": net, "hidden": 2} for net in NAMES), tau=TAUS), along="τ"
        ),
    ),
    claim(
        name="loss-monotone-mse-not",
        sentence="Under the paper's descent the full loss J decreases monotonically, while the MSE "
        "term alone does not when biases are ordered by a penalty.",
        where=REDUCTION,
        words="“In case of the entire J we do observe monotone behavior as expected.” “the curves "
        "in Figure 1 are not monotone because we have only plotted the mean squared error term”",
        criterion="no step raises J in any steepest-descent run, and some step raises the MSE term "
        "in every 6-50 run with bias ordering, each in most seeds",
        declared="2026-11-18 46f05afe",
        domain=TRAINING,
        examine=_descends,
    ),
]
