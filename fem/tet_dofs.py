"""Degrees of freedom of Nédélec's spaces: moments on edges and faces, of fields and of gradients.

With `faces` and `edges` they are computed on a part of the mesh only, which is how the tangential
trace of a field becomes boundary data.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fem.cell_rules import gauss
from fem.space import Array, Field
from fem.tet_complex import Indices, TetComplex


def canonical_dofs(
    complex_: TetComplex,
    u: Field,
    edges: Indices | None = None,
    faces: Indices | None = None,
    points: int = 5,
) -> Array:
    """The canonical interpolant of u; zero on edges and faces that are not asked for.

    Edge a < b: ∫ u·t, and for order 1 also 3 ∫ (1 − 2s) u·t. Faces: ∫ u·(x_b − x_a) and
    ∫ u·(x_c − x_a) of what the edges leave determine the two face functions (Nédélec 1980).
    """
    mesh = complex_.mesh
    edges = np.arange(mesh.nedges) if edges is None else edges
    mean, slope = _edge_moments(mesh.p, mesh.edges[:, edges], u, points)
    x = np.zeros(complex_.dofs)
    if complex_.order == 0:
        x[edges] = mean
        return x
    x[2 * edges], x[2 * edges + 1] = mean, slope
    faces = np.arange(mesh.nfacets) if faces is None else faces
    first = 2 * mesh.nedges + 2 * faces
    x[first], x[first + 1] = _face_coefficients(complex_, u, x, faces, points)
    return x


def gradient_dofs(complex_: TetComplex, psi: Field) -> Array:
    """∇ of the nodal interpolant of ψ: ψ(b) − ψ(a) on edges, also where ∇ψ is singular.

    For order 1 the bubble λ_a λ_b has the coefficient 4 ψ(midpoint) − 2 ψ(a) − 2 ψ(b).
    """
    mesh = complex_.mesh
    nodal = psi(mesh.p)
    if complex_.order == 0:
        return complex_.gradient @ nodal
    a, b = mesh.edges
    middle = psi((mesh.p[:, a] + mesh.p[:, b]) / 2.0)
    return complex_.gradient @ np.concatenate([nodal, 4 * middle - 2 * (nodal[a] + nodal[b])])


def _edge_moments(p: Array, edges: Array, u: Field, points: int) -> tuple[Array, Array]:
    s, w = gauss(points)
    start, tangent = p[:, edges[0]], p[:, edges[1]] - p[:, edges[0]]
    along = np.einsum("deq,de->eq", u(start[:, :, None] + tangent[:, :, None] * s), tangent)
    return along @ w, along @ (3.0 * w * (1.0 - 2.0 * s))


def _face_coefficients(
    complex_: TetComplex, u: Field, x: Array, faces: Indices, points: int
) -> Array:
    """(2, faces): solves the 2 × 2 systems of the moments that the edge functions leave."""
    mesh = complex_.mesh
    lam, w = _triangle(points)
    vertices = np.sort(mesh.facets[:, faces], axis=0)
    corners = mesh.p[:, vertices]  # (3 coordinates, 3 vertices, faces)
    where = np.einsum("dvf,vq->dfq", corners, lam)
    gradients = _tangential_gradients(corners)
    edge_part = np.zeros_like(where)
    index = _edge_index(complex_)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        number = index(vertices[a], vertices[b])
        plus, minus = x[2 * number], x[2 * number + 1]
        # x₀ (λ_a ∇λ_b − λ_b ∇λ_a) + x₁ (λ_a ∇λ_b + λ_b ∇λ_a)
        at_b = np.outer(plus + minus, lam[a])
        at_a = np.outer(minus - plus, lam[b])
        edge_part += gradients[:, b, :, None] * at_b + gradients[:, a, :, None] * at_a
    rest = u(where) - edge_part
    tangents = corners[:, 1:] - corners[:, :1]
    moments = np.einsum("dfq,dkf,q->fk", rest, tangents, w)
    functions = np.stack(
        [_face_function(lam, gradients, 0, 1, 2), _face_function(lam, gradients, 1, 0, 2)]
    )
    system = np.einsum("idfq,dkf,q->fki", functions, tangents, w)
    return np.linalg.solve(system, moments[:, :, None])[:, :, 0].T


def _face_function(lam: Array, gradients: Array, v: int, b: int, c: int) -> Array:
    """λ_v W_bc restricted to the face, (3, faces, points)."""
    value = gradients[:, c, :, None] * lam[b] - gradients[:, b, :, None] * lam[c]
    return value * lam[v]


def _tangential_gradients(corners: Array) -> Array:
    """∇λ of a triangle in its own plane, (3, vertices, faces)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    first, second = b - a, c - a
    aa, ab, bb = (
        (p * q).sum(axis=0) for p, q in ((first, first), (first, second), (second, second))
    )
    det = aa * bb - ab**2
    at_b, at_c = (first * bb - second * ab) / det, (second * aa - first * ab) / det
    return np.stack([-at_b - at_c, at_b, at_c], axis=1)


def _triangle(points: int) -> tuple[Array, Array]:
    """Collapsed Gauss: barycentric points (3, Q), weights that add up to one."""
    s, w = gauss(points)
    a, b = (axis.ravel() for axis in np.meshgrid(s, s, indexing="ij"))
    lam = np.stack([a, (1.0 - a) * b, (1.0 - a) * (1.0 - b)])
    return lam, 2.0 * np.outer(w, w).ravel() * (1.0 - a)


def _edge_index(complex_: TetComplex) -> Callable[[Array, Array], Array]:
    """(a, b) ↦ number of the edge a < b."""
    mesh = complex_.mesh
    key = mesh.edges[0].astype(np.int64) * mesh.nvertices + mesh.edges[1]
    order = np.argsort(key)
    return lambda a, b: order[np.searchsorted(key[order], a.astype(np.int64) * mesh.nvertices + b)]
