"""Another factor on the starting weights, found by a few measurements of the ratio."""

from __future__ import annotations

import math

import torch
from torch import nn

from nets.laboratory.remedies import Apply, Case, Change, DoesNotFit, parameters_of

NAME = "other initial scale"
TRIALS = 5


def plan(case: Case) -> Change:
    weights = list(case.weights())
    if not weights or case.diagnosis.log10_ratio == 0.0:
        raise DoesNotFit("no hidden weights to scale")
    factor = _searched(case, weights)
    return Change(f"hidden weights × {factor:.3g}", scaled(weights, factor))


def _searched(case: Case, weights: list[str]) -> float:
    """Secant steps in log scale towards ratio 1, from the right factor for a linear chain."""
    known = [(0.0, case.diagnosis.log10_ratio)]
    guess = -math.log10(case.diagnosis.factor)
    for _ in range(TRIALS):
        guess = max(-2.0, min(2.0, guess))
        if any(abs(guess - logs) < 1e-3 for logs, _ in known):
            break
        ratio = case.ratio(scaled(weights, 10**guess))
        if not math.isfinite(ratio):
            guess /= 2
            continue
        known.append((guess, ratio))
        (a, fa), (b, fb) = sorted(known, key=lambda pair: abs(pair[1]))[:2]
        if abs(fa) < 0.3 or fa == fb:
            break
        guess = a - fa * (b - a) / (fb - fa)
    return float(10 ** min(known[1:] or known, key=lambda pair: abs(pair[1]))[0])


def scaled(weights: list[str], factor: float) -> Apply:
    """Return the change that multiplies these weights, each shared one once."""

    def apply(module: nn.Module) -> None:
        named, done = parameters_of(module), set()
        with torch.no_grad():
            for name in weights:
                if id(named[name]) not in done:
                    named[name].mul_(factor)
                    done.add(id(named[name]))

    return apply
