"""Users' plugins: files and modules that a user names, by path or by dotted name.

`./mine.py` and `./mine.py:Net` are files (`bench.core.plugin_files`), `mine.cells.heat` is an
importable module. What a user has named is entered in `base.registry.FILES`, where the registry of
each kind finds it. Nothing else fills that table: a name read from a run folder leads to code only
if a user named that code to this process, or this process made the cell.
"""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from base.errors import UserError, nearest
from base.registry import FILES
from bench.core.guards.text import one_line
from bench.core.plugin_files import DATA, NAME, PATH, PluginFile, digest_now, read, read_data

_files: dict[str, PluginFile] = {}  # by hash
_studies: dict[str, PluginFile] = {}  # by name, which is that of the file
_titles: dict[str, str] = {}  # of plugins whose files may not be there, as run folders store them


def use(text: str) -> str:
    """Enter a plugin or data file and return its name, NAME@HASH; return other text unchanged.

    It executes a plugin file: call it only for paths that a user typed.
    """
    match = PATH.fullmatch(text.strip())
    if match is None and not DATA.fullmatch(text.strip()):
        return text
    file = read(match["path"]) if match else read_data(text.strip())
    _files.setdefault(file.digest, file)
    name = file.name(match["what"] if match else None)
    _enter(name)
    return name


def use_study(text: str, known: Iterable[str]) -> str:
    """Enter a study file and return its name, that of the file; return other text unchanged."""
    match = PATH.fullmatch(text.strip())
    if match is None:
        return text
    file = read(match["path"])
    if file.stem in known and file.stem not in _studies:
        raise UserError(f"femnets has a study {file.stem!r} already; rename the file {text}")
    FILES[file.stem] = lambda: file.module
    _studies[file.stem] = file
    return file.stem


def forget_study(name: str) -> None:
    """Remove a file that does not define a study."""
    FILES.pop(name, None)
    _studies.pop(name, None)


def used(value: Any) -> Any:
    """Return a setting's value with each path in it (`maxwell,./mine.py`) replaced by its name."""
    if isinstance(value, str):
        return ",".join(map(use, value.split(",")))
    if isinstance(value, list | tuple):
        return type(value)(map(used, value))
    if isinstance(value, Mapping):
        return {name: used(item) for name, item in value.items()}
    return value


def is_module_name(name: str) -> bool:
    """Return whether the name is the dotted name of a module; `../up` is a path."""
    return "." in name and all(part.isidentifier() for part in name.split("."))


def admit(name: str) -> str:
    """Allow the import of a module that the command line or code names, and return the name."""
    if is_module_name(name):
        FILES.setdefault(name, partial(_imported, name))
    return name


def _imported(name: str) -> ModuleType:
    """Import a module; an exception in it, or its exit, becomes a UserError."""
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        absent = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        if absent and name.startswith(absent):
            raise UserError(f"cannot import {name}: no module {absent!r} on the path") from None
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        message = one_line(f"{type(error).__name__}: {error}")
        raise UserError(f"{name} cannot be imported: {message} ({where})") from error


def check_admitted(name: str, kind: str) -> None:
    """Refuse a module outside femnets that only a run folder names."""
    if is_module_name(name) and name not in FILES:
        shown = one_line(name)
        raise UserError(
            f"{kind} {shown!r} is not part of femnets, and modules named only in a run folder are "
            f"not imported; if you trust it, pass it: femnets --plug {shown} …"
        )


def travelling(config: Mapping[str, Any]) -> tuple[PluginFile, ...]:
    """Return the plugin files that a config names; they are sent to workers with the cell."""
    if not _files:
        return ()
    return tuple({file.digest: file for name in names_in(config) if (file := _file(name))}.values())


def arrived(files: Iterable[PluginFile], config: Mapping[str, Any]) -> None:
    """Enter the files sent with a cell, so that registries find the names in its config."""
    for file in files:
        _files.setdefault(file.digest, file)
    for name in names_in(config):
        if _file(name) is not None:
            _enter(name)


def recorded(study: str, config: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the paths of the plugin files of a study and its config, by name."""
    paths = {name: file.paths() for name in names_in(config) if (file := _file(name))}
    if study in _studies:
        paths[_studies[study].name()] = _studies[study].paths()
    return paths


def path_of_study(study: str) -> str | None:
    """Return the path of a user's study; None for a study of femnets."""
    return _studies[study].place if study in _studies else None


def path_of(name: str) -> str | None:
    """Return the path of the file NAME@HASH; None if no user named it to this process."""
    file = _file(name)
    return None if file is None else file.place


def changed(recorded: Mapping[str, list[str]]) -> dict[str, str]:
    """Return the names in the result of `recorded` whose files have changed, with the paths."""
    paths_of_changed = {}
    for name, paths in recorded.items():
        now = digest_now(paths)
        if now is not None and now != name.rpartition("@")[2]:
            paths_of_changed[name] = paths[0]
    return paths_of_changed


def remember_titles(titles: Mapping[str, str]) -> None:
    """Keep the titles that a run folder stores, for reports without the code of the plugins."""
    _titles.update({name: one_line(str(title)) for name, title in titles.items()})


def display(name: str) -> str:
    """Return the stored title of a plugin, or `mine` for mine@1a2b3c4d."""
    match = NAME.fullmatch(name)
    return _titles.get(name, match["what"]) if match else name


def thing(file: PluginFile, what: str) -> Any:
    """Return the module, or the object in it that `:what` names."""
    if what == file.stem:
        return file.module
    value = getattr(file.module, what, None)
    if value is None:
        known = [name for name in vars(file.module) if not name.startswith("_")]
        raise UserError(f"{file.stem}.py defines no {what!r}; {nearest(what, known)}")
    return value


def names_in(value: Any) -> list[str]:
    """Return the names of plugin files in a config, including nested values."""
    if isinstance(value, str):
        return [name for name in value.split(",") if NAME.fullmatch(name)] if "@" in value else []
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable):
        return [name for item in value for name in names_in(item)]
    return []


def _enter(name: str) -> None:
    file = _file(name)
    assert file is not None
    if DATA.fullmatch(file.place):
        FILES[name] = lambda: file
    else:
        FILES[name] = partial(thing, file, name.partition("@")[0])


def _file(name: str) -> PluginFile | None:
    match = NAME.fullmatch(name)
    return _files.get(match["digest"]) if match else None
