"""What methods are called in text and legends, and which look they have, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.titles import net_title

ELEMENTS = {
    "N0": "N₀ tetrahedra",
    "hexN0": "N₀ hexahedra",
    "N1": "N₁ tetrahedra",
    "hexP": "p-version, hexahedra",
}
SHORT_ELEMENTS = {
    "N0": "N₀ tets",
    "N0 graded": "N₀ graded tets",
    "hexN0": "N₀ hexes",
    "N1": "N₁ tets",
    "hexP": "p-version",
}


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
    """The key of the net's look: architecture, and whether τ is learned."""
    return config["net"] + ("" if config["tau"] == "fixed" else "+tau")
