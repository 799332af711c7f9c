"""A lift ℓ of tangential boundary values d on the unit cube, and its energy (maths 12.2).

ℓ_i = P_j d_i + P_k d_i − P_j P_k d_i with the linear interpolation P_j between the faces x_j = 0
and 1. Its curl needs no derivative but the surface curl of d:

    (curl ℓ)_k = P_k(curl_Γ d) + (1 − P_k)(Δ_i d_j − Δ_j d_i),

(i, j, k) cyclic and Δ_i the difference between the faces x_i = 1 and 0. The values of d on faces
and edges and its surface curl must be square-integrable; otherwise ℓ has no energy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import block_diag

from fem.certificates.jets import CYCLES
from fem.rules.quadrature import gauss
from fem.spaces import Array

if TYPE_CHECKING:
    from fem.boundary_value import BoundaryValueProblem
    from fem.certificates.geometry import Geometry

Field = Callable[[Array], Array]
OnFace = Callable[[Array, Array], Array]  # points and normals (3, N) -> tangential field (3, N)


class Line(NamedTuple):
    """Gauss points of an axis, their weights, and the matrix of the derivative there."""

    points: Array
    weights: Array
    derivative: Array


@lru_cache(maxsize=32)
def gauss_line(order: int, breaks: tuple[float, ...] = (0.0, 1.0)) -> Line:
    """Gauss on every interval; derivatives of the polynomials through its points."""
    t, w = gauss(order)
    low, sizes = np.array(breaks[:-1])[:, None], np.diff(breaks)
    D = _derivative(t)
    return Line(
        (low + sizes[:, None] * t).ravel(),
        np.outer(sizes, w).ravel(),
        block_diag(*(D / size for size in sizes)),
    )


def _derivative(t: Array) -> Array:
    """The derivative, at the nodes t, of the polynomial through values there."""
    gaps = t[:, None] - t[None, :] + np.eye(len(t))
    scale = np.log(abs(gaps)).sum(axis=1)
    weights = np.prod(np.sign(gaps), axis=1) * np.exp(scale.min() - scale)
    D = (weights[None, :] / weights[:, None]) / gaps
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    return D


def no_lift(geometry: Geometry, problem: BoundaryValueProblem) -> str | None:
    """Why boundary values are not lifted; None if they are."""
    if not geometry.unit_cube:
        return "no energy bound: boundary values are lifted on the unit cube only"
    if problem.singular_edge is not None:
        return (
            "no energy bound: the boundary values are singular at the edge x₁, x₂ = "
            f"{problem.singular_edge}, where their lift may have infinite energy"
        )
    return None


def unsettled_lift(unsettled: Sequence[str]) -> str | None:
    """Why a lift gives no bound although it was computed; None if it does."""
    if "lifted" not in unsettled:
        return None
    return (
        "no energy bound: the energy of the lifted boundary values does not settle, so "
        "it may be infinite"
    )


def without_lift(unsettled: Sequence[str]) -> list[str]:
    """The other norms that do not settle: those also spoil the L² bound."""
    return [name for name in unsettled if name != "lifted"]


@dataclass(frozen=True, eq=False)
class Mismatch:
    """v_T − u_T on the faces of the unit cube, at the points of three lines.

    The curl of v is `curl`; that of the `given` u_T is computed on each face.
    """

    lines: Sequence[Line]
    v: Field
    curl: Field
    given: OnFace

    def _points(self, place: dict[int, float]) -> Array:
        """Points where some coordinates are fixed, with axes of length 1 there."""
        ticks = [np.array([place[k]]) if k in place else self.lines[k].points for k in range(3)]
        return np.stack(np.meshgrid(*ticks, indexing="ij"))

    def _tangential(self, place: dict[int, float], axis: int) -> Array:
        """u_T on the face across `axis` or on a part of it."""
        x = self._points(place)
        normal = np.zeros_like(x)
        normal[axis] = 2 * place[axis] - 1
        return self.given(x.reshape(3, -1), normal.reshape(3, -1)).reshape(x.shape)

    def at(self, component: int, place: dict[int, float]) -> Array:
        """d_i on a face or an edge that contains the direction e_i."""
        x = self._points(place)
        v = self.v(x.reshape(3, -1)).reshape(x.shape)
        return np.asarray((v - self._tangential(place, min(place)))[component])

    def surface_curl(self, k: int, side: float) -> Array:
        """∂_i d_j − ∂_j d_i on the face x_k = side."""
        i, j, _ = next(cycle for cycle in CYCLES if cycle[2] == k)
        x, u = self._points({k: side}), self._tangential({k: side}, k)
        own = self.curl(x.reshape(3, -1)).reshape(x.shape)[k]
        return np.asarray(own - self._slope(u[j], i) + self._slope(u[i], j))

    def _slope(self, values: Array, axis: int) -> Array:
        moved = np.tensordot(self.lines[axis].derivative, values, axes=(1, axis))
        return np.moveaxis(moved, 0, axis)

    def _between(self, axis: int, low: Array, high: Array) -> Array:
        """Linear interpolation P between two opposite faces."""
        t = self.lines[axis].points.reshape([-1 if k == axis else 1 for k in range(3)])
        return (1 - t) * low + t * high

    @cached_property
    def lift(self) -> Array:
        """ℓ at the grid of the lines, (3, …)."""
        return np.stack([self._component(*cycle) for cycle in CYCLES])

    def _component(self, i: int, j: int, k: int) -> Array:
        edges = [[self.at(i, {j: a, k: b}) for b in (0.0, 1.0)] for a in (0.0, 1.0)]
        both = self._between(j, *(self._between(k, *pair) for pair in edges))
        over_j = self._between(j, *(self.at(i, {j: a}) for a in (0.0, 1.0)))
        over_k = self._between(k, *(self.at(i, {k: b}) for b in (0.0, 1.0)))
        return over_j + over_k - both

    @cached_property
    def curl_of_lift(self) -> Array:
        return np.stack([self._curl(*cycle) for cycle in CYCLES])

    def _curl(self, k: int, i: int, j: int) -> Array:
        """(curl ℓ)_k, with (i, j, k) cyclic."""

        def jump(first: int, second: int, fixed: dict[int, float]) -> Array:
            """Δ_first d_second on the grid, or on the faces x_k = 0 and 1."""
            high, low = (self.at(second, {first: side, **fixed}) for side in (1.0, 0.0))
            return high - low

        inside = jump(i, j, {}) - jump(j, i, {})
        ends = [jump(i, j, {k: side}) - jump(j, i, {k: side}) for side in (0.0, 1.0)]
        faces = (self.surface_curl(k, side) for side in (0.0, 1.0))
        return self._between(k, *faces) + inside - self._between(k, *ends)

    def energy(self, phi: Field) -> float:
        """‖φ^½ curl ℓ‖."""
        weights = np.einsum("i,j,k->ijk", *(line.weights for line in self.lines))
        values = phi(self._points({})) * (self.curl_of_lift**2).sum(axis=0)
        return sqrt(float((weights * values).sum()))
