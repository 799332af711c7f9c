"""Meshes of the unit cube and of the training cylinder."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

# Kuhn's six paths from corner to corner of a cube, axis by axis: (6, 4, 3)
_PATHS = np.cumsum([[(0, 0, 0), *path] for path in permutations(np.eye(3, dtype=int))], axis=1)


def cube(n: int, cell: str = "tet") -> Any:
    """The unit cube, n cells per side: Kuhn tetrahedra (6 per cell) or hexahedra.

    `init_tensor`, not `refined()`: the latter ignores z when it picks the shortest diagonal, so
    its meshes are not the Kuhn family.
    """
    from skfem import MeshHex, MeshTet

    x = np.linspace(0, 1, n + 1)
    return {"tet": MeshTet, "hex": MeshHex}[cell].init_tensor(x, x, x)


def kuhn(n: int) -> tuple[Any, Any]:
    """Points (3, nodes) and sorted tetrahedra (cells, 4) of `cube`, cube by cube, without loading
    scikit-fem: nodes are numbered along x₂, then x₁, then x₃."""
    x, steps = np.linspace(0, 1, n + 1), np.array([n + 1, 1, (n + 1) ** 2])
    p = x[np.indices((n + 1,) * 3).reshape(3, -1)[[1, 2, 0]]]
    corner = steps @ np.indices((n, n, n)).reshape(3, -1)
    return p, (corner[:, None, None] + _PATHS @ steps).reshape(-1, 4).astype(np.int32)


def drawable(mesh: Any) -> Any:
    """The mesh with points and cells, for files; bricks become hexahedra."""
    if not hasattr(mesh, "axes"):
        return mesh
    from skfem import MeshHex

    breaks = [np.asarray(axis.breaks) for axis in mesh.axes]
    grid = MeshHex.init_tensor(*breaks)
    middle = grid.p[:, grid.t].mean(axis=1)
    brick = tuple(
        np.searchsorted(b, x, side="right") - 1 for b, x in zip(breaks, middle, strict=True)
    )
    inside = np.asarray(mesh.active)[brick]
    return grid if inside.all() else grid.restrict(np.flatnonzero(inside))


def diameter(p: Any, t: Any) -> float:
    """The largest cell diameter: the longest distance between two vertices of one cell."""
    longest = 0.0
    for a in range(len(t)):
        for b in range(a):
            longest = max(longest, float(((p[:, t[a]] - p[:, t[b]]) ** 2).sum(axis=0).max()))
    return longest**0.5


def cylinder(n: int) -> Any:
    """The training domain {r ≤ 1, 0 ≤ x₃ ≤ 1} in tetrahedra, n cells along the radius.

    A quarter of the square (−1, 1)² × (0, 1) in Kuhn cells, mirrored in x₁ and x₂, so that all
    diagonals run outwards, is bent to the disc: the corners of the squares become flat, and only a
    diagonal through them keeps the triangles there from degenerating. The worst cell has a radius
    ratio above 0.5 for every n (1: regular; 0.59: Kuhn).
    """
    from skfem import MeshTet

    quarter = cube(n, "tet")
    i, j, k = np.rint(quarter.p * n).astype(int)
    shape = (2 * n + 1, 2 * n + 1, n + 1)
    cells = [
        np.ravel_multi_index((n + a * i, n + b * j, k), shape)[quarter.t]
        for a in (-1, 1)
        for b in (-1, 1)
    ]
    grid = np.stack(np.unravel_index(np.arange(np.prod(shape)), shape))
    square = grid / n - np.array([[1.0], [1.0], [0.0]])
    return MeshTet(_square_to_disc(square), np.hstack(cells))


def _square_to_disc(p: Any) -> Any:
    """Maps (−1, 1)² to the unit disc, squares |x|_∞ = ρ to circles of radius ρ (Shirley–Chiu).

    On each quarter (|x₂| ≤ |x₁|): radius x₁, angle π/4 · x₂/x₁.
    """
    x, y, z = p
    wide = abs(x) >= abs(y)
    radius = np.where(wide, x, y)
    safe = np.where(radius == 0, 1.0, radius)
    angle = np.pi / 4 * np.where(wide, y, x) / safe
    along, across = radius * np.cos(angle), radius * np.sin(angle)
    return np.stack([np.where(wide, along, across), np.where(wide, across, along), z])
