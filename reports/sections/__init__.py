"""The report's sections: one file each, which says everything about itself.

A section module defines

    TITLE      its heading
    ORDER      a number: sections are read in this order
    STUDIES    the studies that feed it; () for a section about whatever the run has
    GAP        what is said when those studies are planned and have given nothing yet
    contents   Run -> blocks and subsections, in reading order; none where it has nothing to show

A section without contents is left out, unless one of its studies belongs to the run: then its gap
is named, with the command that fills it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Protocol, cast

from bench.errors import UserError
from bench.store.files import Damaged
from reports.context import Run
from reports.document import Block, Missing, Section
from reports.faults import note

PARTS = ("TITLE", "ORDER", "STUDIES", "GAP", "contents")


class Described(Protocol):
    """What a file of this folder defines."""

    TITLE: str
    ORDER: float
    STUDIES: Sequence[str]
    GAP: str

    def contents(self, run: Run) -> Sequence[Block | Section]: ...


def all_sections(run: Run) -> list[Section]:
    names = [info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_"]
    modules = [load(name) for name in names]
    made = [make(module, run) for module in sorted(modules, key=lambda module: module.ORDER)]
    return [section for section in made if section is not None]


def load(name: str) -> Described:
    """The section of that file; one that does not describe itself is refused."""
    module = importlib.import_module(f"{__name__}.{name}")
    absent = [part for part in PARTS if not hasattr(module, part)]
    if absent:
        raise UserError(f"{module.__name__} is no section: it defines no {', '.join(absent)}")
    return cast(Described, module)


def make(module: Described, run: Run) -> Section | None:
    """The section of a run, its gap, or None where the run is about something else."""
    try:
        parts = module.contents(run)
    except (Damaged, UserError):
        raise
    except Exception as error:  # see `reports.faults`
        said = note(f"section {module.TITLE!r}", error)
        parts = [Missing(f"{said}.", run.command(*module.STUDIES))]
    planned = [study for study in module.STUDIES if study in run.plans]
    if not parts and planned:
        parts = [Missing(module.GAP, run.command(*planned))]
    if not parts:
        return None
    return Section(
        module.TITLE,
        [part for part in parts if not isinstance(part, Section)],
        [part for part in parts if isinstance(part, Section)],
    )
