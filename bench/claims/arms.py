"""The arms that claims compare: the paper's mode with some settings changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from bench.claims.claim import MAIN
from bench.store.results import Results

Arm = Mapping[str, Any]
SMOOTH = (MAIN, "helix")  # smooth fields on which claims are declared
NAMES = {"resnet": "ResNet", "fractional": "Fractional-DNN"}  # the nets of the paper's Section 7
TAUS = ("fixed", "learned")
# The paper's mode: 1000 steps of steepest descent on width 50, no bias ordering, on `maxwell`.
PAPER: Arm = {
    "problem": MAIN,
    "samples": 12_000,
    "features": "x,f,phi",
    "optimizer": "steepest",
    "steps": 1000,
    "width": 50,
    "bias_ordering": False,
    "lambda2": 0.0,
    "gamma": 0.5,
    "tau0": "1",
    "init": "torch",
    "scale": 1.0,
}
# The same with and without bias ordering.
ANY_ORDERING: Arm = {name: value for name, value in PAPER.items() if name != "bias_ordering"}


def arm(**settings: Any) -> Arm:
    """An arm of the paper's comparison: its mode with these settings."""
    return {**PAPER, **settings}


def any_of(results: Results, *arms: Arm, kind: str = "net") -> Results:
    """The cells of several arms, one arm after the other."""
    return Results([record for each in arms for record in results.select(kind, **each)])


def combinations(**choices: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination of some settings: net=("resnet",), tau=("fixed", "learned")."""
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def rows(one: Arm, other: Arm, **choices: Iterable[Any]) -> dict[str, tuple[Arm, Arm]]:
    """Two arms under every combination of some settings, by the title of the combination."""
    return {
        title(**shared): (arm(**shared, **one), arm(**shared, **other))
        for shared in combinations(**choices)
    }


def title(net: str = "", bias_ordering: bool = False, hidden: int = 0, tau: str = "") -> str:
    """`ResNet + B.O.`, `2-50, τ learned`."""
    name = NAMES.get(net, "") + (" + B.O." if bias_ordering else "")
    size = f"{hidden}-{PAPER['width']}" if hidden else ""
    return ", ".join(filter(None, (name, size, f"τ {tau}" if tau else "")))
