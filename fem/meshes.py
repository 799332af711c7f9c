"""Meshes of the unit cube and of the training cylinder, and a check of any mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem.errors import InputError


def cube(n: int, cell: str = "tet") -> Any:
    """The unit cube, n cells per side: Kuhn tetrahedra (6 per cell) or hexahedra.

    `init_tensor`, not `refined()`: the latter ignores z when it picks the shortest diagonal, so
    its meshes are not the Kuhn family (FEM_NOTES).
    """
    from skfem import MeshHex, MeshTet

    x = np.linspace(0, 1, n + 1)
    return {"tet": MeshTet, "hex": MeshHex}[cell].init_tensor(x, x, x)


def diameter(p: Any, t: Any) -> float:
    """The largest cell diameter: the longest distance between two vertices of one cell."""
    longest = 0.0
    for a in range(len(t)):
        for b in range(a):
            longest = max(longest, float(((p[:, t[a]] - p[:, t[b]]) ** 2).sum(axis=0).max()))
    return longest**0.5


def check(mesh: Any) -> None:
    """InputError for cells that are turned inside out or flat, with the first of them."""
    mapping = mesh.mapping()
    corners = np.array(mesh.refdom.p, float)
    jacobian = mapping.detDF(corners)
    # Tetrahedra carry no orientation of their own (Kuhn meshes have both signs): flat is bad.
    size = abs(jacobian).max(axis=1)
    scale = float(np.median(size)) or 1.0
    flat = abs(jacobian).min(axis=1) < 1e-12 * scale
    turned = (jacobian.max(axis=1) > 0) & (jacobian.min(axis=1) < 0)
    for bad, word in ((flat, "degenerate"), (turned, "inverted")):
        if bad.any():
            cell = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"mesh has {int(bad.sum())} {word} cells, the first is cell {cell} with vertices "
                f"{mesh.t[:, cell].tolist()}; repair the mesh"
            )
