"""What methods are called in text and legends, and the keys of their looks, in one place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from bench.methods import titles
from bench.methods.titles import net_title
from bench.store.results import StoredResult

NAMED = re.compile(r"\b([A-Za-z_]\w*)@([0-9a-f]{8})\b")


def net_family(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O."""
    name = net_title(config["net"])
    if config["tau"] != "fixed":
        name += " + τ" if config["tau"] == "learned" else f" + τ ({config['tau']})"
    return name + (" + B.O." if config.get("bias_ordering") else "")


def net_name(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O. 2-50"""
    return f"{net_family(config)} {config['hidden']}-{config['width']}"


def net_method(config: Mapping[str, Any]) -> str:
    """The key of the net's look: architecture, and whether its τ is fixed."""
    return f"net/{config['net']}" + ("/fixed" if config["tau"] == "fixed" else "")


def element_title(record: StoredResult) -> str:
    """N₀ tetrahedra: what the element calls itself, carried by its results; else its name."""
    return str(record.values.get("element_title", record.config["element"]))


def element_short(record: StoredResult) -> str:
    """The short name next to a curve: N₀ tets."""
    return str(record.values.get("element_short", record.config["element"]))


def element_look(name: str) -> str:
    """The key of an element's look on uniform meshes."""
    return f"finite element/{name}"


def in_place(family: str, names: Iterable[str]) -> list[str]:
    """Names of a family in the order that plugins declare, unknown ones last."""
    known, found = titles.members(family), set(names)
    return [*(name for name in known if name in found), *sorted(found - set(known))]


def short_names(values: Iterable[object]) -> dict[str, str]:
    """By its name with its hash, mine@1a2b3c4d, what a reader calls a file from outside.

    Results carry the hash, because another version of a file is another thing. A report is about
    one version and says which in its facts; of two versions of one name both keep their hash.
    """
    found = {match for value in values for match in NAMED.findall(str(value))}
    often = Counter(name for name, _ in found)
    return {f"{name}@{digest}": name for name, digest in sorted(found) if often[name] == 1}
