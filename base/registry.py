"""Registries: plugins of one kind by name, from a folder, installed packages and users' files.

A folder of plugins has one `Registry`. Each module in it whose name has no leading underscore is
one plugin; sub-folders hold what the plugins share. A kind that is open to others also finds

- the entry points `femnets.GROUP` of installed packages, by the name of the entry point;
- files that a user has named (`./mine.py`), as NAME@HASH, and importable modules by their dotted
  names: `bench.core.plugins` enters them in `FILES`, where the registry of each kind looks.

A kind with a `group` is open to both, one with `files` to the second only.

Nothing is imported before it is asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from base.errors import UnknownPlugin, UserError, unknown

Plugin = TypeVar("Plugin")
# By name: a function that returns the module, or the object in it, that a user has named.
FILES: dict[str, Callable[[], Any]] = {}


def as_it_is(found: Any, name: str) -> Any:
    """Return the module itself as the plugin."""
    return found


def name_of(module: ModuleType) -> str:
    """Return the name of the plugin that a module of a folder defines.

    Code that needs one particular plugin imports its module, so that fingerprints include it.
    """
    return module.__name__.rpartition(".")[2]


class Registry(Generic[Plugin]):
    """The plugins of one kind.

    `made(found, name)` turns a module, or an object from outside, into the plugin, or raises a
    UserError that says what is missing. `name_in(path)` is the name of the plugin in a file.
    `stands_for` maps names that leave the choice to the code ("auto") to the possible choices.
    """

    every: list[Registry[Any]] = []  # noqa: RUF012  (all registries)

    def __init__(
        self,
        kind: str,
        package: str,
        made: Callable[[Any, str], Plugin] = as_it_is,
        *,
        group: str | None = None,
        files: bool = False,
        name_in: Callable[[Path], str] = lambda path: path.stem,
        stands_for: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.kind, self.package, self.group = kind, package, group
        self._open_to_files = files or group is not None
        self._made, self._name_in, self._stands_for = made, name_in, stands_for or {}
        self._plugins: dict[str, Plugin] = {}
        Registry.every.append(self)

    @cached_property
    def files(self) -> dict[str, str]:
        """The modules of the folder, by plugin name."""
        folders = map(Path, importlib.import_module(self.package).__path__)
        paths = (path for folder in folders for path in folder.glob("[!_]*.py"))
        named = ((self._name_in(path), f"{self.package}.{path.stem}") for path in paths)
        return dict(sorted(named))

    @cached_property
    def installed(self) -> dict[str, EntryPoint]:
        """The entry points of installed packages, by name."""
        if self.group is None:
            return {}
        return {entry.name: entry for entry in entry_points(group=f"femnets.{self.group}")}

    def names(self) -> list[str]:
        """Return all names that are known without naming a file."""
        return sorted({*self.files, *self.installed})

    def __iter__(self) -> Iterator[Plugin]:
        return (self.get(name) for name in self.names())

    def __contains__(self, name: str) -> bool:
        return name in self.files or name in self.installed or self._from_file(name)

    def get(self, name: str) -> Plugin:
        """Return the plugin of that name; a UserError for an unknown name suggests the nearest."""
        if name not in self._plugins:
            self._plugins[name] = self._made(self._found(name), name)
        return self._plugins[name]

    def modules(self, name: str) -> list[str]:
        """Return the names of the modules that define a plugin; none for a user's file."""
        names = self._stands_for.get(name, (name,))
        inside = [self.files[each] for each in names if each in self.files]
        return inside or [self.installed[each].module for each in names if each in self.installed]

    def forget(self) -> None:
        """Clear the caches, after files or packages were added or removed."""
        self._plugins.clear()
        for cached in ("files", "installed"):
            self.__dict__.pop(cached, None)

    def _found(self, name: str) -> Any:
        if name in self.files:
            try:
                return importlib.import_module(self.files[name])
            except TypeError as error:  # Python's message for an incomplete declaration
                raise UserError(f"{self.files[name].replace('.', '/')}.py: {error}") from error
        if name in self.installed:
            return self.installed[name].load()
        if self._from_file(name):
            return FILES[name]()
        raise UnknownPlugin(f"unknown {self.kind} {name!r}; {unknown(name, self.names())}")

    def _from_file(self, name: str) -> bool:
        return self._open_to_files and name in FILES


def declared(found: Any, attribute: str, wanted: type, hint: str) -> Any:
    """Return the module's attribute of the wanted type, or the object itself if it is of it."""
    thing = getattr(found, attribute, None) if isinstance(found, ModuleType) else found
    if not isinstance(thing, wanted):
        raise UserError(hint)
    return thing
