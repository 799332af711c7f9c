"""The report's sections: one file each, read in the order that each declares.

A section module defines `ORDER`, a number, and `section(run) -> Section | None`; None leaves it out
(a section whose study was never part of the run), while results that should be there and are not
become a `Missing` block with the command that makes them.
"""

from __future__ import annotations

import importlib
import pkgutil

from reports.context import Run
from reports.document import Section


def all_sections(run: Run) -> list[Section]:
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    made = [module.section(run) for module in sorted(modules, key=lambda module: module.ORDER)]
    return [section for section in made if section is not None]
