"""The lists behind "every …" in presets, from what plugins declare: new files are included.

Presets are read when a study is first loaded. A deliberate choice, such as the paper's two nets, is
named in the preset itself. A plugin that cannot be loaded is left out with a warning.
"""

from __future__ import annotations

import warnings
from typing import Any

from base.registry import Registry
from bench import problems
from bench.methods import baselines
from fem import elements
from fem.elements import Element
from nets import architectures


def _loaded(registry: Registry[Any]) -> dict[str, Any]:
    plugins = {}
    for name in registry.names():
        try:
            plugins[name] = registry.get(name)
        except Exception as error:
            text = f"{registry.kind} {name!r} cannot be loaded and is left out of presets: {error}"
            warnings.warn(text, stacklevel=3)
    return plugins


def nets() -> tuple[str, ...]:
    """Every architecture with time steps τ, in the order of tables; torch modules have none."""
    known = _loaded(architectures.REGISTRY)
    stepping = [name for name in known if hasattr(known[name], "coefficients")]
    return tuple(sorted(stepping, key=lambda name: (known[name].PLACE, name)))


def fields(*, smooth: bool | None = None) -> tuple[str, ...]:
    """Every field known in closed form on the cube; only the smooth or only the singular ones."""
    known = _loaded(problems.REGISTRY)
    names = (name for name in problems.names() if name in known)
    return tuple(
        name
        for name in names
        if known[name].known and known[name].domain.name == "cube"
        if smooth is None or known[name].smooth == smooth
    )


def approximating() -> list[Element]:
    """Every element with a best approximation."""
    return [element for element in _loaded(elements.REGISTRY).values() if element.solvers]


def solving() -> list[Element]:
    """Every element recommended for the boundary-value problem; nodal ones, which need the whole
    trace, are not."""
    able = [element for element in _loaded(elements.REGISTRY).values() if element.boundary_value]
    return [element for element in able if not element.boundary_value.whole_trace]


def fitting() -> list[Element]:
    """Every element that can be fitted to samples."""
    return [element for element in _loaded(elements.REGISTRY).values() if element.fit]


def costly_baselines() -> tuple[str, ...]:
    """Every baseline that declares `COSTLY = True`."""
    known = _loaded(baselines.REGISTRY)
    return tuple(name for name in known if getattr(known[name], "COSTLY", False))
