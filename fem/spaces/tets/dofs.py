"""Degrees of freedom of Nédélec's spaces on tets: of fields, of their traces, of gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from base.errors import UserError
from fem.boundary_value import Trace
from fem.rules.cell_rules import gauss
from fem.spaces import Array, Field
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.faces import outer_normals, triangle_rule

POINTS = 5  # Gauss points per direction: degree 9
TANGENTIAL = 1e-6  # |g·n| allowed, relative to the largest |g|


def canonical_dofs(complex_: TetComplex, u: Field) -> Array:
    """The canonical interpolant of u.

    Edge a < b: ∫ u·t, and for order 1 also 3 ∫ (1 − 2s) u·t. Faces: ∫ u·(x_b − x_a) and
    ∫ u·(x_c − x_a) of what the edges leave determine the two face functions (Nédélec 1980).
    """
    mesh = complex_.mesh
    edges, faces = np.arange(complex_.edges.shape[1]), np.arange(mesh.nfacets)
    return _dofs(complex_, edges, u, faces, u)


def trace_dofs(complex_: TetComplex, g: Trace) -> Array:
    """The boundary dofs of any u with u × n = g, zero elsewhere; the tangential part is n × g.

    The normal on an edge is that of a boundary face it belongs to: u·t is the same for all.
    """
    faces, edges = complex_.essential_faces, complex_.essential_edges
    normals = outer_normals(complex_.mesh, faces)
    at_edges = normals[:, _face_of_edges(complex_, edges, faces)]
    return _dofs(complex_, edges, tangential(g, at_edges), faces, tangential(g, normals))


def gradient_dofs(complex_: TetComplex, psi: Field) -> Array:
    """∇ of the nodal interpolant of ψ: ψ(b) − ψ(a) on edges, also where ∇ψ is singular.

    For order 1 the bubble λ_a λ_b has the coefficient 4 ψ(midpoint) − 2 ψ(a) − 2 ψ(b).
    """
    mesh = complex_.mesh
    nodal = psi(mesh.p)
    if complex_.order == 0:
        return complex_.gradient @ nodal
    a, b = complex_.edges
    middle = psi((mesh.p[:, a] + mesh.p[:, b]) / 2.0)
    return complex_.gradient @ np.concatenate([nodal, 4 * middle - 2 * (nodal[a] + nodal[b])])


def _dofs(
    complex_: TetComplex, edges: Indices, on_edges: Field, faces: Indices, on_faces: Field
) -> Array:
    """Moments of fields on the edges, (3, edges, points), and on the faces, (3, faces, points)."""
    mesh = complex_.mesh
    mean, slope = _edge_moments(mesh.p, complex_.edges[:, edges], on_edges)
    x = np.zeros(complex_.dofs)
    if complex_.order == 0:
        x[edges] = mean
        return x
    x[2 * edges], x[2 * edges + 1] = mean, slope
    first = 2 * complex_.edges.shape[1] + 2 * faces
    x[first], x[first + 1] = _face_coefficients(complex_, x, faces, on_faces)
    return x


def tangential(g: Trace, normals: Array) -> Field:
    """x ↦ n × g(x, n), having checked that g is tangential; normals (3, entities)."""

    def field(x: Array) -> Array:
        n = np.broadcast_to(normals[:, :, None], x.shape)
        values = np.asarray(g(x, n), dtype=float)
        outward = abs((values * n).sum(axis=0))
        if outward.max() > TANGENTIAL * max(abs(values).max(), 1.0):
            entity, point = np.unravel_index(outward.argmax(), outward.shape)
            where = ", ".join(f"{c:.4g}" for c in x[:, entity, point])
            raise UserError(
                f"boundary data g must be tangential, but g·n = {outward.max():.3g} at "
                f"x = ({where}); give g = u × n"
            )
        return np.cross(n, values, axis=0)

    return field


def _edge_moments(p: Array, edges: Array, u: Field) -> tuple[Array, Array]:
    s, w = gauss(POINTS)
    start, tangent = p[:, edges[0]], p[:, edges[1]] - p[:, edges[0]]
    along = np.einsum("deq,de->eq", u(start[:, :, None] + tangent[:, :, None] * s), tangent)
    return along @ w, along @ (3.0 * w * (1.0 - 2.0 * s))


def _face_coefficients(complex_: TetComplex, x: Array, faces: Indices, u: Field) -> Array:
    """(2, faces): solves the 2 × 2 systems of the moments that the edge functions leave."""
    mesh = complex_.mesh
    lam, w = triangle_rule(POINTS)
    vertices = np.sort(mesh.facets[:, faces], axis=0)
    corners = mesh.p[:, vertices]  # (3 coordinates, 3 vertices, faces)
    gradients = _tangential_gradients(corners)
    rest = u(np.einsum("dvf,vq->dfq", corners, lam))
    rest = rest - _edge_part(complex_, x, vertices, gradients, lam)
    tangents = corners[:, 1:] - corners[:, :1]
    moments = np.einsum("dfq,dkf,q->fk", rest, tangents, w)
    functions = np.stack(
        [_face_function(lam, gradients, 0, 1, 2), _face_function(lam, gradients, 1, 0, 2)]
    )
    system = np.einsum("idfq,dkf,q->fki", functions, tangents, w)
    return np.linalg.solve(system, moments[:, :, None])[:, :, 0].T


def _edge_part(
    complex_: TetComplex, x: Array, vertices: Indices, gradients: Array, lam: Array
) -> Array:
    """Σ x₀ (λ_a ∇λ_b − λ_b ∇λ_a) + x₁ (λ_a ∇λ_b + λ_b ∇λ_a) over the edges of faces."""
    number_of = _edge_numbers(complex_)
    total = np.zeros((3, vertices.shape[1], lam.shape[1]))
    for a, b in ((0, 1), (1, 2), (0, 2)):
        number = number_of(vertices[a], vertices[b])
        whitney, bubble = x[2 * number], x[2 * number + 1]
        total += gradients[:, b, :, None] * np.outer(whitney + bubble, lam[a])
        total += gradients[:, a, :, None] * np.outer(bubble - whitney, lam[b])
    return total


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


def _edge_numbers(complex_: TetComplex) -> Callable[[Indices, Indices], Indices]:
    """(a, b) ↦ number of the edge a < b."""
    nodes = complex_.mesh.nvertices
    key = complex_.edges[0] * nodes + complex_.edges[1]  # ascending, as the edges are
    return lambda a, b: np.searchsorted(key, a.astype(np.int64) * nodes + b)


def _face_of_edges(complex_: TetComplex, edges: Indices, faces: Indices) -> Indices:
    """For each boundary edge the position in `faces` of one face that has it."""
    vertices = np.sort(complex_.mesh.facets[:, faces], axis=0)
    number_of, face_of = _edge_numbers(complex_), np.zeros(complex_.edges.shape[1], dtype=int)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        face_of[number_of(vertices[a], vertices[b])] = np.arange(len(faces))
    return face_of[edges]
