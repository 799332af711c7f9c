"""Imports and code hash of a source file, read from its syntax tree and cached by content.

Comments, docstrings and blank lines do not enter the hash. The cache is a file of the
user's cache folder, keyed by the bytes of the sources; without it reading the project takes two
seconds instead of a twentieth.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.core.guards.output import write_whole

FORMAT = f"1-{sys.version_info.major}.{sys.version_info.minor}"  # trees differ between Pythons
MOST_ENTRIES = 5000


@dataclass(frozen=True)
class Source:
    """One module: `code`, the hash of its syntax tree, and what it may load.

    `imports` are dotted names, of modules or of names in them; `files` are data files next to it,
    as it names them in `Path(__file__).with_name("…")`.
    """

    code: str
    imports: tuple[str, ...]
    files: tuple[str, ...]


def read_source(path: Path) -> Source:
    """The source file at a path."""
    data = path.read_bytes()
    key = hashlib.blake2b(data, digest_size=16).hexdigest()
    if key not in _cached():
        _cached()[key] = parsed(data)
        _new.append(key)
    return _cached()[key]


def parsed(data: bytes) -> Source:
    """Parse the text of a source file."""
    tree = _WhatRuns().visit(ast.parse(data))
    nodes = list(ast.walk(tree))
    imports = {name for node in nodes for name in _imported(node)}
    files = {name for node in nodes for name in _files_next_to(node)}
    code = hashlib.blake2b(ast.dump(tree).encode(), digest_size=16).hexdigest()
    return Source(code, tuple(sorted(imports)), tuple(sorted(files)))


class _WhatRuns(ast.NodeTransformer):
    """Removes docstrings and code that only type checkers read from a tree."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[0] = ast.Pass()
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)


def _imported(node: ast.AST) -> list[str]:
    """The dotted names of an import, at the top of a file or inside a function."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def _files_next_to(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "with_name":
        return [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
    return []


@cache
def module_path(name: str) -> Path | None:
    """The file of a module, or the `__init__.py` of a package, without importing it or a parent.

    None if the module does not exist.
    """
    parent, _, last = name.rpartition(".")
    if not parent:
        spec = importlib.util.find_spec(name) if name else None
        return None if spec is None or not spec.origin else Path(spec.origin)
    loaded = getattr(sys.modules.get(parent), "__path__", None)
    above = module_path(parent)
    folders = [*map(Path, loaded or ())]
    if not folders and above is not None and above.name == "__init__.py":
        folders = [above.parent]
    for folder in folders:
        for path in (folder / last / "__init__.py", folder / f"{last}.py"):
            if path.is_file():
                return path
    return None


_new: list[str] = []


@cache
def _cached() -> dict[str, Source]:
    try:
        entries = json.loads(_cache_path().read_bytes())["sources"]
        return {key: _checked(entry) for key, entry in entries.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _checked(entry: Any) -> Source:
    code, imports, files = entry["code"], tuple(entry["imports"]), tuple(entry["files"])
    if not all(isinstance(text, str) for text in (code, *imports, *files)):
        raise TypeError("not a cache of sources")
    return Source(code, imports, files)


def keep_cache() -> None:
    """Save newly read sources to the cache; ignore a cache that cannot be written."""
    if not _new:
        return
    _new.clear()
    entries = list(_cached().items())[-MOST_ENTRIES:]
    document = {"sources": {key: asdict(source) for key, source in entries}}
    with suppress(Exception):
        _cache_path().parent.mkdir(parents=True, exist_ok=True)
        write_whole(_cache_path(), json.dumps(document).encode())


def _cache_path() -> Path:
    folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(folder) / "femnets" / f"sources-{FORMAT}.json"
