"""A card for every method: what it was told, what it chose, its unknowns, precision and threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.contenders import TOLD, Contender

TOLD_ABOUT_INPUTS = {
    "x": "positions",
    "f": "the right-hand side f",
    "phi": "the coefficient φ",
}
TUNED = {
    "net": "nothing in this cell: settings are the paper's or the study's",
    "tuned_net": "size and η, by validation inside the cylinder; counted in the seconds",
    "baseline": "nothing",
    "fem": "nothing",
    "fem_fit": "nothing; every mesh size is its own line",
}


@dataclass(frozen=True)
class Card:
    method: str
    track: str
    told: str
    domain: str
    tuned: str
    unknowns: str
    precision: str
    threads: int


def cards(field: Sequence[Contender]) -> list[Card]:
    """One card a method; meshes of one family and sizes of one kind of net share theirs."""
    groups: dict[tuple[str, ...], list[Contender]] = {}
    for contender in field:
        key = (contender.track, contender.records[0].kind, contender.look, contender.features)
        groups.setdefault(key, []).append(contender)
    return [_card(group) for group in groups.values()]


def _card(group: Sequence[Contender]) -> Card:
    first = group[0]
    record = first.records[0]
    sizes = sorted(contender.unknowns for contender in group)
    span = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    return Card(
        method=first.name if len(group) == 1 else f"{first.name} and {len(group) - 1} more",
        track=first.track,
        told=_told(first),
        domain="the cylinder" if first.track == "fit" else "the cube",
        tuned=TUNED.get(record.kind, "nothing"),
        unknowns=span,
        precision=_precision(group),
        threads=int(record.config.get("threads") or 1),
    )


def _told(contender: Contender) -> str:
    if contender.track != "fit":
        return TOLD[contender.track]
    inputs = [TOLD_ABOUT_INPUTS.get(name, name) for name in contender.features.split(",")]
    number = contender.records[0].config.get("samples")
    return f"{number:,} samples of u, with {', '.join(inputs)}"


def _precision(group: Sequence[Contender]) -> str:
    """float32 solvers keep the defect in float64 (`kuhn32`); nets say theirs."""
    names = set()
    for contender in group:
        record = contender.records[0]
        single = record.values.get("solver") == "kuhn32"
        names.add("float32, defect in float64" if single else record.config.get("precision"))
    return ", ".join(sorted(name or "float64" for name in names))
