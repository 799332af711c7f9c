"""What nets and elements are called in comparisons."""

from __future__ import annotations

from typing import Protocol

from bench.titles import net_title

ELEMENTS = {
    "N0": ("N₀ tetrahedra", "N₀ tets"),
    "hexN0": ("N₀ hexahedra", "N₀ hexes"),
    "N1": ("N₁ tetrahedra", "N₁ tets"),
    "hexP": ("p-version, hexahedra", "p-version"),
}


class HasNet(Protocol):
    @property
    def net(self) -> str: ...
    @property
    def tau(self) -> str: ...


def element_title(element: str) -> str:
    return ELEMENTS.get(element, (element, element))[0]


def element_short(element: str) -> str:
    return ELEMENTS.get(element, (element, element))[1]


def family_of(config: HasNet) -> str:
    """ResNet + τ"""
    name = net_title(config.net)
    if config.tau == "fixed":
        return name
    return name + (" + τ" if config.tau == "learned" else f" + τ ({config.tau})")


def series_of(config: HasNet) -> str:
    """The architecture, and whether τ is learned."""
    return net_title(config.net) + ("" if config.tau == "fixed" else " + τ")


def look_of(config: HasNet) -> str:
    """A net with fixed τ is a variant of the one that learns it."""
    return config.net + ("/fixed" if config.tau == "fixed" else "")
