"""A card for every method: what it was told, what it chose, its unknowns, precision and threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.contenders import Contender


@dataclass(frozen=True)
class Card:
    method: str
    information: str
    told: str
    domain: str
    tuned: str
    unknowns: str
    precision: str
    threads: int


def cards(field: Sequence[Contender]) -> list[Card]:
    """One card per method; meshes of one family and sizes of one kind of net share theirs."""
    groups: dict[tuple[str, ...], list[Contender]] = {}
    for contender in field:
        key = (contender.information, contender.records[0].kind, contender.look, contender.features)
        groups.setdefault(key, []).append(contender)
    return [_card(group) for group in groups.values()]


def _card(group: Sequence[Contender]) -> Card:
    first = group[0]
    sizes = sorted(contender.unknowns for contender in group)
    span = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    return Card(
        method=first.name if len(group) == 1 else f"{first.name} and {len(group) - 1} more",
        information=first.information,
        told=first.competitor.given,
        domain="the cylinder" if first.information == "samples" else "the cube",
        tuned=first.competitor.tuned,
        unknowns=span,
        precision=", ".join(sorted({contender.competitor.precision for contender in group})),
        threads=int(first.records[0].config.get("threads") or 1),
    )
