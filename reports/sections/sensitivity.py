"""Every comparison of the paper under every change of what it leaves open."""

from __future__ import annotations

from bench.claims import Row
from bench.claims.themes.sensitivity import QUESTIONS, answers
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table

TITLE = "Choices that the paper leaves open"
ORDER = 54
STUDY = "sensitivity"
TEXT = (
    "Comparisons of the paper are repeated with one choice changed at a time. A comparison whose "
    "sign changes depends on that choice."
)
CAPTION = (
    "Median ratio of errors by change, below one where the paper's finding holds; a star marks a "
    "decided sign (two-sided, Holm's correction over the changes). Fewer samples and steps than "
    "the paper's."
)


def contents(run: Run) -> list[Block]:
    seen = {question: answers(run.results, question) for question in QUESTIONS}
    changes = [answer.name for answer in next(iter(seen.values()))]
    if len(changes) < 2:
        return []
    cells = tuple(key for answer in seen[QUESTIONS[0]] for key in answer.cells)
    rows = [
        [change, *(_effect(seen[question][at]) for question in QUESTIONS)]
        for at, change in enumerate(changes)
    ]
    columns = [Column("change"), *(Column(q.name.replace("-", " ")) for q in QUESTIONS)]
    source = Source(run.command(STUDY), cells)
    return [Paragraph(TEXT), Table("sensitivity", CAPTION, columns, rows, source)]


def _effect(answer: Row) -> str:
    return f"{answer.effect:.2f}{'*' if answer.decided else ''}"
