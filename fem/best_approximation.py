"""The front door: the best approximation of a field in H(curl), by whichever solver fits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fem import elements, memory, meshes
from fem.errors import InputError
from fem.fields import Checked
from fem.spaces import Array, Field, Line, Progress, Solution, Space

MEMORY_SHARE = 0.9  # of what is available; the rest is the system's


def best_approximation(
    u: Field,
    curl_u: Field,
    n: int | None = None,
    *,
    mesh: Any = None,
    element: str = "N0",
    solver: str = "auto",
    order: int | None = None,
    tol: float = 1e-8,
    threads: int = 1,
    x0: Array | Field | None = None,
    progress: Progress | None = None,
    max_bytes: int | None = None,
    singular_edge: Line | None = None,
) -> Solution:
    """u_h with (curl u_h, curl v) + (u_h, v) = (curl u, curl v) + (u, v) for all v in the space.

    The mesh is the unit cube with n cells per side, or `mesh` (any scikit-fem mesh of the
    element's cells). `x0`, the initial guess of an iterative solver, is a vector of coefficients
    or a field, which is interpolated. `singular_edge` = (a, b) is a line {x₁ = a, x₂ = b} on which
    u or curl u is singular. Raises `InputError` for what cannot be, `NotConverged` for a
    solve that stopped short.
    """
    if not 0 < tol < 1:
        raise InputError(f"tol must lie between 0 and 1 (a relative residual), got {tol!r}")
    u, curl_u = Checked(u, "u"), Checked(curl_u, "curl_u")
    name, space = make_space(
        n, mesh=mesh, element=element, solver=solver, order=order, threads=threads,
        max_bytes=max_bytes,
    )  # fmt: skip
    common: dict[str, Any] = {"threads": threads, "progress": progress}
    memory.reset_peak()
    clock = _Clock()
    b = space.load(u, curl_u, singular_edge=singular_edge, **common)
    clock.lap("load")
    x, iterations, residual = space.solve(b, x0=_guess(space, x0), tol=tol, **common)
    clock.lap("solve")
    del b
    l2, hcurl = space.errors(x, u, curl_u, singular_edge=singular_edge, **common)
    clock.lap("error")
    l2_norm, hcurl_norm = norms(space, u, curl_u, mesh, singular_edge)
    return Solution(
        n=n,
        h=space.h,
        dofs=space.dofs,
        element=element,
        solver=name,
        threads=threads,
        x=x,
        iterations=iterations,
        residual=residual,
        seconds=clock.seconds,
        peak_bytes=memory.peak_bytes(),
        l2_error=l2,
        hcurl_error=hcurl,
        l2_relative=l2 / l2_norm if l2_norm else math.nan,
        hcurl_relative=hcurl / hcurl_norm if hcurl_norm else math.nan,
        space=space,
    )


def make_space(
    n: int | None = None,
    *,
    mesh: Any = None,
    element: str = "N0",
    solver: str = "auto",
    order: int | None = None,
    threads: int = 1,
    max_bytes: int | None = None,
) -> tuple[str, Space]:
    """The chosen solver's name and its space, refused where it would not fit in memory."""
    declared = elements.get(element)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise InputError(f"threads must be an integer of at least 1, got {threads!r}")
    n = _checked_size(n, mesh, declared)
    cells = mesh.t.shape[1] if n is None else declared.cells(n)
    options = _order_option(declared, order)
    where = {"mesh": mesh} if n is None else {"n": n}
    spaces = {
        name: chosen.build(**where, **options)
        for name, chosen in elements.candidates(declared, solver, cells, n is None).items()
    }
    needs = {name: space.predicted_bytes(threads) for name, space in spaces.items()}
    limit = _limit(max_bytes)
    name = next((name for name in needs if needs[name] <= limit), min(needs, key=needs.__getitem__))
    if n is None:
        _refuse_beyond(needs[name], max_bytes, f"a mesh of {cells} cells", "coarsen the mesh")
    elif needs[name] > limit:
        build = declared.solvers[name].build

        def predicted(n: int) -> int:
            return build(n=n, **options).predicted_bytes(threads)

        fits = largest_fitting(predicted, limit, n)
        remedy = f"the largest n that fits is {fits}" if fits else "not even n = 1 fits"
        _refuse_beyond(needs[name], max_bytes, f"n = {n} ({element}, {name})", remedy)
    return name, spaces[name]


def largest_fitting(predicted: Callable[[int], int], limit: int, above: int) -> int:
    """The largest n < above with predicted(n) ≤ limit, 0 if there is none, by bisection."""
    low, high = 0, above
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if predicted(middle) <= limit else (low, middle)
    return low


def rates(h: Sequence[float], errors: Sequence[float]) -> list[float | None]:
    """Experimental orders of convergence log(e_k / e_{k−1}) / log(h_k / h_{k−1}); None first."""
    result: list[float | None] = [None] * min(1, len(h))
    for k in range(1, len(h)):
        usable = errors[k] > 0 and errors[k - 1] > 0 and h[k] != h[k - 1]
        rate = math.log(errors[k] / errors[k - 1]) / math.log(h[k] / h[k - 1]) if usable else None
        result.append(rate)
    return result


def norms(
    space: Space, u: Field, curl_u: Field, mesh: Any, singular_edge: Line | None
) -> tuple[float, float]:
    """‖u‖ in L² and H(curl): on the cube by a small mesh of its own, else on the space's mesh."""
    if mesh is None:
        from fem.spaces.assembled import AssembledSpace

        space = AssembledSpace(element="hexN0", n=4)
    return space.errors(np.zeros(space.dofs), u, curl_u, singular_edge=singular_edge)


def _guess(space: Space, x0: Array | Field | None) -> Array | None:
    if x0 is None:
        return None
    if callable(x0):
        return space.interpolate(Checked(x0, "x0"))
    guess = np.asarray(x0, dtype=float)
    if guess.shape != (space.dofs,):
        raise InputError(f"x0 must have one entry per dof, {space.dofs}, got shape {guess.shape}")
    if not np.isfinite(guess).all():
        raise InputError(f"x0 is not finite at dof {int(np.flatnonzero(~np.isfinite(guess))[0])}")
    return guess


def _checked_size(n: int | None, mesh: Any, element: elements.Element) -> int | None:
    if (n is None) == (mesh is None):
        raise InputError("give either n (cells per side of the cube) or a mesh")
    if mesh is not None:
        vertices = 4 if element.cell == "tet" else 8
        if mesh.t.shape[0] != vertices:
            raise InputError(
                f"element {element.name} needs cells of {vertices} vertices, "
                f"the mesh has cells of {mesh.t.shape[0]}"
            )
        meshes.check(mesh)
        return None
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise InputError(f"n must be an integer (cells per side), got {n!r}")
    if n < 1:
        raise InputError(f"n must be at least 1 (cells per side), got {n}")
    return int(n)


def _order_option(element: elements.Element, order: int | None) -> dict[str, int]:
    if element.order is not None:
        if order not in (None, element.order):
            raise InputError(f"element {element.name} has order {element.order}, not {order}")
        return {}
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 1:
        raise InputError(f"element {element.name} needs an order >= 1, got {order!r}")
    return {"order": int(order)}


def _limit(max_bytes: int | None) -> int:
    return int(MEMORY_SHARE * memory.available_bytes()) if max_bytes is None else max_bytes


def _refuse_beyond(need: int, max_bytes: int | None, what: str, remedy: str) -> None:
    limit = _limit(max_bytes)
    if need > limit:
        raise InputError(
            f"{what} needs about {need / 2**30:.2f} GiB, {limit / 2**30:.2f} GiB are to be had; "
            f"{remedy}"
        )


class _Clock:
    """Seconds per phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = now - self._last
        self._last = now
