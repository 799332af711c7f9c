"""Method cards: what each method was given, what was tuned, its size, precision and threads."""

from __future__ import annotations

from dataclasses import astuple, fields

from reports.cards import Card, cards
from reports.contenders import contenders, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table

TITLE = "Method cards"
ORDER = 20
STUDIES = ()  # whatever competes
GAP = ""


def contents(run: Run) -> list[Block]:
    problems = contested(run.results)
    rows = [
        (problem, *astuple(card))
        for problem in problems
        for card in cards(contenders(run.results, problem))
    ]
    if not rows:
        return []
    columns = [
        Column("problem"),
        *(
            Column(field.name, "count" if field.name == "threads" else "text")
            for field in fields(Card)
        ),
    ]
    text = (
        "A comparison is only as fair as what each side was told. One card per method; meshes of "
        "one family share theirs."
    )
    return [Paragraph(text), Table("cards", "What was given.", columns, rows)]
