"""A card for every method: what it is given, what it chose, its unknowns, precision and threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import problems
from reports.competitors import Competitor


@dataclass(frozen=True)
class Card:
    method: str
    information: str
    given: str
    domain: str
    tuned: str
    unknowns: str
    precision: str
    threads: int


def cards(field: Sequence[Competitor]) -> list[Card]:
    """One card per method; meshes of one family and sizes of one kind of net share theirs."""
    groups: dict[tuple[str, ...], list[Competitor]] = {}
    for competitor in field:
        key = (
            competitor.information,
            competitor.records[0].kind,
            competitor.look,
            competitor.features,
        )
        groups.setdefault(key, []).append(competitor)
    return [_card(group) for group in groups.values()]


def _card(group: Sequence[Competitor]) -> Card:
    first = group[0]
    sizes = sorted(competitor.unknowns for competitor in group)
    span = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    return Card(
        method=first.name if len(group) == 1 else f"{first.name} and {len(group) - 1} more",
        information=first.information,
        given=first.declared.given,
        domain=_domain(first.problem),
        tuned=first.declared.tuned,
        unknowns=span,
        precision=", ".join(sorted({competitor.declared.precision for competitor in group})),
        threads=int(first.records[0].config.get("threads") or 1),
    )


def _domain(problem: str) -> str:
    """The title of the problem's domain; of a problem that is not installed here, a dash."""
    return problems.get(problem).domain.title if problem in problems.REGISTRY else "–"
