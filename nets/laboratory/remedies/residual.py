"""y + f(y)/√H: a skip around every block that allows one, or smaller branches where skips are."""

from __future__ import annotations

import math

from nets.laboratory.remedies import Case, Change
from nets.laboratory.remedies._skips import places, with_steps

NAME = "residual 1/√H"


def plan(case: Case) -> Change:
    """Plan a factor 1/√H on every branch, or a skip with it around every block."""
    count = places(case)
    tau = 1 / math.sqrt(count)
    what = "branches" if case.branches else "skips around blocks, these"
    return Change(f"{count} {what} × {tau:.3g}", with_steps(case, tau, learned=False))
