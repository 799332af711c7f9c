"""y + τ f(y) with one learned τ per branch, from 1/H."""

from __future__ import annotations

from nets.laboratory.remedies import Case, Change
from nets.laboratory.remedies._skips import places, with_steps

NAME = "residual, learned τ"


def plan(case: Case) -> Change:
    """Plan learned factors on the branches that start from 1/H."""
    count = places(case)
    text = f"{count} factors τ on the branches, learned from {1 / count:.3g}"
    return Change(text, with_steps(case, 1 / count, learned=True))
