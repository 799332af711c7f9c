"""What each method is given: a small table for the article, a card per method in the supplement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields

from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.cards import Card, cards
from reports.competitors import Competitor, competitors, contested
from reports.context import Run
from reports.document import Block, Column, Formula, Paragraph, Table, Value
from reports.formatting import count, listed

TITLE = "What each method is given"
ORDER = 20
STUDIES = ()  # whatever competes
GAP = ""
MOST_NAMED = 6  # series of a family

EQUATION = Formula(
    '"curl"(phi "curl" u) = f, quad "div" u = 0 quad "in" Omega, quad quad '
    'u times n = g quad "on" ∂ Omega',
    "curl of phi curl u is f, the divergence of u is 0, and u cross n is g on the boundary.",
)
COLUMNS = [
    Column("given"),
    Column("methods"),
    Column("in detail"),
    Column("unknowns"),
    Column("settings"),
]


def article(run: Run) -> list[Block]:
    """One row per kind of information and family of methods."""
    field = _field(run)
    rows = [_row(track, family, members) for (track, family), members in _families(field).items()]
    if not rows:
        return []
    problems = contested(run.results)
    text = (
        f"All fields ({listed([f'`{name}`' for name in problems])}) solve one equation, with φ and "
        "f in closed form. A comparison is only as fair as what each side is given "
        "([[information]]): the field itself, samples of it, or the equation with its boundary "
        "data and nothing of the field. One norm measures all, the L² norm; comparisons are made "
        "within a row's kind of information, at equal samples, inputs and threads."
    )
    caption = (
        "The kinds of information, and the methods that are given each. Everything computes in "
        "double precision on one thread unless a table says otherwise."
    )
    records = Results([r for c in field for r in c.records])
    table = Table("information", caption, COLUMNS, rows, run.made_by(records))
    return [Paragraph(text), EQUATION, table]


def _field(run: Run) -> list[Competitor]:
    return [c for name in contested(run.results) for c in competitors(run.results, name)]


def _families(field: Sequence[Competitor]) -> dict[tuple[str, str], list[Competitor]]:
    found: dict[tuple[str, str], list[Competitor]] = {}
    for track in INFORMATION:
        for c in field:
            if c.information == track:
                found.setdefault((track, c.declared.family), []).append(c)
    return found


def _row(track: str, family: str, members: Sequence[Competitor]) -> tuple[Value, ...]:
    series = list(dict.fromkeys(c.declared.series for c in members))
    named = series[:MOST_NAMED]
    if len(series) > len(named):
        named.append(f"{len(series) - len(named)} more")
    sizes = [c.unknowns for c in members]
    return (
        INFORMATION[track].short,
        f"{family}s: {listed(named)}",
        _given(members),
        f"{count(min(sizes))} to {count(max(sizes))}" if len(set(sizes)) > 1 else count(sizes[0]),
        _settings(members),
    )


def _given(members: Sequence[Competitor]) -> str:
    samples = sorted({c.declared.samples for c in members if c.declared.samples})
    if not samples:
        return listed(sorted({c.declared.given for c in members}))
    inputs = sorted({c.features.replace("phi", "φ") for c in members}, key=len)
    numbers = " or ".join(count(number) for number in samples)
    return f"{numbers} samples of u, with {' or '.join(inputs)}"


SEARCH = {
    "none": "nothing to search",
    "counted": "searched, at a counted cost",
    "elsewhere": "found before, at a cost not counted",
}


def _settings(members: Sequence[Competitor]) -> str:
    found = {c.declared.search for c in members}
    return "; ".join(words for name, words in SEARCH.items() if name in found)


def contents(run: Run) -> list[Block]:
    rows = _cards(run)
    if not rows:
        return []
    columns = [
        *(Column(f.name, "count" if f.name == "threads" else "text") for f in fields(Card)),
        Column("fields"),
    ]
    text = (
        "One card per method; meshes of one family and sizes of one kind of net share theirs, and "
        "so do fields on which nothing differs but the sizes."
    )
    return [Paragraph(text), Table("cards", "Method cards: what was given.", columns, rows)]


def _cards(run: Run) -> list[tuple[Value, ...]]:
    """Cards that say the same of several fields are one."""
    groups: dict[Card, list[str]] = {}
    for problem in contested(run.results):
        for card in cards(competitors(run.results, problem)):
            groups.setdefault(card, []).append(problem)
    return [(*astuple(card), ", ".join(names)) for card, names in groups.items()]
