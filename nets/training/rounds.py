"""Trainings one after the other on changing data, reported as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from nets.training.budget import Limits
from nets.training.history import Arrays
from nets.training.loop import DEFAULT_STEPS, Training


def in_rounds(
    one: Callable[[Limits, int], Training], limits: Limits, evaluations: float
) -> Training:
    """`one(limits, k)` for k = 0, 1, …, each at most `evaluations` long, within overall limits.

    J is another function in every round, so the last state counts and not the lowest J.
    """
    if limits.steps is None and limits.evaluations is None and limits.seconds is None:
        limits = replace(limits, steps=DEFAULT_STEPS)
    whole: Training | None = None
    k = 0
    while True:
        left = _left(limits, whole)
        share = evaluations if left.evaluations is None else min(evaluations, left.evaluations)
        part = one(replace(left, evaluations=share), k)
        whole = part if whole is None else _joined(whole, part)
        k += 1
        if part.interrupted or part.diverged or part.steps == 0 or part.reason != "evaluations":
            return whole
        if limits.evaluations is not None and whole.evaluations >= limits.evaluations:
            return whole


def _left(limits: Limits, spent: Training | None) -> Limits:
    if spent is None:
        return limits
    return replace(
        limits,
        steps=None if limits.steps is None else max(0, limits.steps - spent.steps),
        evaluations=None
        if limits.evaluations is None
        else max(0.0, limits.evaluations - spent.evaluations),
        seconds=None if limits.seconds is None else max(0.0, limits.seconds - spent.seconds),
    )


def _joined(first: Training, then: Training) -> Training:
    """Counts add up; rows of the second continue those of the first."""
    return replace(
        then,
        steps=first.steps + then.steps,
        evaluations=first.evaluations + then.evaluations,
        seconds=first.seconds + then.seconds,
        history=_appended(first.history, then.history, first),
        curve=_appended(first.curve, then.curve, first),
    )


def _appended(a: Arrays, b: Arrays, spent: Training) -> Arrays:
    offsets = {
        "step": float(spent.steps),
        "evaluations": spent.evaluations,
        "seconds": spent.seconds,
    }
    return {name: np.concatenate([a[name], b[name] + offsets.get(name, 0.0)]) for name in a}
