"""Face terms of the estimator: jumps across inner faces, misfits of the data on natural ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.spaces import Array
from fem.spaces.tets import tables
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.faces import on_faces, triangle_rule

FACE_POINTS = 3  # per direction: degree 4, the square of what jumps for order 1
INWARDS = 1e-7  # of the way from a face to the middle of its cell
FACES_AT_ONCE = 1 << 15


def halved_jumps(
    problem: BoundaryValueProblem, solution: BoundaryValueSolution
) -> tuple[Indices, Array]:
    """Cells, and ½ h_F (‖[n × φ curl u_h]‖² + ‖[n·u_h]‖²) of an inner face, once per side."""
    complex_ = solution.complex
    mesh = complex_.mesh
    inner = np.flatnonzero(mesh.f2t[1] >= 0)
    lam, weights = triangle_rule(FACE_POINTS)
    squares = np.zeros(len(inner))
    for start in range(0, len(inner), FACES_AT_ONCE):
        part = slice(start, start + FACES_AT_ONCE)
        faces = inner[part]
        corners = mesh.p[:, np.sort(mesh.facets[:, faces], axis=0)]
        where = np.einsum("dvf,vq->dfq", corners, lam)
        sides = [mesh.f2t[side, faces] for side in (0, 1)]
        first, second = (_on_faces(complex_, solution.x, faces, cells, lam) for cells in sides)
        phi = [problem.phi(_inwards(mesh, cells, where)) for cells in sides]
        value, curl = first[0] - second[0], phi[0] * first[1] - phi[1] * second[1]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], axis=0)
        area = np.linalg.norm(normal, axis=0) / 2.0
        n = (normal / (2.0 * area))[:, :, None]
        jump = (np.cross(n, curl, axis=0) ** 2).sum(axis=0) + (n * value).sum(axis=0) ** 2
        squares[part] = np.sqrt(area) * area * (jump @ weights) / 2.0
    return mesh.f2t[:, inner].ravel(), np.tile(squares, 2)


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


def _on_faces(
    complex_: TetComplex, x: Array, faces: Indices, cells: Indices, lam: Array
) -> tuple[Array, Array]:
    """u_h and curl u_h of the given cells at points of one face each, (3, faces, points)."""
    mesh = complex_.mesh
    value, curl = np.zeros((2, 3, len(faces), lam.shape[1]))
    for local, vertices in enumerate(tables.FACETS):
        here = np.flatnonzero(mesh.t2f[local, cells] == faces)
        bary = np.zeros((lam.shape[1], 4))
        bary[:, vertices] = lam.T  # both sides list a face's vertices in ascending order
        value[:, here] = complex_.values(x, cells[here], bary)
        curl[:, here] = complex_.curls(x, cells[here], bary)
    return value, curl
