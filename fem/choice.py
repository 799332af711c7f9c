"""Which solver on which mesh: arguments checked, memory predicted, before anything is allocated."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from base.errors import NotConverged, UserError
from fem import elements, memory
from fem.meshes import checks
from fem.spaces import PLAIN, How, Space

T = TypeVar("T")


def first_converged(attempts: Iterable[Callable[[], T]]) -> T:
    """Return the result of the first attempt that converges; else raise what stopped each.

    From the second on, an attempt may also be refused, for example for its memory.
    """
    reasons: list[str] = []
    for attempt in attempts:
        try:
            return attempt()
        except NotConverged as error:
            reasons.append(str(error))
        except UserError as error:
            if not reasons:
                raise
            reasons.append(str(error))
    raise NotConverged("; next solver: ".join(reasons))


def make_space(
    n: int | None = None, *, mesh: Any = None,
    element: str = "N0", solver: str = "auto", order: int | None = None,
    threads: int = 1, max_bytes: int | None = None, how: How = PLAIN,
) -> tuple[str, Space]:  # fmt: skip
    """Return the chosen solver's name and its space; a UserError if it would not fit in memory."""
    declared = elements.get(element)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise UserError(f"threads must be an integer of at least 1, got {threads!r}")
    where = checked_place(n, mesh, declared)
    options = order_option(declared, order, where)
    cells = declared.cells(**where)
    limit = memory.limit_bytes() if max_bytes is None else max_bytes
    needs: dict[str, int] = {}
    for name, chosen in elements.candidates(declared, solver, cells, "mesh" in where, how).items():
        space = chosen.build(**where, **options)  # imports what this solver needs, no other
        needs[name] = space.predicted_bytes(threads)
        if needs[name] <= limit:
            return name, space
    least = elements.first_fitting(needs, limit)
    build = declared.solvers[least].build

    def predicted(n: int) -> int:
        return build(n=n, **options).predicted_bytes(threads)

    raise beyond_memory(declared, where, needs[least], limit, predicted, least)


def checked_place(n: int | None, mesh: Any, element: elements.Element) -> dict[str, Any]:
    """Return {"n": n} or {"mesh": mesh}, checked to have the element's cells."""
    if (n is None) == (mesh is None):
        raise UserError("give either n (cells per side of the cube) or a mesh")
    if mesh is not None and element.bricks != is_bricks(mesh):
        able = ", ".join(e.name for e in elements.elements().values() if e.bricks)
        needed = "bricks, not this mesh" if element.bricks else f"{element.cell}s, not bricks"
        raise UserError(f"element {element.name} needs {needed}; layers of bricks go with {able}")
    if mesh is not None and element.bricks:
        return {"mesh": mesh}
    if mesh is not None:
        vertices = 4 if element.cell == "tet" else 8
        if mesh.t.shape[0] != vertices:
            raise UserError(
                f"element {element.name} needs cells of {vertices} vertices, "
                f"the mesh has cells of {mesh.t.shape[0]}"
            )
        checks.check(mesh)
        return {"mesh": mesh}
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise UserError(f"n must be an integer (cells per side), got {n!r}")
    if n < 1:
        raise UserError(f"n must be at least 1 (cells per side), got {n}")
    return {"n": int(n)}


def is_bricks(mesh: Any) -> bool:
    """Whether a mesh is a `BrickMesh`, without importing that class."""
    return hasattr(mesh, "axes") and hasattr(mesh, "natural")


def order_option(
    element: elements.Element, order: int | None, place: dict[str, Any]
) -> dict[str, int]:
    """{"order": p} for elements whose order is an argument; layers of bricks have their own."""
    if element.bricks and "mesh" in place:
        return {}
    if element.order is not None:
        if order not in (None, element.order):
            raise UserError(f"element {element.name} has order {element.order}, not {order}")
        return {}
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 1:
        raise UserError(f"element {element.name} needs an order >= 1, got {order!r}")
    return {"order": int(order)}


def beyond_memory(
    element: elements.Element,
    where: dict[str, Any],
    need: float,
    limit: float,
    predicted: Callable[[int], float],
    solver: str,
) -> UserError:
    """Return the error that says what does not fit in memory, and what would."""
    if "n" in where:
        fits = largest_fitting(predicted, limit, where["n"])
        what = f"n = {where['n']} ({element.name}, {solver})"
        remedy = f"the largest n that fits is {fits}" if fits else "not even n = 1 fits"
    else:
        what, remedy = f"a mesh of {element.cells(**where)} cells", "coarsen the mesh"
    return UserError(
        f"{what} needs about {need / 2**30:.2f} GiB, {limit / 2**30:.2f} GiB are available; "
        f"{remedy}"
    )


def largest_fitting(predicted: Callable[[int], float], limit: float, above: int) -> int:
    """The largest n < above with predicted(n) ≤ limit, 0 if there is none, by bisection."""
    low, high = 0, above
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if predicted(middle) <= limit else (low, middle)
    return low
