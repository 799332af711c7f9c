"""What methods are called in text and legends, and which look they have, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.store.results import Record

NETS = {
    "feedforward": "feedforward",
    "resnet": "ResNet",
    "densenet": "DenseNet",
    "fractional": "Fractional-DNN",
}


def element_title(record: Record) -> str:
    """N₀ tetrahedra: what the element calls itself, carried by its results; else its name."""
    return str(record.values.get("element_title", record.config["element"]))


def element_short(record: Record) -> str:
    """N₀ tets."""
    return str(record.values.get("element_short", record.config["element"]))


def net_family(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O."""
    name = NETS.get(config["net"], config["net"])
    if config["tau"] != "fixed":
        name += " + τ" if config["tau"] == "learned" else f" + τ ({config['tau']})"
    return name + (" + B.O." if config.get("bias_ordering") else "")


def net_name(config: Mapping[str, Any]) -> str:
    """ResNet + τ + B.O. 2-50"""
    return f"{net_family(config)} {config['hidden']}-{config['width']}"


def net_method(config: Mapping[str, Any]) -> str:
    """The key of the net's look: architecture, and whether τ is learned."""
    return config["net"] + ("" if config["tau"] == "fixed" else "+tau")
