"""Quadrature that settles, or says which term does not.

All norms are computed on levels of finer and deeper rules. A norm has settled when its square
converges like a geometric series, each change at most RATIO of the one before, and when its last
change moves every bound by less than SETTLED. Then twice the last change covers all that is to come
(maths 12.6), and is added to the norm. A divergent integral adds as much on every level, however
small its share. This is a test of the rules, not a proof. So that rounding does not enter, every
bound is at least FLOOR times the norm of the field, and changes of a bound below ROUNDING of itself
or below that floor do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

SETTLED = 0.01
RATIO = 2 / 3
LEVELS = 4
FLOOR, ROUNDING = 1e-11, 1e-8
Bounds = dict[str, float]


@dataclass(frozen=True)
class Settled:
    """The last level's norms, the bounds with their allowances, and what does not settle."""

    result: Bounds
    bounds: Bounds
    change: float  # the largest of a bound by one norm between the last two levels, relative
    levels: int
    unsettled: tuple[str, ...] = ()  # norms

    @property
    def settled(self) -> bool:
        return not self.unsettled


def settle(
    compute: Callable[[int], Bounds], bounds_of: Callable[[Bounds], Bounds], levels: int = LEVELS
) -> Settled:
    """Compute levels 1, 2, … until all norms rest, at most `levels`.

    The result of a level holds norms, that of the field as `value`. The bounds grow with them.
    Two levels suffice where nothing moves but by rounding, three otherwise.
    """
    history = [compute(1)]
    for level in range(2, levels + 1):
        history.append(compute(level))
        found = _compared(history, bounds_of)
        if found.settled or _hopeless(history, bounds_of):
            break
    return found


def _hopeless(history: list[Bounds], bounds_of: Callable[[Bounds], Bounds]) -> bool:
    """Whether the only bound is above the norm of the field and grows by more than SETTLED. It
    certifies no digit, and finer rules are not tried: its norms count as unsettled."""
    before, after = (bounds_of(norms) for norms in history[-2:])
    return list(after) == ["l2"] and after["l2"] > max(
        history[-1]["value"], (1 + SETTLED) * before["l2"]
    )


def _compared(history: list[Bounds], bounds_of: Callable[[Bounds], Bounds]) -> Settled:
    before, result = history[-2:]
    floor = FLOOR * result["value"]
    bounds = {name: bound + floor for name, bound in bounds_of(result).items()}
    allowed = {name: value + 2 * abs(value - before[name]) for name, value in result.items()}
    change, unsettled = 0.0, []
    for name in result:
        moved = _moved(name, before, result, bounds_of, bounds)
        change = max(change, moved)
        if moved > ROUNDING and not (moved < SETTLED and _geometric(name, history)):
            unsettled.append(name)
    widened = {name: bound + floor for name, bound in bounds_of(allowed).items()}
    return Settled(result, widened, change, len(history), tuple(unsettled))


def _moved(
    name: str,
    before: Bounds,
    result: Bounds,
    bounds_of: Callable[[Bounds], Bounds],
    bounds: Bounds,
) -> float:
    """How far the change of one norm moves a bound, or itself if it is in none, relative."""
    step = abs(result[name] - before[name])
    if not isfinite(step):
        return float("inf")
    floor = FLOOR * result["value"]
    if step <= floor:
        return 0.0
    more = bounds_of(result | {name: result[name] + step})
    if all(map(isfinite, bounds_of(result | {name: float("inf")}).values())):
        return step / result[name]
    return max((more[b] + floor - bounds[b]) / bounds[b] for b in more)


def _geometric(name: str, history: list[Bounds]) -> bool:
    """Whether the square of a norm changed by at most RATIO of its change before."""
    if len(history) < 3:
        return False
    first, second, third = (norms[name] ** 2 for norms in history[-3:])
    return abs(third - second) <= RATIO * abs(second - first)
