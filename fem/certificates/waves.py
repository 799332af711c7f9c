"""Residuals on a prism of height 1 with natural ends, where each wave along x₃ has constants of
its own (maths 12.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi, sqrt

import numpy as np

from base.errors import UserError
from fem.boundary_value import BoundaryValueProblem
from fem.certificates.bounds import WAVES
from fem.spaces import Array
from fem.spaces.bricks.mesh import BrickMesh, Face
from fem.spaces.bricks.tensor import Family, Grid, combine, within

ENDS = np.array([0.0, 1.0])


def cosines(count: int, z: Array) -> Array:
    """1 and √2 cos kπz, k < count: orthonormal on (0, 1)."""
    found = sqrt(2) * np.cos(pi * np.outer(np.arange(count), z))
    found[0] = 1.0
    return found


def sines(count: int, z: Array) -> Array:
    """0 and √2 sin kπz, k < count."""
    return sqrt(2) * np.sin(pi * np.outer(np.arange(count), z))


def squares(r: Array, w: Array, waves: Array, more: Array | None = None) -> Array:
    """‖r_k‖² for the parts of a residual along the waves, and last the square of what is left.

    The last axis of r and of its weights w is that of x₃. `more` is added to the coefficients of
    the waves, but not to what is left.
    """
    length = w.sum(axis=-1)
    here = length > 0
    r, w, length = r[here], w[here], length[here][:, None]
    along = ((r * w) @ waves.T) / length
    left = float((w * (r - along @ waves) ** 2).sum())  # squares would cancel
    if more is not None:
        along = along + more[here]
    return np.array([*(length * along**2).sum(axis=0), left])


@dataclass(frozen=True, eq=False)
class Ends:
    """(φ curl u − σ) × n on both ends, at the points of a grid in x₁ and x₂."""

    problem: BoundaryValueProblem
    sigma: list[Array]
    space: Family
    last: Array  # the table of V of the third axis at both ends

    @classmethod
    def of(cls, problem: BoundaryValueProblem, sigma: list[Array], grid: Grid) -> Ends:
        axis = grid.mesh.axes[2]
        _check_prism(grid.mesh)
        return cls(
            problem, sigma, grid.space, axis.tables(ENDS, np.array([0, axis.intervals - 1]))[0]
        )

    def _sigma(self, d: int, space: Family) -> Array:
        first, second, _ = space.tables(d)
        return combine(self.sigma[d], first, second, self.last)

    def mismatch(self, slab: slice, x: Array, w: Array) -> Array:
        """The first two components, (2, x₁, x₂, ends)."""
        natural = self.problem.natural
        assert natural is not None
        first, here = x[:, :, :, :1], w[:, :, :1]
        space, found = self.space.cut(slab), []
        inward = [self._sigma(d, space) for d in (0, 1)]
        for end, sign in enumerate((-1.0, 1.0)):

            def flux(points: Array, at: float = ENDS[end], sign: float = sign) -> Array:
                n = np.zeros_like(points)
                n[2] = sign
                return natural.curl(np.stack([*points[:2], np.full_like(points[2], at)]), n)

            given = within(flux, first, here)[:2, :, :, 0]
            found.append(given - sign * np.stack([inward[1][..., end], -inward[0][..., end]]))
        return np.stack(found, axis=-1)


def _check_prism(mesh: BrickMesh) -> None:
    """Waves and their constants are those of L × (0, 1), natural on both ends and only there."""
    ends, columns = mesh.axes[2].breaks[[0, -1]], mesh.active == mesh.active[:, :, :1]
    if tuple(ends) != (0.0, 1.0) or mesh.natural != {(2, 0), (2, 1)} or not columns.all():
        raise UserError(
            "bounds by waves along x₃ are for prisms L × (0, 1) with natural conditions on both "
            f"ends; this mesh goes from x₃ = {ends[0]:g} to {ends[1]:g}, with natural sides "
            f"{sorted(mesh.natural)}"
        )


@dataclass(eq=False)
class Waves:
    """The squares of the norms of a residual, wave by wave; sides are added brick by brick."""

    count: int
    flux: Array = field(init=False)
    equation: Array = field(init=False)
    columns: dict[tuple[int, int, int], list[tuple[Array, Array, Array]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.flux, self.equation = np.zeros(self.count + 1), np.zeros(self.count + 1)

    def inside(self, flux: Array, equation: Array, ends: Array, w: Array, z: Array) -> None:
        """Add a slab of a grid with all heights z."""
        even, odd = cosines(self.count, z), sines(self.count, z)
        for part, waves in zip(flux, (odd, odd, even), strict=True):
            self.flux += squares(part, w, waves)
        for part, end in zip(equation[:2], ends, strict=True):
            self.equation += squares(part, w, even, end @ cosines(self.count, ENDS).T)
        self.equation += squares(equation[2], w, odd)

    def side(self, face: Face, rest: Array, w: Array, z: Array) -> None:
        """Add a face of a side, its residual already divided by (m·n)^½."""
        along = face.across[0]
        key = (face.axis, face.level, face.brick[along])
        self.columns.setdefault(key, []).append((rest[[along, 2]], w, z))

    def _trace(self) -> Array:
        total = np.zeros(self.count + 1)
        for column in self.columns.values():
            rest, w, z = (np.concatenate(parts, axis=-1) for parts in zip(*column, strict=True))
            total += squares(rest[0], w, cosines(self.count, z))
            total += squares(rest[1], w, sines(self.count, z))
        return total

    def total(self) -> dict[str, float]:
        """All squares, "flux 0" and so on; the last of each name are those of what is left."""
        return {
            f"{name} {k}": float(square)
            for name, found in zip(WAVES, (self.flux, self.equation, self._trace()), strict=True)
            for k, square in enumerate(found)
        }
