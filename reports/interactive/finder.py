"""Which situation are you in? Questions with a few options each, and an answer to every choice.

The page asks whatever questions it is given. Those of `one_field` are about one field; a further
kind of situation, such as a family of problems, brings its own options and answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reports.document import Table, slug
from reports.interactive.cells import short

Choice = tuple[str, ...]


@dataclass(frozen=True)
class Question:
    name: str
    title: str
    options: tuple[str, ...]
    default: int = 0


@dataclass(frozen=True)
class Answer:
    """A headline, what is known about it, and the runs and table rows that say so."""

    winner: str  # or "none"
    family: str
    words: str
    facts: tuple[tuple[str, str], ...]
    keys: tuple[str, ...] = ()
    row: int = 0  # of the table that all answers are in


@dataclass(frozen=True)
class Finder:
    questions: tuple[Question, ...]
    answers: Mapping[Choice, Answer]
    table: Table
    note: str = ""

    @cached_property
    def default(self) -> Answer | None:
        """What stands there before anybody has chosen."""
        return self.answers.get(tuple(q.options[q.default] for q in self.questions))

    def as_json(self) -> dict[str, dict[str, Any]]:
        """For the page: by the places of the chosen options (`0.2.1.3`), the answer."""
        return {
            ".".join(
                str(question.options.index(option))
                for question, option in zip(self.questions, choice, strict=True)
            ): {
                "look": slug(answer.family) if answer.family else "none",
                "words": answer.words,
                "facts": answer.facts,
                "runs": " ".join(map(short, answer.keys)),
                "row": answer.row,
            }
            for choice, answer in self.answers.items()
        }
