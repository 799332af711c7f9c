"""A fingerprint of the code behind a result: where it has changed, the result is stale.

It covers the modules that the cell's kind imports, directly or through others, at the top or inside
functions; the plugins that its configuration names, where a module on the way has their registry;
and the data files that these modules read. Comments and docstrings do not count, nor does a plugin
that no configuration names.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from base.registry import Registry
from bench.cells import Cell, load_kind
from bench.store.sources import Source, keep_cache, module_path, read_source

PROJECT = ("base", "fem", "nets", "bench")
DIGEST_BYTES = 8


def fingerprint_of(cell: Cell) -> str:
    """The hash of every module and file behind a cell."""
    return _fingerprint(load_kind(cell.kind).__name__, frozenset(words(cell.config)))


def modules_of(cell: Cell) -> frozenset[str]:
    """The modules behind a cell."""
    return reached(load_kind(cell.kind).__name__, frozenset(words(cell.config)))


def words(value: Any) -> Iterator[str]:
    """Every text in a config that may name a plugin."""
    if isinstance(value, str):
        yield from (part.strip() for part in value.split(","))
    elif isinstance(value, Mapping):
        yield from words(list(value.values()))
    elif isinstance(value, Iterable):
        for item in value:
            yield from words(item)


@cache
def _fingerprint(kind: str, names: frozenset[str]) -> str:
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for module in sorted(reached(kind, names)):
        path = module_path(module)
        assert path is not None
        digest.update(f"{module}\0{_source(path).code}\0".encode())
        for file in _source(path).files:
            digest.update(hashlib.blake2b((path.parent / file).read_bytes()).digest())
    keep_cache()
    return digest.hexdigest()


@cache
def reached(kind: str, names: frozenset[str]) -> frozenset[str]:
    """The module of a kind, and all that it and the named plugins import."""
    roots = {*PROJECT, kind.partition(".")[0]}
    modules = _closure(kind, frozenset(roots))
    while True:
        plugins = {
            module
            for registry in _registries(modules)
            for name in names
            for module in registry.modules(name)
        }
        roots |= {module.partition(".")[0] for module in plugins}
        grown = modules.union(*(_closure(plugin, frozenset(roots)) for plugin in plugins))
        if grown == modules:
            return modules
        modules = grown


def _registries(modules: Iterable[str]) -> list[Registry[Any]]:
    """The registries of the packages among these modules; this loads no engine."""
    homes = [m for m in modules if "base.registry.Registry" in _source_of(m).imports]
    found = (getattr(importlib.import_module(home), "REGISTRY", None) for home in homes)
    return [registry for registry in found if registry is not None]


@cache
def _closure(start: str, roots: frozenset[str]) -> frozenset[str]:
    """A module with everything of the `roots` that it imports, packages above included."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in roots or module_path(name) is None:
            continue
        found.add(name)
        parent = name.rpartition(".")[0]
        waiting += [parent] if parent else []
        waiting += _source_of(name).imports
    return frozenset(found)


def _source_of(module: str) -> Source:
    path = module_path(module)
    assert path is not None, f"{module} has no source"
    return _source(path)


@cache
def _source(path: Path) -> Source:
    return read_source(path)
