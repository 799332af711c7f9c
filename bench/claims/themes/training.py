"""Claims on training: what a learned τ does to the error, and how the descent behaves."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.claims import Claim, Finding, NotTested, quoted
from bench.claims.arms import NAMES, Arm, arm
from bench.claims.domains import TRAINING
from bench.claims.rules import both, compared_values, count, counted, is_smaller, tabled
from bench.store.results import Results, StoredResult, pairs

COMMAND = "femnets run training --preset paper"
REDUCTION = "Section 7.1, network reduction"
TAUS = ("fixed", "learned")
Seeds = tuple[int, int]  # of the weights, of the data


def _named(net: str, bias_ordering: bool = False, tau: str = "") -> str:
    return NAMES[net] + (" + B.O." if bias_ordering else "") + (f", τ {tau}" if tau else "")


def _rows(one: Arm, other: Arm, **choices: Any) -> dict[str, tuple[Arm, Arm]]:
    """Two arms under every combination of some settings."""
    return {
        _named(**shared): (arm(**shared, **one), arm(**shared, **other))
        for shared in (
            dict(zip(choices, values, strict=True)) for values in product(*choices.values())
        )
    }


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


def _gains_less_when_shallow(results: Results) -> Finding:
    parts = {title: _gain_by_depth(results, net) for net, title in NAMES.items()}
    return tabled(parts, "gain at 6-50 over gain at 2-50", "the net", COMMAND)


def _gain_by_depth(results: Results, net: str) -> Finding:
    deep, shallow = _gain(results, net, 6), _gain(results, net, 2)
    seeds = sorted(deep.keys() & shallow.keys())
    if not seeds:
        return NotTested(COMMAND)
    a = [deep[seed][0] for seed in seeds]
    b = [shallow[seed][0] for seed in seeds]
    cells = tuple(key for seed in seeds for key in deep[seed][1] + shallow[seed][1])
    return compared_values(a, b, seeds, cells, "gain", TRAINING)


LOOKS = 10  # at every tenth of the descent; the start is the same for both arms


def _always_below(results: Results) -> Finding:
    """In how many seeds does the MSE curve with learned τ stay below that with fixed τ?"""
    found = [
        pair
        for net in NAMES
        for pair in pairs(
            results.select("net", **arm(net=net, tau="learned", hidden=6)),
            results.select("net", **arm(net=net, tau="fixed", hidden=6)),
        )
    ]
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


FALLS = "J never increased in {hits} of {runs}"
RISES = "the MSE term increased at some step in {hits} of {runs}, with bias ordering"


def _descends(results: Results) -> Finding:
    ordered = _steepest(results, bias_ordering=True, hidden=6)
    parts = {
        "J falls": count(_steepest(results), _never_increases, FALLS, COMMAND),
        "the MSE term rises": count(ordered, _mse_increases, RISES, COMMAND),
    }
    return both(parts, COMMAND)


CLAIMS = [
    Claim(
        name="tau-trains-better",
        sentence="A learned τ lowers the training error of the deep 6-50 nets.",
        **quoted(
            "Section 1, advantages and Figure 1; Section 7.1; Conclusion",
            "“Variable τ helps improve the training error decay, see Figure 1”",
        ),
        declared="2026-11-18 71d4a7c8",
        note="against τ fixed at 1, where learning starts; our findings compare it with tuned τ",
        criterion="train_mse with τ learned < τ fixed at 6-50, with and without bias ordering, "
        "paired seeds, same number of steps",
        **is_smaller(
            "train_mse",
            _rows(
                {"tau": "learned", "hidden": 6},
                {"tau": "fixed", "hidden": 6},
                net=[*NAMES],
                bias_ordering=(False, True),
            ),
            COMMAND,
        ),
    ),
    Claim(
        name="tau-gains-less-when-shallow",
        sentence="A learned τ gains less in the shallow 2-50 nets than in the deep 6-50 nets.",
        **quoted(
            "Section 7.1, first paragraph",
            "“outperforms the standard approach (with fixed τ) for deeper networks … for shallow "
            "networks, the τ-variable framework provides comparatively less improvements”",
        ),
        declared="2026-11-18 45aba63e",
        family="training",
        criterion="(learned/fixed train_mse at 6-50) < (the same at 2-50), paired seeds",
        examine=_gains_less_when_shallow,
    ),
    Claim(
        name="tau-always-below",
        sentence="During the whole training the error of the 6-50 nets with learned τ stays below "
        "that with fixed τ.",
        **quoted(
            REDUCTION,
            "“The proposed variable-τ approach seems to always outperform its constant τ "
            "counterpart, see Figure 1”",
        ),
        declared="2026-11-18 51d495bc",
        family="training",
        criterion="MSE with τ learned < τ fixed at every tenth of the steps for both nets, in most "
        "seeds",
        domain=TRAINING,
        examine=_always_below,
    ),
    Claim(
        name="2-50-beats-6-50",
        sentence="The shallow 2-50 nets have a smaller error on the cube than the deep 6-50 nets.",
        **quoted(
            "Section 7.1, network reduction; figure of L² errors",
            "“a network with 2 hidden layers with 50 nodes per layer (2-50), which yields better "
            "results, cf. Figure 3”",
        ),
        declared="2026-11-18 0cb234b7",
        criterion="l2_error at 2-50 < l2_error at 6-50, paired seeds",
        **is_smaller(
            "l2_error", _rows({"hidden": 2}, {"hidden": 6}, net=[*NAMES], tau=TAUS), COMMAND
        ),
    ),
    Claim(
        name="resnet-trains-better-at-2-50",
        sentence="At 2-50 the ResNet has a smaller training error than the Fractional-DNN.",
        **quoted(
            "Section 7.1, after the figures",
            "“for the case of 2 layers and 50 nodes, the training error is slightly better with "
            "the ResNet-based architectures”",
        ),
        declared="2026-11-18 3a6d43b9",
        criterion="train_mse of the ResNet < that of the Fractional-DNN at 2-50, paired seeds",
        **is_smaller(
            "train_mse",
            {
                f"τ {tau}": (
                    arm(net="resnet", tau=tau, hidden=2),
                    arm(net="fractional", tau=tau, hidden=2),
                )
                for tau in TAUS
            },
            COMMAND,
            along="τ",
        ),
    ),
    Claim(
        name="loss-monotone-mse-not",
        sentence="Under the paper's descent the full loss J decreases monotonically, while the MSE "
        "term alone does not when biases are ordered by a penalty.",
        **quoted(
            REDUCTION,
            "“In case of the entire J we do observe monotone behavior as expected.” “the curves in "
            "Figure 1 are not monotone because we have only plotted the mean squared error term”",
        ),
        criterion="no step raises J in any steepest-descent run, and some step raises the MSE term "
        "in every 6-50 run with bias ordering, each in most seeds",
        declared="2026-11-18 46f05afe",
        family="training",
        domain=TRAINING,
        examine=_descends,
    ),
]
