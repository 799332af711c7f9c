"""What methods are called in text and legends, and the keys of their looks, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bench.methods import titles
from bench.methods.titles import net_title
from bench.store.results import StoredResult

SECONDS = (
    "Seconds are those that pass while the method alone is at work on its threads, warm; loading "
    "code, drawing samples and measuring errors are not included."
)


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
    """Beside a curve: N₀ tets."""
    return str(record.values.get("element_short", record.config["element"]))


def element_look(name: str) -> str:
    """The key of an element's look on uniform meshes."""
    return f"finite element/{name}"


def members(family: str) -> list[str]:
    """The methods of a family that plugs declare, in the order of their places."""
    return titles.members(family)


def in_place(family: str, names: Iterable[str]) -> list[str]:
    """Names of a family in the order of their places, those of no plug behind them."""
    known, found = members(family), set(names)
    return [*(name for name in known if name in found), *sorted(found - set(known))]
