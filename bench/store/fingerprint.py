"""A fingerprint of the code behind a result: where it has changed, the result is stale."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bench import plugs
from bench.cells import Cell, load_kind


@cache
def fingerprint(kind: str) -> str:
    """The hash of every source file in the kind's DEPENDS and of the kind's own file.

    Read once a process, before the code it describes has run for long. Raw bytes: parsing, so
    that a comment would not count, costs 100 times more than reading.
    """
    module = load_kind(kind)
    names = sorted({*module.DEPENDS, module.__name__})
    return combine(tuple(names))


def fingerprint_of(cell: Cell) -> str:
    """The kind's, and the sources of the installed plugs that the config names.

    (A file named by its path has its hash in its name.)
    """
    plugged = plugs.installed_modules(cell.config)
    if not plugged:
        return fingerprint(cell.kind)
    return hashlib.blake2b(
        (fingerprint(cell.kind) + combine(plugged)).encode(), digest_size=8
    ).hexdigest()


@cache
def combine(names: tuple[str, ...]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for name in names:
        for relative, path in sources(name):
            digest.update(f"{relative}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def sources(name: str) -> Iterator[tuple[str, Path]]:
    """The Python files of a package or module, with names that do not depend on the machine."""
    for root in located(name):
        if root.is_file():
            yield name, root
            continue
        for path in sorted(root.rglob("*.py")):
            yield f"{name}/{path.relative_to(root).as_posix()}", path


def located(name: str) -> list[Path]:
    """A module's file, or the folders of a package, found without importing it.

    `fem` would bring an engine. A package has several folders where plugs were added to its path.
    """
    parent, _, last = name.rpartition(".")
    if not parent:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"DEPENDS names {name!r}, which is not installed", name=name)
        return [Path(p) for p in spec.submodule_search_locations or [str(spec.origin)]]
    loaded = getattr(sys.modules.get(name), "__path__", None)
    folders = [Path(folder) for folder in loaded or ()]
    for place in () if folders else _folders(parent):
        if (place / last).is_dir():
            folders.append(place / last)
        elif (place / f"{last}.py").is_file():
            return [place / f"{last}.py"]
    if not folders:
        raise ModuleNotFoundError(f"DEPENDS names {name!r}, which has no source", name=name)
    return folders


def _folders(package: str) -> list[Path]:
    return [place for place in located(package) if place.is_dir()]
