"""Modules outside the package that this process may import: a run folder names no code.

A kind of cell or a study with a dot in its name is a module of somebody else's. It is imported only
if a person (the command line) or code that already runs (a study that makes cells) has named it,
and it was admitted here. What is read from a run folder is looked up, never admitted.
"""

from __future__ import annotations

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
