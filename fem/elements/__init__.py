"""Elements: every file beside this one declares one element as `ELEMENT`, found by its file.

An element says its order and which solvers it has; `candidates` is the one place that turns names
into a space.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from fem.errors import InputError
from fem.spaces import Space


@dataclass(frozen=True)
class Solver:
    """How to make a space: `build(n=…)` or, with `any_mesh`, `build(mesh=…)`.

    Elements without a fixed order pass `order=…` as well. `auto` takes the first solver of an
    element that takes the mesh and its number of cells and fits in memory.
    """

    build: Callable[..., Space]
    any_mesh: bool = False
    auto_up_to_cells: float = float("inf")


@dataclass(frozen=True, kw_only=True)
class Element:
    """A finite element: what it is called, what it promises, how it is solved."""

    name: str
    title: str
    cell: Literal["tet", "hex"]
    order: int | None  # rate in L² and H(curl) for smooth fields; None: an argument
    solvers: Mapping[str, Solver] = field(repr=False)
    reference: Callable[[], Any] | None = None  # the scikit-fem element, where there is one

    def cells(self, n: int) -> int:
        """Cells of the cube with n per side."""
        return (6 if self.cell == "tet" else 1) * n**3


@cache
def elements() -> dict[str, Element]:
    """All elements by name."""
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")
    found = [importlib.import_module(f"{__name__}.{module}").ELEMENT for module in modules]
    return {element.name: element for element in found}


def get(name: str) -> Element:
    """The element of that name, or an InputError that names the nearest."""
    known = elements()
    if name not in known:
        raise InputError(f"unknown element {name!r}; {_nearest(name, list(known))}")
    return known[name]


def candidates(element: Element, solver: str, cells: int, on_mesh: bool) -> dict[str, Solver]:
    """The solver of that name, or for "auto" all that take the mesh and its size, best first."""
    fitting = {name: s for name, s in element.solvers.items() if s.any_mesh or not on_mesh}
    if solver == "auto":
        found = {name: s for name, s in fitting.items() if cells <= s.auto_up_to_cells}
        if found:
            return found
        raise InputError(f"element {element.name} has no solver for a mesh; leave out the mesh")
    if solver in fitting:
        return {solver: fitting[solver]}
    if solver in element.solvers:
        raise InputError(
            f"solver {solver!r} works on the uniform cube only; take one of: {', '.join(fitting)}"
        )
    known = sorted({name for e in elements().values() for name in e.solvers})
    if solver in known:
        raise InputError(
            f"solver {solver!r} does not go with element {element.name}; "
            f"it has: auto, {', '.join(element.solvers)}"
        )
    raise InputError(f"unknown solver {solver!r}; {_nearest(solver, ['auto', *known])}")


def _nearest(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
