"""A module by the name that a cell or a plan gives: one of a package of ours, or one outside."""

from __future__ import annotations

from types import ModuleType

from bench.errors import UserError, nearest
from bench.guards.outside import imported, is_module_name


def named_module(name: str, package: str, known: list[str], what: str) -> ModuleType:
    """The module `name` of the package, or outside it where the name is dotted."""
    if not is_module_name(name) and name not in known:
        raise UserError(f"no {what} {name!r}; {nearest(name, known)}")
    return imported(name if is_module_name(name) else f"{package}.{name}", what)
