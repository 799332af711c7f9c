"""A finite-element field and what it cost: one record for best approximations, boundary-value
solutions and fits."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypedDict

import numpy as np

from base.errors import UserError
from fem import memory, meshes
from fem.spaces import PLAIN, Array, Field, FunctionSpace, How, Line

NORM_CELLS, NORM_POINTS = 4, 5  # per side, and per direction of a cell, for ‖u‖ on the cube
MEASURING = "error"  # the comparison with u, which is not a cost of the method


@dataclass(frozen=True, kw_only=True)
class Errors:
    """‖u − u_h‖ in L² and in H(curl), and over ‖u‖ (NaN where u is zero)."""

    l2: float
    hcurl: float
    l2_relative: float
    hcurl_relative: float


@dataclass(frozen=True, kw_only=True)
class Solution:
    """A field u_h with its cost and, once measured, its errors; callable at points.

    A best approximation comes measured; the others have errors after `measure`.
    """

    element: str
    solver: str
    x: Array
    iterations: int
    residual: float
    seconds: dict[str, float]  # per phase
    peak_bytes: int
    n: int | None = None  # cells per side of the cube; None on a user's mesh
    threads: int = 1
    measured: Errors | None = None
    space: Any = field(repr=False)  # a FunctionSpace; Any: a reader may hold a concrete one

    @property
    def h(self) -> float:
        return float(self.space.h)

    @property
    def dofs(self) -> int:
        return int(self.space.dofs)

    @property
    def total_seconds(self) -> float:
        """The time of all phases of the method, without measuring its error."""
        return sum(value for phase, value in self.seconds.items() if phase != MEASURING)

    @property
    def dofs_per_second(self) -> float:
        return self.dofs / max(self.total_seconds, 1e-9)

    @property
    def _errors(self) -> Errors:
        if self.measured is None:
            raise UserError("the errors are not measured yet; call solution.measure(u, curl_u)")
        return self.measured

    l2_error = property(lambda self: self._errors.l2)
    hcurl_error = property(lambda self: self._errors.hcurl)
    l2_relative = property(lambda self: self._errors.l2_relative)
    hcurl_relative = property(lambda self: self._errors.hcurl_relative)

    def __call__(self, points: Array) -> Array:
        """u_h(x), points (3, ...) -> (3, ...)."""
        return np.asarray(self.space.evaluate(self.x, points))

    def curl(self, points: Array) -> Array:
        """curl u_h(x), points (3, ...) -> (3, ...)."""
        return np.asarray(self.space.evaluate_curl(self.x, points))

    def errors(
        self, u: Field, curl_u: Field, singular_edge: Line | None = None
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl)."""
        l2, hcurl = self.space.errors(self.x, u, curl_u, How(singular_edge=singular_edge))
        return l2, hcurl

    def measure(self, u: Field, curl_u: Field, how: How = PLAIN) -> Self:
        """Return the same solution with its errors, absolute and relative."""
        started = time.perf_counter()
        l2, hcurl = self.space.errors(self.x, u, curl_u, how)
        seconds = self.seconds | {MEASURING: time.perf_counter() - started}
        l2_norm, hcurl_norm = norms(self.space, u, curl_u, how.singular_edge, self.n is not None)
        errors = Errors(
            l2=l2,
            hcurl=hcurl,
            l2_relative=l2 / l2_norm if l2_norm else math.nan,
            hcurl_relative=hcurl / hcurl_norm if hcurl_norm else math.nan,
        )
        return replace(self, measured=errors, seconds=seconds)


def norms(
    space: FunctionSpace, u: Field, curl_u: Field, singular_edge: Line | None, on_cube: bool
) -> tuple[float, float]:
    """‖u‖ in L² and H(curl): on the cube by a small mesh of its own, else on the space's mesh."""
    if not on_cube:
        return space.errors(np.zeros(space.dofs), u, curl_u, How(singular_edge=singular_edge))
    from fem.rules import on_mesh, quadrature

    rule: quadrature.Quadrature = quadrature.on_cells(quadrature.cube(NORM_POINTS), NORM_CELLS)
    if singular_edge is not None:
        rule = on_mesh.on_mesh(meshes.cube(NORM_CELLS, "hex"), NORM_POINTS, singular_edge)

    def square(field: Field) -> float:
        return quadrature.integrate(lambda x: (field(x) ** 2).sum(axis=0), rule)

    value = square(u)
    return value**0.5, (value + square(curl_u)) ** 0.5


class Label(TypedDict):
    """The element and the solver."""

    element: str
    solver: str


class Cost(TypedDict):
    """Seconds per phase, and the largest memory."""

    seconds: dict[str, float]
    peak_bytes: int


class Clock:
    """Seconds per phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = now - self._last
        self._last = now

    def cost(self) -> Cost:
        """Cost of all phases so far, as a solution keeps it."""
        return {"seconds": self.seconds, "peak_bytes": memory.peak_bytes()}
