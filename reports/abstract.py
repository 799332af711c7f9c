"""The first words of the report: its title, its abstract, its references, from the results."""

from __future__ import annotations

from reports.context import Run

QUESTION = "When does a neural network beat a finite element?"


def title(run: Run) -> str:
    return QUESTION


def abstract(run: Run) -> list[str]:
    """One sentence or two per situation, each with its figure and its limit."""
    return []


def references(run: Run) -> list[str]:
    """What the text refers to, in a fixed order."""
    return []
