"""Plugins from outside: files and modules that a user names, by path or by dotted name.

`./mine.py` and `./mine.py:Net` are files (`bench.core.plugin_files`), `mine.cells.heat` is an
importable module. What a user has named is entered in `base.registry.FILES`, where the registry of
each kind finds it. Nothing else fills that table: a name that a run folder holds finds code only if
this process was given it by a user, or made the cell itself.
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
from bench.core.plugin_files import NAME, PATH, PluginFile, digest_now, read

_files: dict[str, PluginFile] = {}  # by hash
_studies: dict[str, PluginFile] = {}  # by name: plans call a study as its file is called


def use(text: str) -> str:
    """The name by which a file is known from now on; text that is no path stays as it is.

    Only a command line, or Python code that means it, calls this: it executes the file.
    """
    match = PATH.fullmatch(text.strip())
    if match is None:
        return text
    file = read(match["path"])
    _files.setdefault(file.digest, file)
    name = file.name(match["what"])
    _enter(name)
    return name


def use_study(text: str, known: Iterable[str]) -> str:
    """A study in a file, called as the file is; other text stays as it is."""
    match = PATH.fullmatch(text.strip())
    if match is None:
        return text
    file = read(match["path"])
    if file.stem in known and file.stem not in _studies:
        raise UserError(f"{file.stem!r} is a study of femnets; give {text} another name")
    FILES[file.stem] = lambda: file.module
    _studies[file.stem] = file
    return file.stem


def forget_study(name: str) -> None:
    """Takes a file away again that turned out to be no study."""
    FILES.pop(name, None)
    _studies.pop(name, None)


def used(value: Any) -> Any:
    """A value of a setting with every path in it replaced by its name: `maxwell,./mine.py`."""
    if isinstance(value, str):
        return ",".join(map(use, value.split(","))) if ".py" in value else value
    if isinstance(value, list | tuple):
        return type(value)(map(used, value))
    if isinstance(value, Mapping):
        return {name: used(item) for name, item in value.items()}
    return value


def is_module_name(name: str) -> bool:
    """Whether the name is a dotted one, of a module outside; `../up` is none."""
    return "." in name and all(part.isidentifier() for part in name.split("."))


def admit(name: str) -> str:
    """Allows the import of a module that the command line or code names; returns the name."""
    if is_module_name(name):
        FILES.setdefault(name, partial(_imported, name))
    return name


def _imported(name: str) -> ModuleType:
    """A module by name; an exception in it, or its exit, becomes one line."""
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
    """Refuses a module outside femnets that only a run folder names."""
    if is_module_name(name) and name not in FILES:
        shown = one_line(name)
        raise UserError(
            f"{kind} {shown!r} is not part of femnets, and modules named only in a run folder are "
            f"not imported; if you trust it, pass it: femnets --plug {shown} …"
        )


def travelling(config: Mapping[str, Any]) -> tuple[PluginFile, ...]:
    """The files that a config names: what a cell brings along to wherever it computes."""
    if not _files:
        return ()
    return tuple({file.digest: file for name in names_in(config) if (file := _file(name))}.values())


def arrived(files: Iterable[PluginFile], config: Mapping[str, Any]) -> None:
    """The other end of the journey: the names of the config can be asked for."""
    for file in files:
        _files.setdefault(file.digest, file)
    for name in names_in(config):
        if _file(name) is not None:
            _enter(name)


def recorded(study: str, config: Mapping[str, Any]) -> dict[str, list[str]]:
    """By name, the paths of all files that a study and its config come from."""
    paths = {name: file.paths() for name in names_in(config) if (file := _file(name))}
    if study in _studies:
        paths[_studies[study].name()] = _studies[study].paths()
    return paths


def path_of_study(study: str) -> str | None:
    """The file of a study from outside; None for a study of the package."""
    return _studies[study].place if study in _studies else None


def path_of(name: str) -> str | None:
    """The path of the file behind NAME@HASH, where this process was given it."""
    file = _file(name)
    return None if file is None else file.place


def changed(recorded: Mapping[str, list[str]]) -> dict[str, str]:
    """Of what `recorded` gave: the names whose files have changed, with the path. Read only."""
    paths_of_changed = {}
    for name, paths in recorded.items():
        now = digest_now(paths)
        if now is not None and now != name.rpartition("@")[2]:
            paths_of_changed[name] = paths[0]
    return paths_of_changed


def display(name: str) -> str:
    """`mine` of mine@1a2b3c4d, for titles."""
    match = NAME.fullmatch(name)
    return match["what"] if match else name


def thing(file: PluginFile, what: str) -> Any:
    """The module, or the object in it that `:what` names."""
    if what == file.stem:
        return file.module
    value = getattr(file.module, what, None)
    if value is None:
        known = [name for name in vars(file.module) if not name.startswith("_")]
        raise UserError(f"{file.stem}.py defines no {what!r}; {nearest(what, known)}")
    return value


def names_in(value: Any) -> list[str]:
    """The names of files in a config, however deep."""
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
    FILES[name] = partial(thing, file, name.partition("@")[0])


def _file(name: str) -> PluginFile | None:
    match = NAME.fullmatch(name)
    return _files.get(match["digest"]) if match else None
