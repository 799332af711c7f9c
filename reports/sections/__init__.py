"""The report's sections: one file each, which says everything about itself.

A section module defines

    TITLE      its heading
    ORDER      a number: sections are read in this order
    STUDY      the study that feeds it, or STUDIES if there are several; neither for a section
               about whatever the run has
    contents   Run -> blocks, in reading order

A fault in one section leaves a note in its place and the others whole.

A table without rows is left out, and so is a figure whose source has no results. A section of which
nothing is left is left out too, unless one of its studies belongs to the run: then its gap is named
in its place, with the command that fills it.

It has a fixed text, one or two figures and one table. It assembles no sentences from data, and
takes significance from `bench.claims`. A whole one:

    TITLE, ORDER = "Given the equation", 57
    STUDY = "solve"
    TEXT = "Every method here is given f, φ and the boundary data g, never the field."

    def contents(run: Run) -> list[Block]:
        nets = run.results_of(STUDY).select("solved_net")
        by = {"field": "problem", "optimiser": "optimizer"}  # column title: entry of the config
        measures = [SEEDS, ("L² error", "error", "l2_error"), ("time", "seconds", "seconds")]
        caption = "Nets given the equation: L² errors on the whole domain, medians over seeds."
        table = study_table(run, STUDY, nets, "solve-nets", caption, by, measures)
        return [Paragraph(TEXT), table]

A measure is a title, a kind of number (`reports.formatting`) and a stored value, of which the
median is shown (a diverged run counts as infinite), or a function of the group. Columns in which
all rows agree move into the caption. A `Picture` draws when it is needed; `draw_panels` of
`reports.figures.curves` draws named curves, at most eight in a panel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from base.errors import UserError
from base.registry import Registry
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Picture, Section, Table
from reports.faults import tried

PARTS = ("TITLE", "ORDER", "contents")


class Described(Protocol):
    """What a file of this folder defines."""

    TITLE: str
    ORDER: float

    def contents(self, run: Run) -> Sequence[Block]: ...


def _described(found: Any, name: str) -> Described:
    """The section of a file; one that does not describe itself is refused."""
    absent = [part for part in PARTS if not hasattr(found, part)]
    if absent:
        raise UserError(f"{__name__}.{name} is not a section: define {', '.join(absent)} in it")
    return cast(Described, found)


REGISTRY: Registry[Described] = Registry("section", __name__, _described)


@dataclass
class Unreadable:
    """In place of a section whose file cannot be read: asked for its contents, it says why."""

    TITLE: str
    error: Exception
    ORDER: float = math.inf

    def contents(self, run: Run) -> Sequence[Block]:
        raise self.error


def studies_of(module: Described) -> Sequence[str]:
    """The studies that feed a section."""
    return (module.STUDY,) if hasattr(module, "STUDY") else getattr(module, "STUDIES", ())


def _sections() -> list[Described]:
    """All sections in reading order, those that cannot be read last."""
    found: list[Described] = []
    for name in REGISTRY.names():
        try:
            found.append(REGISTRY.get(name))
        except Exception as error:
            found.append(Unreadable(name, error))
    return sorted(found, key=lambda section: section.ORDER)


def all_sections(run: Run) -> list[Section]:
    """The sections of a run, in reading order."""
    return [made for module in _sections() if (made := make(module, run)) is not None]


def make(module: Described, run: Run) -> Section | None:
    """The section of a run, its gap, or None where the run is about something else."""
    parts = tried(
        f"section {module.TITLE!r}",
        lambda: module.contents(run),
        lambda note: [Paragraph(f"{note}.")],
    )
    blocks = [block for block in parts if not _is_empty(block)]
    if len(blocks) < len(parts) and not any(isinstance(b, Picture | Table) for b in blocks):
        blocks = []
    planned = [study for study in studies_of(module) if study in run.plans]
    if not blocks and planned and not any(len(run.results_of(study)) for study in planned):
        gap = f"no results of {' and '.join(planned)} in this run yet."
        blocks = [Missing(gap, run.command(*planned))]
    return Section(module.TITLE, blocks) if blocks else None


def _is_empty(block: Block) -> bool:
    """Whether it is a table without rows, or a figure or table without results."""
    if isinstance(block, Table) and not block.rows:
        return True
    return isinstance(block, Picture | Table) and bool(block.source and not block.source.cells)
