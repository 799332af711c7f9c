"""Elements: every file of this folder declares one element as `ELEMENT`.

An element declares everything that is used elsewhere: its names, its cells, its order, its
solvers and their memory, and its other abilities. No list of elements is kept. Importing it loads
neither scikit-fem nor compiled code: builders import what they need when they are called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from base.errors import UserError, nearest
from base.registry import Registry, declared
from fem import memory
from fem.spaces import PLAIN, How, Space

# (cells, order) -> bytes at their peak, right for many cells; the order is 0 where it is fixed.
Needs = Callable[[int, int], float]
Task = Literal["best", "solve", "fit"]


def per_cell(size: float) -> Needs:
    """Memory needs of `size` bytes for each cell."""
    return lambda cells, order: size * cells


def factorised(dofs: float, functions: int) -> Needs:
    """Memory needs of assembly with `dofs` and `functions` per cell: chunks of bases (of
    400 000 points, at most 1000 of them in a cell), and the fill-in of the factors, 48 to 58
    dofs^1.5 bytes from n = 8 to 14."""
    return lambda cells, order: min(4e7, 1e5 * cells) * functions + 80 * (dofs * cells) ** 1.5


@dataclass(frozen=True)
class Solver:
    """How to make a space: `build(n=…)` or, with `any_mesh`, `build(mesh=…)`.

    Elements without a fixed order pass `order=…` as well. `auto` takes the first solver of an
    element that is for the mesh, its number of cells and the options, and fits in memory.
    """

    build: Callable[..., Space]
    needs: Needs
    any_mesh: bool = False
    auto_cells: tuple[float, float] = (0, float("inf"))  # from, up to
    suits: Callable[[How], bool] = lambda how: True  # whether it does what the options ask for


@dataclass(frozen=True)
class OnCube:
    """A solver for the uniform cube alone, which "auto" chooses there above a number of cells."""

    solver: str
    needs: Needs
    from_cells: int = 0


@dataclass(frozen=True)
class Ability:
    """A task of an element besides best approximation, and its solvers.

    For the boundary-value problem `run(problem, n= or mesh=, solver=, how=)`, for a fit
    `run(points, values, mesh, regularisation=, how=)`; each gives a `fem.Solution`.
    """

    run: Callable[..., Any]
    needs: Needs
    solvers: tuple[str, ...] = ("auto",)
    on_cube: OnCube | None = None
    whole_trace: bool = (
        False  # g in one piece: a singular gradient part may not come as a potential
    )

    def choose(self, solver: str, cells: int, on_mesh: bool) -> tuple[str, Needs]:
        """Return the solver to run and its memory needs; "auto" may be left to `run`."""
        special = self.on_cube
        if special is None or solver not in ("auto", special.solver):
            return solver, self.needs
        if on_mesh and solver == special.solver:
            others = " or ".join(name for name in self.solvers if name != solver)
            raise UserError(f"solver {solver!r} works on the uniform cube only; use {others}")
        if on_mesh or (solver == "auto" and cells < special.from_cells):
            return solver, self.needs
        return special.solver, special.needs


@dataclass(frozen=True, kw_only=True)
class Element:
    """A finite element: its names, its order of convergence, its solvers."""

    name: str  # as users type it
    title: str  # in tables and legends: N₀ tetrahedra
    short: str  # next to a curve: N₀ tets
    about: str  # in one line, for readers who do not know it
    cell: Literal["tet", "hex"]
    order: int | None  # rate in L² and H(curl) for smooth fields; None: an argument
    solvers: Mapping[str, Solver] = field(repr=False)
    boundary_value: Ability | None = field(default=None, repr=False)
    fit: Ability | None = field(default=None, repr=False)
    bricks: bool = False  # whether its meshes are `BrickMesh`es, which carry their orders
    quadratic: bool = False  # whether files for ParaView need the midpoints of edges too
    reference: Callable[[], Any] | None = None  # the scikit-fem element, where there is one

    @property
    def labels(self) -> dict[str, str | int | None]:
        """Return the labels that results carry, so that a report needs no list of elements."""
        return {
            "element_title": self.title,
            "element_short": self.short,
            "element_rate": self.order,
        }

    @property
    def any_mesh(self) -> bool:
        """Whether the element takes meshes from files, and graded ones."""
        return not self.bricks and any(solver.any_mesh for solver in self.solvers.values())

    def cells(self, n: int | None = None, mesh: Any = None) -> int:
        """Cells of the cube with n per side, or of a mesh."""
        if n is not None:
            return (6 if self.cell == "tet" else 1) * n**3
        return int(mesh.cells if self.bricks else mesh.t.shape[1])

    def ability(self, task: Literal["solve", "fit"]) -> Ability:
        """Return how a task is solved; a UserError names the elements that can, if this cannot."""
        chosen = self.boundary_value if task == "solve" else self.fit
        if chosen is None:
            what = "boundary-value problems" if task == "solve" else "fits to samples"
            attribute = "boundary_value" if task == "solve" else "fit"
            able = [e.name for e in elements().values() if _advised(getattr(e, attribute))]
            raise UserError(f"element {self.name} does not do {what}; take {' or '.join(able)}")
        return chosen

    def planned_bytes(
        self,
        cells: int,
        *,
        order: int | None = None,
        task: Task = "best",
        solver: str = "auto",
        on_mesh: bool = False,
    ) -> int:
        """The memory that a task on many cells will take with the solver that would be chosen."""
        if task != "best":
            needed = self.ability(task).choose(solver, cells, on_mesh)[1]
            return int(needed(cells, order or 0))
        chosen = candidates(self, solver, cells, on_mesh)
        needs = {name: s.needs(cells, order or 0) for name, s in chosen.items()}
        return int(needs[first_fitting(needs, memory.limit_bytes())])


def _declared(found: Any, name: str) -> Element:
    hint = f"{name} is not an element: define ELEMENT = Element(…), see fem/elements"
    return replace(declared(found, "ELEMENT", Element, hint), name=name)


def _name_in(path: Path) -> str:
    """Return the name in a file's `ELEMENT = Element(name="N0", …)` without executing it."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            given = [keyword.value for keyword in node.value.keywords if keyword.arg == "name"]
            for value in (*given, *node.value.args[:1]):
                if ast.unparse(node.targets[0]) == "ELEMENT" and isinstance(value, ast.Constant):
                    return str(value.value)
    return path.stem


