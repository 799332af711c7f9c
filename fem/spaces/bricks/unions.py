"""Grids of bricks with some left out: the L-shaped prism and the Fichera cube (`meshes.unions`)."""

from __future__ import annotations

import numpy as np

from fem.meshes.unions import Inside, graded_line, in_fichera, in_prism
from fem.spaces.bricks.axis import Axis
from fem.spaces.bricks.mesh import BrickMesh, layered


def prism(n: int, order: int, grading: float | None = None) -> BrickMesh:
    """n bricks of one order per unit length, x₁ and x₂ graded towards the re-entrant edge."""
    across = Axis.of(graded_line(n, grading or 1.0), order)
    return union((across, across, Axis.of(np.linspace(0.0, 1.0, n + 1), order)), in_prism)


def layered_prism(layers: int, ratio: float, order: int, n: int = 1) -> BrickMesh:
    """Geometric layers towards the re-entrant edge, n bricks of the given order along it."""
    across = layered(-1.0, 1.0, 0.0, layers, ratio)
    return union((across, across, Axis.of(np.linspace(0.0, 1.0, n + 1), order)), in_prism)


def fichera(n: int, order: int, grading: float | None = None) -> BrickMesh:
    """n bricks of one order per unit length, graded towards the re-entrant edges."""
    axis = Axis.of(graded_line(n, grading or 1.0), order)
    return union((axis, axis, axis), in_fichera)


def layered_fichera(layers: int, ratio: float) -> BrickMesh:
    """Geometric layers towards the corner and its edges."""
    axis = layered(-1.0, 1.0, 0.0, layers, ratio)
    return union((axis, axis, axis), in_fichera)


def union(axes: tuple[Axis, Axis, Axis], inside: Inside) -> BrickMesh:
    """The bricks of a grid whose centres lie inside."""
    centres = np.meshgrid(*(axis.breaks[:-1] + axis.lengths / 2 for axis in axes), indexing="ij")
    return BrickMesh.of(axes, inside(np.stack(centres)))
