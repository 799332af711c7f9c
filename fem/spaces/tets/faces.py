"""Faces of the boundary of a tetrahedral mesh: normals, the natural ones, integrals over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp

from base.errors import UserError
from fem.boundary_value import Natural
from fem.rules.cell_rules import gauss
from fem.spaces import Array, Line
from fem.spaces.tets import tables

if TYPE_CHECKING:
    from skfem import MeshTet

    from fem.spaces.tets.complex import Indices, TetComplex

POINTS = 5  # Gauss points per direction on a face
ON_EDGE = 1e-9


class FacePoints(NamedTuple):
    """Some faces that lie alike in their cells, and the points of a rule on each."""

    faces: Indices
    cells: Indices
    lam: Array  # (points, 4), barycentric in the cells
    x: Array  # (3, faces, points)
    normal: Array  # (3, faces, points)
    weights: Array  # (faces, points), with the areas


def outer_normals(mesh: MeshTet, faces: Indices) -> Array:
    """Unit normals (3, faces) of boundary faces, away from the cell behind them."""
    a, b, c = np.moveaxis(mesh.p[:, mesh.facets[:, faces]], 1, 0)
    normal = np.cross(b - a, c - a, axis=0)
    inside = mesh.p[:, mesh.t[:, mesh.f2t[0, faces]]].mean(axis=1)
    outward = np.sign(((a - inside) * normal).sum(axis=0))
    return np.asarray(normal * outward / np.linalg.norm(normal, axis=0))


def natural_faces(mesh: MeshTet, natural: Natural | None) -> Indices:
    """The boundary faces with natural conditions; u × n must be given on at least one."""
    if natural is None:
        return np.zeros(0, dtype=int)
    faces = mesh.boundary_facets()
    centres = mesh.p[:, mesh.facets[:, faces]].mean(axis=1)
    chosen = np.asarray(natural.where(centres, outer_normals(mesh, faces)), dtype=bool)
    if chosen.all():
        raise UserError("u × n is given nowhere; exclude at least one face from the natural ones")
    return np.asarray(faces[chosen])


def boundary_constants(complex_: TetComplex) -> sp.csc_array:
    """Scalars that are 1 on one component of the essential boundary, without the first component,
    (scalars, components − 1): none, unless there is a closed void or a natural face in between."""
    from scipy.sparse.csgraph import connected_components

    mesh = complex_.mesh
    corners = mesh.facets[:, complex_.essential_faces]
    ends = np.hstack([corners[[0, 1]], corners[[1, 2]]])
    joined = sp.coo_array((np.ones(ends.shape[1]), ends), shape=(mesh.nvertices,) * 2)
    label = connected_components(joined, directed=False)[1]
    nodes = np.unique(corners)
    kinds, component = np.unique(label[nodes], return_inverse=True)
    later = component > 0
    place = (nodes[later], component[later] - 1)
    shape = (complex_.gradient.shape[1], len(kinds) - 1)
    return sp.csc_array((np.ones(int(later.sum())), place), shape=shape)


def edges_of(complex_: TetComplex, faces: Indices) -> Indices:
    """The numbers of the edges of faces, each once."""
    corners = np.sort(complex_.mesh.facets[:, faces], axis=0).astype(np.int64)
    nodes = complex_.mesh.nvertices
    key = complex_.edges[0] * nodes + complex_.edges[1]
    pairs = [corners[a] * nodes + corners[b] for a, b in ((0, 1), (1, 2), (0, 2))]
    return np.flatnonzero(np.isin(key, np.concatenate(pairs)))


def natural_loads(
    complex_: TetComplex, natural: Natural, singular_edge: Line | None = None
) -> tuple[Array, Array]:
    """⟨φ curl u × n, v_i⟩ and ⟨u·n, q_i⟩ over the natural faces."""
    vectors, scalars = np.zeros(complex_.dofs), np.zeros(complex_.gradient.shape[1])
    for part in on_faces(complex_, complex_.natural_faces, singular_edge):
        data = natural.curl(part.x, part.normal) * part.weights
        T = tables.nedelec_values(part.lam, complex_.order)
        along = np.einsum("dfq,fvd->fqv", data, complex_.geometry[0][part.cells])
        local = np.einsum("fqv,iqv->if", along, T)
        np.add.at(vectors, complex_.element_dofs[:, part.cells], local)
        S = tables.scalar_values(part.lam, complex_.order)
        local = (natural.normal(part.x, part.normal) * part.weights @ S.T).T
        np.add.at(scalars, complex_.scalar_dofs[:, part.cells], local)
    return vectors, scalars


def on_faces(
    complex_: TetComplex, faces: Indices, singular_edge: Line | None = None, points: int = POINTS
) -> Iterator[FacePoints]:
    """The rule on boundary faces, grouped by their place in the cell and by which of their vertices
    the singular edge touches: the rule is collapsed there, s = σ³."""
    mesh = complex_.mesh
    cells = mesh.f2t[0, faces]
    touching = np.zeros(mesh.nvertices, dtype=bool)
    if singular_edge is not None:
        a, b = singular_edge
        touching = np.hypot(mesh.p[0] - a, mesh.p[1] - b) < ON_EDGE
    for local, vertices in enumerate(tables.FACETS):
        here = np.flatnonzero(mesh.t2f[local, cells] == faces)
        corners = mesh.t[np.ix_(vertices, cells[here])]
        pattern = np.where(touching[corners].sum(axis=0) == 1, touching[corners].argmax(axis=0), -1)
        for at in np.unique(pattern):
            chosen = here[pattern == at]
            yield _tabulated(complex_, faces[chosen], vertices, int(at), points)


def _tabulated(
    complex_: TetComplex, faces: Indices, vertices: Array, at: int, points: int
) -> FacePoints:
    mesh = complex_.mesh
    cells = mesh.f2t[0, faces]
    flat, weights = triangle_rule(points) if at < 0 else collapsed_triangle(points, at)
    lam = np.zeros((flat.shape[1], 4))
    lam[:, vertices] = flat.T
    x = np.einsum("dvc,qv->dcq", mesh.p[:, mesh.t[:, cells]], lam)
    a, b, c = np.moveaxis(mesh.p[:, mesh.facets[:, faces]], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a, axis=0), axis=0) / 2.0
    normal = np.broadcast_to(outer_normals(mesh, faces)[:, :, None], x.shape)
    return FacePoints(faces, cells, lam, x, normal, area[:, None] * weights)


def triangle_rule(points: int) -> tuple[Array, Array]:
    """Collapsed Gauss: barycentric points (3, Q), weights that add up to one."""
    s, w = gauss(points)
    a, b = (axis.ravel() for axis in np.meshgrid(s, s, indexing="ij"))
    lam = np.stack([a, (1.0 - a) * b, (1.0 - a) * (1.0 - b)])
    return lam, 2.0 * np.outer(w, w).ravel() * (1.0 - a)


def collapsed_triangle(points: int, at: int) -> tuple[Array, Array]:
    """`triangle_rule` with the distance s = σ³ from one vertex, for what is singular there."""
    t, w = gauss(points + 3)
    sigma, b = (axis.ravel() for axis in np.meshgrid(t, t, indexing="ij"))
    s = sigma**3
    lam = np.roll(np.stack([1.0 - s, s * b, s * (1.0 - b)]), at, axis=0)
    return lam, 2.0 * np.outer(w, w).ravel() * 3.0 * sigma**2 * s
