"""Face terms of the estimator: jumps across inner faces, misfits of the data on natural ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.spaces import Array
from fem.spaces.tets import tables
from fem.spaces.tets.complex import CELLS_AT_ONCE, Indices, TetComplex
from fem.spaces.tets.faces import on_faces, triangle_rule

FACE_POINTS = 3  # per direction on natural faces: degree 4, the square of what jumps for order 1
INWARDS = 1e-7  # of the way from a face to the middle of its cell
SAME = 1e-5  # φ of the two sides agrees up to this relative difference
OPPOSITE = [int(np.setdiff1d(range(4), corners)[0]) for corners in tables.FACETS]


def halved_jumps(problem: BoundaryValueProblem, solution: BoundaryValueSolution) -> Array:
    """½ Σ_F h_F (‖[n × φ curl u_h]‖² + ‖[n·u_h]‖²) of every cell, over its inner faces F.

    With outward normals a jump is the sum of what the two cells of a face see.
    """
    complex_ = solution.complex
    mesh = complex_.mesh
    lam, weights = triangle_rule(complex_.order + 2)
    value, curl = _both_sides(complex_, solution.x, lam)
    squares = np.zeros(mesh.nfacets)
    for start in range(0, mesh.nfacets, CELLS_AT_ONCE):
        part = slice(start, start + CELLS_AT_ONCE)
        corners = mesh.p[:, np.sort(mesh.facets[:, part], axis=0)]
        where = np.einsum("dvf,vq->dfq", corners, lam)
        phi = np.stack([problem.phi(_inwards(mesh, cells[part], where)) for cells in mesh.f2t])
        mean = phi.mean(axis=0)
        phi = np.where(abs(phi - mean) < SAME * mean, mean, phi)  # φ does not jump here
        turned = sum(p[:, :, None] * side[part] for p, side in zip(phi, curl, strict=True))
        jump = (turned**2).sum(axis=2) + value[part] ** 2
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], axis=0)
        squares[part] = (np.linalg.norm(normal, axis=0) / 2.0) ** 1.5 * (jump @ weights) / 2.0
    squares[mesh.f2t[1] < 0] = 0.0
    return np.asarray(squares[mesh.t2f].sum(axis=0))


def _both_sides(complex_: TetComplex, x: Array, lam: Array) -> tuple[Array, Array]:
    """Σ n·u_h (faces, points) over the cells of a face, and n × curl u_h (2, faces, points or 1, 3)
    of each, n outward; points are barycentric in the vertices of the face, which ascend."""
    mesh, points = complex_.mesh, lam.shape[1]
    bary = np.zeros((4, points, 4))
    for face, vertices in enumerate(tables.FACETS):
        bary[face][:, vertices] = lam.T
    T = tables.nedelec_values(bary.reshape(-1, 4), complex_.order)
    turns = points if complex_.order else 1  # curl u_h of order 0 is constant
    R = tables.nedelec_curls(bary[:, :turns].reshape(-1, 4), complex_.order)
    value, curl = np.zeros((2, mesh.nfacets, points)), np.zeros((2, mesh.nfacets, turns, 3))
    for start in range(0, mesh.nelements, CELLS_AT_ONCE):
        cells = np.arange(start, min(start + CELLS_AT_ONCE, mesh.nelements))
        gradients = complex_.geometry[0][cells]
        local = x[complex_.element_dofs[:, cells]].T
        outward = -gradients[:, OPPOSITE]
        outward /= np.linalg.norm(outward, axis=2, keepdims=True)
        at_points = (local @ T.reshape(len(T), -1)).reshape(len(cells), 4, points, 4)
        along = outward @ np.swapaxes(gradients, 1, 2)
        pairs = (local @ R.reshape(len(R), -1)).reshape(len(cells), -1, 6)
        turned = (pairs @ complex_.curl_directions(cells)).reshape(len(cells), 4, turns, 3)
        faces = mesh.t2f[:, cells].T
        side = (mesh.f2t[1][faces] == cells[:, None]).astype(int)
        value[side, faces] = np.einsum("cfqv,cfv->cfq", at_points, along)
        curl[side, faces] = np.cross(outward[:, :, None], turned)
    return value.sum(axis=0), curl


def _inwards(mesh: Any, cells: Indices, where: Array) -> Array:
    """Move points on faces a little into their cells: φ may jump from one cell to the next."""
    middle = mesh.p[:, mesh.t[:, cells]].mean(axis=1)
    return where + INWARDS * (middle[:, :, None] - where)


def natural_misfits(
    problem: BoundaryValueProblem, solution: BoundaryValueSolution
) -> Iterator[tuple[Indices, Array]]:
    """Cells, and h_F (‖φ curl (u_h − u) × n‖² + ‖(u_h − u)·n‖²) of a natural face."""
    complex_, natural = solution.complex, problem.natural
    if natural is None:
        return
    edge = problem.singular_edge
    for part in on_faces(complex_, complex_.natural_faces, edge, FACE_POINTS):
        flux = problem.phi(part.x) * complex_.curls(solution.x, part.cells, part.lam)
        curl = np.cross(flux, part.normal, axis=0) - natural.curl(part.x, part.normal)
        value = complex_.values(solution.x, part.cells, part.lam)
        normal = (value * part.normal).sum(axis=0) - natural.normal(part.x, part.normal)
        squares = ((curl**2).sum(axis=0) + normal**2) * part.weights
        size = np.sqrt(part.weights.sum(axis=1))
        yield part.cells, size * squares.sum(axis=1)
