"""y + τ f(y) with learned τ that start from zero (Bachlechner et al. 2021)."""

from __future__ import annotations

from nets.laboratory.remedies import Case, Change
from nets.laboratory.remedies._skips import places, with_steps

NAME = "ReZero"


def plan(case: Case) -> Change:
    """Plan learned factors on the branches that start from zero."""
    count = places(case)
    text = f"{count} factors τ on the branches, learned from 0"
    return Change(text, with_steps(case, 0.0, learned=True))
