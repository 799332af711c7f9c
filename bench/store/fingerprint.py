"""A fingerprint of the code behind a result: where it has changed, the result is stale."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bench.cells import load_kind


@cache
def fingerprint(kind: str) -> str:
    """The hash of every source file in the kind's DEPENDS and of the kind's own file.

    Read once a process, before the code it describes has run for long. Raw bytes: parsing, so
    that a comment would not count, costs 100 times more than reading.
    """
    module = load_kind(kind)
    names = sorted({*module.DEPENDS, module.__name__})
    return combine(tuple(names))


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
    root = located(name)
    if root.is_file():
        yield name, root
        return
    for path in sorted(root.rglob("*.py")):
        yield f"{name}/{path.relative_to(root).as_posix()}", path


def located(name: str) -> Path:
    """Where a module's source lies, found without importing it: `fem` would bring scikit-fem."""
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        raise ModuleNotFoundError(f"DEPENDS names {name!r}, which is not installed", name=name)
    if not spec.submodule_search_locations:
        return Path(str(spec.origin))
    path = Path(spec.submodule_search_locations[0]).joinpath(*rest)
    if path.is_dir():
        return path
    if path.with_suffix(".py").is_file():
        return path.with_suffix(".py")
    raise ModuleNotFoundError(f"DEPENDS names {name!r}, which has no source", name=name)
