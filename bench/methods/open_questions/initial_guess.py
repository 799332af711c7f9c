"""A field as the start of conjugate gradients: iterations and seconds against other starts.

The start is interpolated into the element's space. Iterations count down from the distance of the
start to the solution u_h, so a field with the relative H(curl) error ε saves about log(1/ε)
iterations' worth of digits at every mesh size h; the solution on the mesh with twice the h has the
error of that mesh, which falls with h. The field therefore stops being the better start
where the coarser mesh is as accurate as the field: `predicted_n`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bench.methods.finite_elements import Discretisation, approximate

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.problems import Problem
    from fem.solutions import Solution

    Field = Callable[[Any], NDArray[np.float64]]

STARTS = ("zero", "coarse", "net")


@dataclass(frozen=True)
class Ladder:
    """What is solved on every mesh: the best approximation or the boundary-value problem."""

    problem: Problem
    element: str
    boundary_value: bool
    tol: float = 1e-8

    def solved(self, n: int, start: Field) -> Solution:
        """The solution on the unit cube with n cells per side, from the interpolant of a field."""
        solver = "cube" if self.boundary_value else "auto"
        chosen = Discretisation(
            element=self.element, n=n, solve=self.boundary_value, solver=solver, tol=self.tol
        )
        return approximate(self.problem, chosen, x0=start)


def rows(ladder: Ladder, meshes: Sequence[int], field: Field) -> list[dict[str, Any]]:
    """Iterations and seconds of the solve on each mesh, from zero, the coarser mesh and the field.

    Seconds include the interpolation of the start, not the solution on the coarser mesh: in a
    ladder of meshes that one is there. Zero is given as a field: without a start, a best
    approximation begins with the interpolant of u.
    """
    found, coarse = [], ladder.solved(max(1, meshes[0] // 2), np.zeros_like)
    for n in meshes:
        row: dict[str, Any] = {"n": n, "coarse_hcurl_error": coarse.hcurl_error}
        starts: tuple[Field, ...] = (np.zeros_like, coarse, field)
        for name, start in zip(STARTS, starts, strict=True):
            begun = time.perf_counter()
            solution = ladder.solved(n, start)
            row |= {
                f"{name}_iterations": solution.iterations,
                f"{name}_seconds": solution.seconds["solve"],
                f"{name}_wall_seconds": time.perf_counter() - begun,
            }
        row["hcurl_error"] = solution.hcurl_error
        coarse = solution
        found.append(row)
    return found


def predicted_n(rows: Sequence[dict[str, Any]], net_error: float, order: int) -> float:
    """Cells per side at which the coarser mesh is as accurate as the field.

    From the error of the last mesh, which falls like n^−order; the coarser mesh has n/2 cells.
    """
    last = rows[-1]
    return float(2 * last["n"] * (last["hcurl_error"] / net_error) ** (1 / order))


def measured_n(rows: Sequence[dict[str, Any]]) -> int | None:
    """The first mesh on which the coarser solution is at least as good a start; None: beyond."""
    for row in rows:
        if row["coarse_iterations"] <= row["net_iterations"]:
            return int(row["n"])
    return None


def repaid_after(rows: Sequence[dict[str, Any]], training: float, start: str) -> float | None:
    """Solves on the last mesh after which the saved seconds exceed the training; None: never."""
    saved = rows[-1][f"{start}_seconds"] - rows[-1]["net_seconds"]
    return training / saved if saved > 0 and math.isfinite(saved) else None
