"""The whole gradient clipped to norm 1 in every step (Pascanu et al. 2013)."""

from __future__ import annotations

from nets.laboratory.remedies import Case, Change

NAME = "clipping"


def plan(case: Case) -> Change:
    return Change("gradient clipped to norm 1; the start stays as it is", clip=1.0)
