"""Quadrature that settles, or says that it does not.

All norms are computed on levels of finer and deeper rules until every bound moves by less than
SETTLED of itself; twice the last change is added to it. That is a test of the
rules, not a proof: a certificate holds *up to quadrature and rounding*. So that rounding does not
enter, every bound is at least FLOOR times the norm of the field, and moves below that do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

SETTLED = 0.01
LEVELS = 3
FLOOR = 1e-12
Bounds = dict[str, float]


@dataclass(frozen=True)
class Settled:
    """The last level's result, its bounds with twice their last changes, and how they settled."""

    result: Bounds
    bounds: Bounds
    change: float  # the largest of a bound between the last two levels, relative
    levels: int

    @property
    def settled(self) -> bool:
        return self.change < SETTLED


def settle(
    compute: Callable[[int], Bounds], bounds_of: Callable[[Bounds], Bounds], levels: int = LEVELS
) -> Settled:
    """Compute levels 1, 2, … until all bounds rest; at least two, at most `levels`.

    The result of a level holds norms, that of the field as `value`.
    """
    result = compute(1)
    bounds = _floored(bounds_of(result), result)
    for level in range(2, levels + 1):
        result = compute(level)
        before, bounds = bounds, _floored(bounds_of(result), result)
        moved = {name: abs(bounds[name] - before[name]) for name in bounds}
        floor = FLOOR * result["value"]
        change = max(_relative(moved[name], bounds[name], floor) for name in bounds)
        widened = {name: bounds[name] + 2 * moved[name] for name in bounds}
        found = Settled(result, widened, change, level)
        if found.settled:
            break
    return found


def _floored(bounds: Bounds, norms: Bounds) -> Bounds:
    return {name: bound + FLOOR * norms["value"] for name, bound in bounds.items()}


def _relative(moved: float, bound: float, floor: float) -> float:
    """A change relative to its bound; what is not finite never rests."""
    if not isfinite(moved):
        return float("inf")
    return 0.0 if moved <= floor else moved / bound
