"""A module by the name that a cell or a plan gives: one of a package of ours, or one outside."""

from __future__ import annotations

import importlib
from types import ModuleType

from bench.errors import UserError, nearest
from bench.guards.outside import is_module_name


def named_module(name: str, package: str, known: list[str], what: str) -> ModuleType:
    """The module `name` of the package, or outside it where the name is dotted."""
    if not is_module_name(name) and name not in known:
        raise UserError(f"no {what} {name!r}; {nearest(name, known)}")
    path = name if is_module_name(name) else f"{package}.{name}"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not path.startswith(error.name):
            raise
        raise UserError(f"no {what} {name!r}: no module {error.name!r} on the path") from None
