"""Who wins, for whom: the cheapest method that reaches a required error, situation by situation.

    one solve      the equation is known (track solve): seconds to compute
    only data      samples of the field are known (track fit): seconds to fit, error where they lie
    many queries   whatever was told: seconds per evaluated point, error on the cube

A method counts as reaching an error if it does so in more than half of its seeds; how many did is
said with it. A method that was never run in a situation is not in the table, and a situation
without any contender says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.contenders import Contender

REQUIRED = (1e-2, 1e-3, 1e-4, 1e-6)

SITUATIONS = {
    "one solve": (("solve",), "l2_error", "seconds"),
    "only data": (("fit",), "l2_error_inside", "seconds"),
    "many queries": (("fit", "solve", "oracle"), "l2_error", "seconds_per_point"),
}


@dataclass(frozen=True)
class Decision:
    situation: str
    required: float
    winner: Contender | None
    error: float | None
    cost: float | None
    reached: int
    net: Contender | None  # the cheapest net that reaches it, to compare with the winner
    net_cost: float | None


def decide(field: Sequence[Contender]) -> list[Decision]:
    return [
        _decide(field, situation, required) for situation in SITUATIONS for required in REQUIRED
    ]


def _decide(field: Sequence[Contender], situation: str, required: float) -> Decision:
    tracks, error, cost = SITUATIONS[situation]
    able = [
        c
        for c in field
        if c.track in tracks and c.median(cost) and _reached(c, error, required) * 2 > c.seeds
    ]
    able.sort(key=lambda c: c.median(cost) or 0.0)
    nets = [c for c in able if c.is_net]
    winner = able[0] if able else None
    return Decision(
        situation,
        required,
        winner,
        winner.median(error) if winner else None,
        winner.median(cost) if winner else None,
        _reached(winner, error, required) if winner else 0,
        nets[0] if nets else None,
        nets[0].median(cost) if nets else None,
    )


def _reached(contender: Contender, error: str, required: float) -> int:
    values = [record.values.get(error) for record in contender.records]
    return sum(value is not None and value <= required for value in values)
