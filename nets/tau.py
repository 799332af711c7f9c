"""One grammar for τ₀, the steps that a net starts from, for Python and every command.

    0.2            every step is 0.2
    0.2,1,0.5      one number for each hidden layer
    1/H, 1/sqrtH   H is the number of hidden layers; with any number c: 2/H, 0.5/sqrtH
    uniform        drawn from (0, 1]

A number or a sequence of numbers means what its text would.
"""

from __future__ import annotations

from math import isfinite, sqrt
from numbers import Real

from base.errors import UserError

Tau0 = float | str | list[float] | tuple[float, ...]

UNIFORM = "uniform"
GRAMMAR = (
    "a number, one number per hidden layer with commas between, c/H or c/sqrtH for a number c "
    "(such as 1/H), or uniform"
)


def starting_steps(tau0: Tau0, hidden: int) -> tuple[float, ...] | None:
    """Return τ[0..H−1] for `hidden` layers from τ₀; None where they are to be drawn."""
    if isinstance(tau0, str):
        if tau0.strip() == UNIFORM:
            return None
        steps = tuple(_step(part, hidden, tau0) for part in tau0.split(","))
        steps = steps if len(steps) > 1 else steps * hidden
    else:
        steps = tuple(tau0) if isinstance(tau0, list | tuple) else (tau0,) * hidden
    if len(steps) != hidden:
        raise UserError(f"tau0 has {len(steps)} steps but hidden = {hidden}; give {GRAMMAR}")
    for step in steps:
        if not (isinstance(step, Real) and isfinite(step)):
            raise UserError(f"tau0 must be finite, got {step}; try 1.0 or '1/H'")
    return steps


def _step(text: str, hidden: int, tau0: str) -> float:
    number, slash, depth = text.strip().partition("/")
    divisors = {"H": float(hidden), "sqrtH": sqrt(hidden)} if slash else {"": 1.0}
    try:
        return float(number) / divisors[depth]
    except (ValueError, KeyError):
        raise UserError(f"tau0 must be {GRAMMAR}, got {tau0!r}") from None
