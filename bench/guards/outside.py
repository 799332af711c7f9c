"""Modules outside the package that this process may import: a run folder names no code.

A kind of cell or a study with a dot in its name is a module of somebody else's. It is imported only
if a person (the command line) or code that already runs (a study that makes cells) has named it,
and it was admitted here. What is read from a run folder is looked up, never admitted.
"""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path
from types import ModuleType

from bench.errors import UserError
from bench.guards.text import one_line

_admitted: set[str] = set()


def is_module_name(name: str) -> bool:
    """Whether the name is a dotted one, of a module outside; `../up` is none."""
    return "." in name and all(part.isidentifier() for part in name.split("."))


def admit(name: str) -> str:
    """Allows the import of a module that the command line, an entry point or code names."""
    _admitted.add(name)
    return name


def check_admitted(name: str, what: str) -> None:
    """Refuses a module that nobody but a file has named."""
    if name not in _admitted:
        shown = one_line(name)
        raise UserError(
            f"{what} {shown!r} is no part of femnets, and a run folder names no code; if you trust "
            f"it, name it: femnets --plug {shown} …"
        )


def imported(name: str, what: str) -> ModuleType:
    """A module by name; what the code of somebody else raises, or its way out, is one line."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        absent = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        if absent and name.startswith(absent):
            raise UserError(f"no {what} {name!r}: no module {absent!r} on the path") from None
        if not is_module_name(name) or name.startswith("bench."):
            raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        said = one_line(f"{type(error).__name__}: {error}")
        raise UserError(f"{what} {name} cannot be imported: {said} ({where})") from error
