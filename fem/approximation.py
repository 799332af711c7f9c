"""`best_approximation`: the best approximation of a field in H(curl), by a solver that fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from base.errors import UserError
from fem import elements, memory
from fem.choice import first_converged, make_space
from fem.fields import Checked
from fem.solutions import Clock, Label, Solution
from fem.spaces import Array, Field, How, Line, Progress, Space


def best_approximation(
    u: Field, curl_u: Field, n: int | None = None, *, mesh: Any = None,
    element: str = "N0", solver: str = "auto", order: int | None = None,
    tol: float = 1e-8, threads: int = 1, x0: Array | Field | None = None,
    progress: Progress | None = None, max_bytes: int | None = None,
    singular_edge: Line | None = None,
) -> Solution:  # fmt: skip
    """u_h with (curl u_h, curl v) + (u_h, v) = (curl u, curl v) + (u, v) for all v in the space.

    The mesh is the unit cube with n cells per side, or `mesh` (any scikit-fem mesh of the
    element's cells). `x0`, the initial guess of an iterative solver, is a vector of coefficients
    or a field, which is interpolated. `singular_edge` = (a, b) is a line {x₁ = a, x₂ = b} on which
    u or curl u is singular. `tol` is the relative residual at which an iterative solver stops; for
    tol ≥ 1e-8 "auto" may stop earlier on the uniform cube, where the algebraic error cannot be seen
    in the errors any more. Raises `UserError` for invalid arguments, `NotConverged` for a
    solve that misses its tolerance; "auto" tries the element's other solvers before.
    """
    how = How(threads=threads, progress=progress, singular_edge=singular_edge, tol=tol)
    u, curl_u = Checked(u, "u"), Checked(curl_u, "curl_u")
    made = partial(
        make_space, n, mesh=mesh, element=element, order=order, threads=threads,
        max_bytes=max_bytes, how=how,
    )  # fmt: skip
    first, space = made(solver=solver)

    def attempt(name: str) -> Solution:
        chosen = space if name == first else made(solver=name)[1]
        with_guess = replace(how, x0=_guess(space, x0) if name == first else None)
        return _approximation(chosen, n, u, curl_u, with_guess, element=element, solver=name)

    others = elements.fallbacks(elements.get(element), first) if solver == "auto" else []
    return first_converged(partial(attempt, name) for name in (first, *others))


def _approximation(
    space: Space, n: int | None, u: Field, curl_u: Field, how: How, **label: Unpack[Label]
) -> Solution:
    memory.reset_peak()
    clock = Clock()
    b = space.load(u, curl_u, how)
    clock.lap("load")
    found = space.solve(b, how)
    clock.lap("solve")
    del b
    solution = Solution(
        **label,
        n=n,
        threads=how.threads,
        space=space,
        **found._asdict(),
        seconds=clock.seconds,
        peak_bytes=0,
    ).measure(u, curl_u, how)
    return replace(solution, peak_bytes=memory.peak_bytes())


def rates(h: Sequence[float], errors: Sequence[float]) -> list[float | None]:
    """Experimental orders of convergence log(e_k / e_{k−1}) / log(h_k / h_{k−1}); None first."""
    result: list[float | None] = [None] * min(1, len(h))
    for k in range(1, len(h)):
        usable = errors[k] > 0 and errors[k - 1] > 0 and h[k] != h[k - 1]
        rate = math.log(errors[k] / errors[k - 1]) / math.log(h[k] / h[k - 1]) if usable else None
        result.append(rate)
    return result


def _guess(space: Space, x0: Array | Field | None) -> Array | None:
    if x0 is None:
        return None
    if callable(x0):
        return space.interpolate(Checked(x0, "x0"))
    guess = np.asarray(x0, dtype=float)
    if guess.shape != (space.dofs,):
        raise UserError(f"x0 must have one entry per dof, {space.dofs}, got shape {guess.shape}")
    if not np.isfinite(guess).all():
        raise UserError(f"x0 is not finite at dof {int(np.flatnonzero(~np.isfinite(guess))[0])}")
    return guess
