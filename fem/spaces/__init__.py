"""What every discretisation offers, and the options of its computations.

A *space* is a finite-element space on one mesh together with its solver for

    (w curl u_h, curl v) + (u_h, v) = (w curl u, curl v) + (u, v)   for all v,   w = 1,

the best approximation in H(curl) (maths 6). Constructing a space costs nothing: meshes and
matrices are made when `load` or `solve` first need them, so that `predicted_bytes` can
be called for spaces that would not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError

Array = NDArray[np.float64]
Field = Callable[[Array], Array]  # (3, ...) -> (3, ...)
Line = tuple[float, float]  # {x₁ = a, x₂ = b}, where a field is singular
# progress(phase, done, total): `done` of `total` units of "load", "solve" or "error"
Progress = Callable[[str, float, float], None]


class LinearSolve(NamedTuple):
    """x with ‖b − A x‖ = residual ‖b‖; 0 iterations: a direct solve."""

    x: Array
    iterations: int
    residual: float


@dataclass(frozen=True, kw_only=True)
class How:
    """How to compute: what the phases of every space are given besides their data.

    `singular_edge` = (a, b) says that u or curl u is singular on the line {x₁ = a, x₂ = b}; the
    rules of `load` and `errors` resolve it. `solve` aims at ‖b − A x‖ ≤ tol ‖b‖, from x0. An
    iterative solver of the boundary-value problem starts from the interpolant of `guess`.
    """

    threads: int = 1
    progress: Progress | None = None
    singular_edge: Line | None = None
    tol: float = 1e-8
    x0: Array | None = None
    guess: Field | None = None

    def __post_init__(self) -> None:
        if not 0 < self.tol < 1:
            raise UserError(f"tol must lie between 0 and 1 (a relative residual), got {self.tol!r}")

    def report(self, phase: str, done: float, total: float) -> None:
        """Report `done` of `total` units of the phase, if a callback is set."""
        if self.progress is not None:
            self.progress(phase, done, total)


PLAIN = How()


class FunctionSpace(Protocol):
    """Finite-element functions on one mesh, given by their coefficients x."""

    @property
    def dofs(self) -> int:
        """Number of unknowns."""

    @property
    def h(self) -> float:
        """The largest cell diameter."""

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl)."""

    def evaluate(self, x: Array, points: Array) -> Array:
        """u_h at points (3, ...); UserError for points outside the mesh."""

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        """curl u_h at points (3, ...)."""


class Space(FunctionSpace, Protocol):
    """A discretisation; `fem.best_approximation` uses only this interface."""

    def predicted_bytes(self, threads: int = 1) -> int:
        """Peak memory of load, solve and errors, beyond what Python itself takes."""

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        """b_i = (curl u, curl v_i) + (u, v_i)."""

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        """A x = b to the tolerance, perhaps in place of b; `NotConverged` where that fails."""

    def interpolate(self, u: Field) -> Array:
        """The canonical interpolant: for lowest order the edge integrals ∫ u·t."""