REGISTRY = Registry("element", __name__, _declared, group="elements", name_in=_name_in)
get, names = REGISTRY.get, REGISTRY.names


def elements() -> dict[str, Element]:
    """All elements by name, except those in a user's files."""
    return {name: get(name) for name in names()}


def _advised(able: Ability | None) -> bool:
    """Nodal elements, which need the whole trace, are for demonstration, not recommended."""
    return able is not None and not able.whole_trace


def candidates(
    element: Element, solver: str, cells: int, on_mesh: bool, how: How = PLAIN
) -> dict[str, Solver]:
    """Return the solver of that name, or for "auto" all that support the mesh, best first."""
    fitting = {name: s for name, s in element.solvers.items() if s.any_mesh or not on_mesh}
    if not element.solvers:
        raise UserError(
            f"element {element.name} has no best approximation, only the boundary-value problem "
            "(--solve)"
        )
    if solver == "auto":
        able = {name: s for name, s in fitting.items() if s.suits(how)}
        found = {n: s for n, s in able.items() if s.auto_cells[0] <= cells <= s.auto_cells[1]}
        if found:
            return found
        raise UserError(f"element {element.name} has no solver for a mesh; leave out the mesh")
    if solver in fitting:
        return {solver: fitting[solver]}
    if solver in element.solvers:
        raise UserError(
            f"solver {solver!r} works on the uniform cube only; take one of: {', '.join(fitting)}"
        )
    known = sorted({name for e in elements().values() for name in e.solvers})
    if solver in known:
        raise UserError(
            f"solver {solver!r} does not go with element {element.name}; "
            f"it has: auto, {', '.join(element.solvers)}"
        )
    raise UserError(f"unknown solver {solver!r}; {nearest(solver, ['auto', *known])}")


def fallbacks(element: Element, tried: str) -> list[str]:
    """The solvers for any mesh that remain after `tried` has not converged, direct ones last."""
    solvers = element.solvers
    return [name for name in reversed([*solvers]) if solvers[name].any_mesh and name != tried]


def first_fitting(needs: Mapping[str, float], limit: float) -> str:
    """The first that fits within the limit, or the smallest where none does."""
    return next((name for name in needs if needs[name] <= limit), min(needs, key=needs.__getitem__))
