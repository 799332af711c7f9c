"""Grids of bricks: three axes, the bricks that belong to the domain, the faces of its boundary.

Component d of Nédélec's space is Q along x_d and V across; potentials are V in all directions, and
grad, curl are derivatives of one axis each. The functions on a union of bricks are those products
that live on at least one of its bricks, in the numbering of the whole grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.spaces import Array, Line
from fem.spaces.bricks.axis import Axis, Indices
from fem.spaces.bricks.modes import Held

Side = tuple[int, int]  # (axis, 0 for its lower end or 1 for its upper one)
Mask = NDArray[np.bool_]
# Of a layer: x₁ near 1 is known to 1e-16. About a line with the coordinate 0 the modes round: on
# `screen` the curl error rises from 17 layers of ratio 0.15 on (1e-14), the L² error from 20.
SMALLEST, SMALLEST_ABOUT_0 = 1e-12, 1e-20


class Face(NamedTuple):
    """A face of the boundary: across `axis` at breakpoint `level`, its brick, its outer normal."""

    axis: int
    level: int
    brick: tuple[int, int, int]
    sign: int  # of the outer normal along the axis

    @property
    def across(self) -> tuple[int, int]:
        """The two axes that the face contains."""
        first, second = (k for k in range(3) if k != self.axis)
        return first, second


@dataclass(frozen=True, eq=False)
class BrickMesh:
    """The bricks of a grid where `active`; u × n is free (natural) on the sides of the grid named
    in `natural`, and given on the rest of the boundary."""

    axes: tuple[Axis, Axis, Axis]
    mask: Mask | None = None  # None: a box, all bricks of the grid
    natural: frozenset[Side] = field(default_factory=frozenset)

    @classmethod
    def of(
        cls, axes: tuple[Axis, Axis, Axis], active: Mask | None = None, natural: object = ()
    ) -> BrickMesh:
        """A checked mesh; all bricks of the grid if `active` is not given."""
        shape = tuple(axis.intervals for axis in axes)
        mask = None if active is None else np.asarray(active, dtype=bool)
        if mask is not None and (mask.shape != shape or not mask.any()):
            raise UserError(
                f"the mask of bricks must have the shape of the grid, {shape}, and at least one "
                f"brick; it has shape {mask.shape} and {int(mask.sum())} bricks"
            )
        sides = frozenset(natural)  # type: ignore[call-overload]
        if not sides <= set(product(range(3), range(2))):
            raise UserError(f"natural sides are pairs (axis 0..2, end 0 or 1), got {set(sides)}")
        return cls(axes, None if mask is None or mask.all() else mask, sides)

    @property
    def is_box(self) -> bool:
        return self.mask is None

    @cached_property
    def active(self) -> Mask:
        """Which bricks of the grid belong to the domain."""
        shape = tuple(axis.intervals for axis in self.axes)
        return np.ones(shape, dtype=bool) if self.mask is None else self.mask

    @property
    def cells(self) -> int:
        """The number of bricks."""
        return int(
            np.prod([axis.intervals for axis in self.axes]) if self.is_box else self.active.sum()
        )

    @cached_property
    def held(self) -> tuple[Held, Held, Held]:
        """Per axis whether tangential traces are given at its ends; for boxes."""
        first, second, third = (
            ((axis, 0) not in self.natural, (axis, 1) not in self.natural) for axis in range(3)
        )
        return first, second, third

    @cached_property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the coefficients of the three components on the whole grid."""
        return [
            tuple(axis.size_Q if k == d else axis.size_V for k, axis in enumerate(self.axes))
            for d in range(3)
        ]

    @cached_property
    def scalar_shape(self) -> tuple[int, ...]:
        return tuple(axis.size_V for axis in self.axes)

    @property
    def grid_dofs(self) -> int:
        return sum(int(np.prod(shape)) for shape in self.shapes)

    @cached_property
    def dofs(self) -> int:
        """Functions that live on the domain; on a box all of them."""
        return self.grid_dofs if self.is_box else int(self.present.sum())

    def split(self, x: Array) -> list[Array]:
        """A flat vector as three arrays, views."""
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        parts = np.split(x, np.cumsum(sizes)[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def compact(self, x: Array) -> Array:
        """The entries of a vector over the grid whose functions live on the domain."""
        return x if self.is_box else x[self.present]

    def expanded(self, x: Array) -> Array:
        """The vector over the grid, zero where no brick is."""
        if self.is_box:
            return x
        result = np.zeros(self.grid_dofs)
        result[self.present] = x
        return result

    def raised(self) -> BrickMesh:
        """The same bricks with one order more everywhere."""
        x, y, z = (Axis(a.breaks, tuple(p + 1 for p in a.orders)) for a in self.axes)
        return BrickMesh((x, y, z), self.mask, self.natural)

    def embedded(self, x: Array) -> Array:
        """Coefficients of the same field on the `raised` mesh: the bases are hierarchical."""
        finer, coarse = self.raised(), self.split(self.expanded(x))
        result = np.zeros(finer.grid_dofs)
        pairs = list(zip(self.axes, finer.axes, strict=True))
        V = [_positions(a.dofs_V, b.dofs_V) for a, b in pairs]
        Q = [_positions(a.dofs_Q, b.dofs_Q) for a, b in pairs]
        for d, part in enumerate(finer.split(result)):
            part[np.ix_(*(Q[k] if k == d else V[k] for k in range(3)))] = coarse[d]
        return finer.compact(result)

    @property
    def h(self) -> float:
        """The largest diameter of a brick."""
        if self.is_box:
            return float(np.sqrt(sum(axis.lengths.max() ** 2 for axis in self.axes)))
        squares = sum(
            np.square(axis.lengths).reshape([-1 if k == d else 1 for k in range(3)])
            for d, axis in enumerate(self.axes)
        )
        return float(np.sqrt(np.where(self.active, squares, 0.0).max()))

    def bricks(self) -> Iterator[tuple[int, int, int]]:
        for i, j, k in np.argwhere(self.active):
            yield int(i), int(j), int(k)

    def brick_dofs(self, brick: tuple[int, int, int]) -> list[Indices]:
        """Numbers (flat, within the grid) of the functions of each component on a brick."""
        V = [axis.dofs_V[i] for axis, i in zip(self.axes, brick, strict=True)]
        Q = [axis.dofs_Q[i] for axis, i in zip(self.axes, brick, strict=True)]
        start = 0
        found: list[Indices] = []
        for d, shape in enumerate(self.shapes):
            grid = np.ix_(*(Q[k] if k == d else V[k] for k in range(3)))
            found.append(start + np.ravel_multi_index(grid, shape).ravel())
            start += int(np.prod(shape))
        return found

    def brick_scalars(self, brick: tuple[int, int, int]) -> Indices:
        V = [axis.dofs_V[i] for axis, i in zip(self.axes, brick, strict=True)]
        return np.ravel_multi_index(np.ix_(*V), self.scalar_shape).ravel()

    @cached_property
    def present(self) -> Mask:
        """Which functions of the grid live on the domain."""
        found = np.zeros(self.grid_dofs, dtype=bool)
        for brick in self.bricks():
            found[np.concatenate(self.brick_dofs(brick))] = True
        return found

    @cached_property
    def present_scalars(self) -> Mask:
        found = np.zeros(int(np.prod(self.scalar_shape)), dtype=bool)
        for brick in self.bricks():
            found[self.brick_scalars(brick)] = True
        return found

    @cached_property
    def essential_faces(self) -> list[Face]:
        """Faces of the boundary on which u × n is given."""
        return [face for face in self.boundary_faces() if not self._is_natural(face)]

    @cached_property
    def natural_faces(self) -> list[Face]:
        return [face for face in self.boundary_faces() if self._is_natural(face)]

    def _is_natural(self, face: Face) -> bool:
        return face.level in (0, self.axes[face.axis].intervals) and (
            (face.axis, int(face.level > 0)) in self.natural
        )

    def boundary_faces(self) -> Iterator[Face]:
        for axis in range(3):
            edge = np.zeros_like(np.take(self.active, [0], axis=axis))
            padded = np.concatenate([edge, self.active, edge], axis=axis).astype(int)
            for position in np.argwhere(np.diff(padded, axis=axis)):
                level = int(position[axis])
                inside_above = bool(padded[tuple(position + np.eye(3, dtype=int)[axis])])
                position[axis] = level if inside_above else level - 1
                brick = (int(position[0]), int(position[1]), int(position[2]))
                yield Face(axis, level, brick, -1 if inside_above else 1)

    def _trace(self, face: Face, own: int | None) -> tuple[Indices, ...]:
        """Per axis the functions of one component (own: along which) with a trace on a face."""
        return tuple(
            np.array([face.level])
            if k == face.axis
            else (axis.dofs_Q if k == own else axis.dofs_V)[face.brick[k]]
            for k, axis in enumerate(self.axes)
        )

    def face_index(self, face: Face, component: int | None) -> tuple[NDArray[np.integer], ...]:
        """Index of a component's array (None: potentials) for its functions on a face."""
        return np.ix_(*self._trace(face, component))

    def face_points(self, face: Face, first: Array, second: Array) -> tuple[Array, Array]:
        """Points of a face and its outer normals, (3, first, second), for coordinates on its two
        axes."""
        x = np.empty((3, len(first), len(second)))
        x[face.axis] = self.axes[face.axis].breaks[face.level]
        x[face.across, :] = np.meshgrid(first, second, indexing="ij")
        normal = np.zeros_like(x)
        normal[face.axis] = face.sign
        return x, normal

    @cached_property
    def held_dofs(self) -> Mask:
        """Functions of the space with a tangential trace where u × n is given."""
        flat = np.zeros(self.grid_dofs, dtype=bool)
        parts = self.split(flat)
        for face in self.essential_faces:
            for d in range(3):
                if d != face.axis:
                    parts[d][self.face_index(face, d)] = True
        return flat

    @cached_property
    def held_scalars(self) -> Mask:
        found = np.zeros(self.scalar_shape, dtype=bool)
        for face in self.essential_faces:
            found[self.face_index(face, None)] = True
        return found.ravel()

    @cached_property
    def unconstrained_part(self) -> str | None:
        """Why the equations leave a field free, if they do: on a box, two opposite given faces."""
        given = [sum(held) for held in self.held]
        if self.is_box and sorted(given) == [0, 0, 2]:
            return (
                f"u × n is given on two opposite faces only (axis {given.index(2)}), which leaves "
                "a constant field between them free; give it on one face more"
            )
        return None


def _positions(coarse: list[Indices], fine: list[Indices]) -> Indices:
    """Where the functions of an axis are among those of the same axis of higher orders."""
    found = np.zeros(1 + max(int(dofs.max()) for dofs in coarse), dtype=int)
    for few, many in zip(coarse, fine, strict=True):
        found[few] = many[: len(few)]
    return found


def uniform(n: int | None, order: int | None) -> BrickMesh:
    """The unit cube, n bricks per side of one order."""
    if n is None or order is None:
        raise UserError("bricks need n (cells per side) and an order, or a mesh of bricks")
    if n < 1:
        raise UserError(f"n must be at least 1 (cells per side), got {n}")
    axis = Axis.of(np.linspace(0.0, 1.0, n + 1), order)
    return BrickMesh.of((axis, axis, axis))


def graded(
    layers: int, ratio: float, order: int, towards: Line, *, n: int = 1, corner: Line = (0.0, 0.0)
) -> BrickMesh:
    """The unit cube, x₁ and x₂ in geometric layers towards the line {x₁ = a, x₂ = b}; its lowest
    `corner` may be another, so that the line can have the coordinates 0 and keep all digits.

    Along the line there are n bricks of the given order. Unknowns grow like layers⁴, and the error
    falls exponentially in layers (Babuška, Guo 1986; Schwab 1998, ch. 4): exp(−b N^¼) at a fixed
    order along the line.
    """
    ends = list(zip(corner, towards, strict=True))
    if not all(low <= at <= low + 1.0 for low, at in ends):
        raise UserError(f"layers go towards a line in the cube, not to x₁, x₂ = {towards}")
    across = [layered(low, low + 1.0, at, layers, ratio) for low, at in ends]
    along = Axis.of(np.linspace(0.0, 1.0, n + 1), order)
    return BrickMesh.of((across[0], across[1], along))


def layered(low: float, high: float, towards: float, layers: int, ratio: float) -> Axis:
    """Breakpoints at distances 1, ratio, ratio², … (of the way to the ends) from a point.

    The order is 1 in the intervals that touch the point and grows by one with every layer.
    """
    if layers < 1:
        raise UserError(f"layers must be at least 1, got {layers}")
    if not 0.0 < ratio < 1.0:
        raise UserError(f"ratio must lie between 0 and 1 (0.15 is a good one), got {ratio}")
    least = SMALLEST if towards else SMALLEST_ABOUT_0
    if ratio**layers < least:
        most = int(np.log(least) / np.log(ratio))
        raise UserError(
            f"{layers} layers of ratio {ratio:g} end at {ratio**layers:.0e}, where no digits are "
            f"left about {towards:g}; use at most {most}"
        )
    steps = ratio ** np.arange(layers, -1.0, -1.0)
    left = towards - (towards - low) * steps[::-1] if towards > low else np.zeros(0)
    right = towards + (high - towards) * steps if towards < high else np.zeros(0)
    orders = tuple(range(1, layers + 2))
    return Axis.of(
        np.concatenate([left, [towards], right]),
        (orders[::-1] if len(left) else ()) + (orders if len(right) else ()),
    )
