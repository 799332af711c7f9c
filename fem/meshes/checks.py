"""Checks of a mesh: its cells have positive volume and are not inverted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.meshes import diameter
from fem.spaces import Array


def check(mesh: Any, name: str = "the mesh") -> None:
    """Raise a UserError for flat or inverted cells, naming the first of them.

    Cells may be numbered in either orientation (Kuhn meshes have both). A hexahedron is inverted
    where its Jacobian changes sign from corner to corner, a tetrahedron where it lies on the same
    side of a face as its neighbour.
    """
    jacobian = _corner_jacobians(mesh)
    size = abs(jacobian)
    flat = size.min(axis=0) <= 1e-12 * diameter(mesh.p, mesh.t) ** 3
    _refuse(mesh, flat, name, "degenerate")
    turned = (jacobian.max(axis=0) > 0) & (jacobian.min(axis=0) < 0)
    _refuse(mesh, turned | _folded(mesh), name, "inverted")


def _refuse(mesh: Any, bad: NDArray[np.bool_], name: str, word: str) -> None:
    if bad.any():
        cell = int(np.flatnonzero(bad)[0])
        raise UserError(
            f"{name} has {int(bad.sum())} {word} cells, the first is cell {cell} with vertices "
            f"{mesh.t[:, cell].tolist()}; repair it"
        )


def _corner_jacobians(mesh: Any) -> Array:
    """det of the reference map (corners, cells), of tetrahedra at one corner."""
    corners = np.array(mesh.refdom.p, float).T
    if len(corners) == 4:
        corners = corners[:1]
    rows = []
    for here in corners:
        edges = []
        for axis in range(3):
            there = here.copy()
            there[axis] = 1 - here[axis]
            a, b = (
                int(np.flatnonzero((c == mesh.refdom.p.T).all(axis=1))[0]) for c in (here, there)
            )
            edges.append((mesh.p[:, mesh.t[b]] - mesh.p[:, mesh.t[a]]) * (1 - 2 * here[axis]))
        rows.append(np.einsum("ic,ic->c", edges[0], np.cross(edges[1], edges[2], axis=0)))
    return np.array(rows)


def _folded(mesh: Any) -> NDArray[np.bool_]:
    """Tetrahedra on the same side of a common face as their neighbour (all False for others)."""
    cells = mesh.t.shape[1]
    folded = np.zeros(cells, bool)
    if len(mesh.t) != 4:
        return folded
    t = np.sort(mesh.t.astype(np.int64), axis=0)
    faces = np.hstack([np.delete(t, vertex, axis=0) for vertex in range(4)])
    a, b, c = (mesh.p[:, face] for face in faces)
    opposite = mesh.p[:, np.hstack(list(t))]
    side = np.einsum("if,if->f", opposite - a, np.cross(b - a, c - a, axis=0)) > 0
    order = np.lexsort(faces[::-1])
    same_face = (np.diff(faces[:, order], axis=1) == 0).all(axis=0)
    bad = same_face & (side[order][1:] == side[order][:-1])
    folded[order[1:][bad] % cells] = True
    folded[order[:-1][bad] % cells] = True
    return folded
