"""What presets mean by "every": plugins describe themselves, so a new file takes part unedited.

Presets are read when a study is first loaded. What a preset chooses on purpose, such as the paper's
two nets, it names itself.
"""

from __future__ import annotations

from bench import problems
from bench.methods import baselines
from fem import elements
from fem.elements import Element
from nets import architectures


def nets() -> tuple[str, ...]:
    """Every architecture with time steps τ, as they stand in tables; torch modules have none."""
    found = [name for name in architectures.names() if hasattr(_net(name), "coefficients")]
    return tuple(sorted(found, key=lambda name: (_net(name).PLACE, name)))


def _net(name: str) -> architectures.Architecture:
    return architectures.get(name)


def smooth_fields() -> tuple[str, ...]:
    """Every smooth field known in closed form on the cube."""
    return tuple(name for name in fields() if problems.get(name).smooth)


def singular_fields() -> tuple[str, ...]:
    """Every field known in closed form on the cube with a singular edge."""
    return tuple(name for name in fields() if not problems.get(name).smooth)


def fields() -> tuple[str, ...]:
    """Every field known in closed form on the cube."""
    known = {name: problems.get(name) for name in problems.names()}
    return tuple(name for name, p in known.items() if p.known and p.domain.name == "cube")


def approximating() -> list[Element]:
    """Every element with a best approximation."""
    return [element for element in elements.REGISTRY if element.solvers]


def solving() -> list[Element]:
    """Every element recommended for the boundary-value problem: nodal ones, which want the trace
    in one piece, are not."""
    able = [(element, element.boundary_value) for element in elements.REGISTRY]
    return [element for element, ability in able if ability and not ability.whole_trace]


def fitting() -> list[Element]:
    """Every element that can be fitted to samples."""
    return [element for element in elements.REGISTRY if element.fit]


def costly_baselines() -> tuple[str, ...]:
    """Every baseline that declares `COSTLY = True`."""
    return tuple(n for n in baselines.names() if getattr(baselines.get(n), "COSTLY", False))
