"""What every discretisation offers, and the record of one best approximation.

A *space* is a finite-element space on one mesh together with its solver for

    (w curl u_h, curl v) + (u_h, v) = (w curl u, curl v) + (u, v)   for all v,   w = 1,

the best approximation in H(curl) (maths 6). Constructing a space costs nothing: meshes and
matrices come into being when `load` or `solve` first need them, so that `predicted_bytes` can
be asked of spaces that would never fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

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


class Space(Protocol):
    """A discretisation; the front door `fem.best_approximation` knows nothing else about it.

    `singular_edge` = (a, b) says that u or curl u is singular on the line {x₁ = a, x₂ = b}; the
    rules of `load` and `errors` resolve it.
    """

    @property
    def dofs(self) -> int:
        """Number of unknowns."""

    @property
    def h(self) -> float:
        """The largest cell diameter."""

    def predicted_bytes(self, threads: int = 1) -> int:
        """Peak memory of load, solve and errors, beyond what Python itself takes."""

    def load(
        self,
        u: Field,
        curl_u: Field,
        *,
        threads: int = 1,
        progress: Progress | None = None,
        singular_edge: Line | None = None,
    ) -> Array:
        """b_i = (curl u, curl v_i) + (u, v_i)."""

    def solve(
        self,
        b: Array,
        *,
        x0: Array | None = None,
        tol: float = 1e-8,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> LinearSolve:
        """A x = b to ‖b − A x‖ ≤ tol ‖b‖; `NotConverged` where that fails."""

    def errors(
        self,
        x: Array,
        u: Field,
        curl_u: Field,
        *,
        threads: int = 1,
        progress: Progress | None = None,
        singular_edge: Line | None = None,
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl)."""

    def evaluate(self, x: Array, points: Array) -> Array:
        """u_h at points (3, ...); InputError for points outside the mesh."""

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        """curl u_h at points (3, ...)."""

    def interpolate(self, u: Field) -> Array:
        """The canonical interpolant: for lowest order the edge integrals ∫ u·t."""


@dataclass(frozen=True, kw_only=True)
class Solution:
    """One best approximation: what it is, how good, what it cost; callable at points."""

    n: int | None  # cells per side of the cube; None on a mesh of the caller's
    h: float
    dofs: int
    element: str
    solver: str
    threads: int
    x: Array
    iterations: int
    residual: float
    seconds: dict[str, float]  # per phase: load, solve, error
    peak_bytes: int
    l2_error: float
    hcurl_error: float
    l2_relative: float
    hcurl_relative: float
    space: Any = field(repr=False)  # Any, not Space: a reader may hold a concrete one

    @property
    def total_seconds(self) -> float:
        return sum(self.seconds.values())

    @property
    def dofs_per_second(self) -> float:
        return self.dofs / max(self.total_seconds, 1e-9)

    def __call__(self, points: Array) -> Array:
        """u_h(x), points (3, ...) -> (3, ...)."""
        return self.space.evaluate(self.x, points)

    def curl(self, points: Array) -> Array:
        """curl u_h(x), points (3, ...) -> (3, ...)."""
        return self.space.evaluate_curl(self.x, points)
