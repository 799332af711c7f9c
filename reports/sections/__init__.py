"""The report's sections: one file each, which says everything about itself.

A section module defines

    TITLE      its heading
    ORDER      a number: sections are read in this order
    STUDY      the study that feeds it, or STUDIES if there are several; neither for a section
               about whatever the run has
    contents   Run -> blocks and subsections, in reading order; none where it has nothing to show

A fault in one section leaves a note in its place and the others whole.

A section without contents is left out, unless one of its studies belongs to the run: then its gap
is named in its place, with the command that fills it.

It has a fixed text, one or two figures and one table. It assembles no sentences from data, and
takes significance from `bench.claims`. A whole one:

    TITLE, ORDER = "Given the equation", 57
    STUDY = "solve"
    TEXT = "Every method here is given f, φ and the boundary data g, never the field."

    def contents(run: Run) -> list[Block]:
        nets = run.results_of(STUDY).select("solved_net")
        if not len(nets):
            return []
        by = {"field": "problem", "optimiser": "optimizer"}  # column title: entry of the config
        measures = [SEEDS, ("L² error", "error", "l2_error"), ("time", "seconds", "seconds")]
        caption = "Nets given the equation: L² errors on the whole domain, medians over seeds."
        table = study_table(run, STUDY, nets, "solve-nets", caption, by, measures)
        return [Paragraph(TEXT), table]

A measure is a title, a kind of number (`reports.formatting`) and a stored value, of which the
median is shown (a diverged run counts as infinite), or a function of the group. Columns in which
all rows agree move into the caption. A `Picture` draws when it is needed; figures are in
`reports.figures`, with at most eight series, named at the curves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from base.errors import UserError
from base.registry import Registry
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Section
from reports.faults import tried

PARTS = ("TITLE", "ORDER", "contents")


class Described(Protocol):
    """What a file of this folder defines."""

    TITLE: str
    ORDER: float

    def contents(self, run: Run) -> Sequence[Block | Section]: ...


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

    def contents(self, run: Run) -> Sequence[Block | Section]:
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
    planned = [study for study in studies_of(module) if study in run.plans]
    if not parts and planned:
        gap = f"no results of {' and '.join(planned)} in this run yet."
        parts = [Missing(gap, run.command(*planned))]
    if not parts:
        return None
    blocks = [each for each in parts if not isinstance(each, Section)]
    return Section(module.TITLE, blocks, [s for s in parts if isinstance(s, Section)])
