"""The arms that claims compare: the paper's mode with some settings changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.claims.claim import MAIN
from bench.store.results import Results

Arm = Mapping[str, Any]
SMOOTH = (MAIN, "helix")  # smooth fields on which claims are declared
NAMES = {"resnet": "ResNet", "fractional": "Fractional-DNN"}  # the nets of the paper's Section 7
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


def arm(**settings: Any) -> Arm:
    """An arm of the paper's comparison: its mode with these settings."""
    return {**PAPER, **settings}


def of_nets(results: Results, nets: Sequence[str], kind: str, **where: Any) -> Results:
    """The cells of several architectures, one architecture after the other."""
    return Results([record for net in nets for record in results.select(kind, net=net, **where)])
