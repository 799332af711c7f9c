"""Boundary data in the traces of Nédélec's space on bricks: the tensor product of two projections.

On a face the component u_d is projected in L² on Q along x_d and interpolated in V across (`Axis.
sampling`). On an edge that sees the edge alone, so that neighbours agree; and gradients go to
gradients: the projection of ∂ψ is the derivative of the interpolant of ψ.
"""

from __future__ import annotations

import numpy as np

from fem.spaces import Array, Line
from fem.spaces.bricks.mesh import BrickMesh, Face
from fem.spaces.bricks.tensor import Scalar, gradient
from fem.spaces.tets.dofs import Trace, tangential


def trace_coefficients(
    mesh: BrickMesh, g: Trace, potential: Scalar | None = None, singular_edge: Line | None = None
) -> Array:
    """Coefficients, zero beyond the held functions, of any u with u × n = g + ∇ψ × n."""
    x = np.zeros(mesh.grid_dofs)
    parts = mesh.split(x)
    for face in mesh.essential_faces:
        points, samplings = _sampled(mesh, face, singular_edge)
        normal = np.zeros((3, 1))
        normal[face.axis] = face.sign
        u = tangential(g, normal)(points.reshape(3, 1, -1)).reshape(points.shape)
        for d in {0, 1, 2} - {face.axis}:
            first, second = (samplings[k][0 if k == d else 1] for k in range(3) if k != face.axis)
            values = first @ u[d] @ second.T
            parts[d][mesh.face_index(face, d)] = np.expand_dims(values, face.axis)
    if potential is not None:
        x += np.where(mesh.held_dofs, _gradient_of(mesh, potential, singular_edge), 0.0)
    return x


def _gradient_of(mesh: BrickMesh, psi: Scalar, singular_edge: Line | None) -> Array:
    """∇ of the interpolant of ψ on the held faces."""
    p = np.zeros(mesh.scalar_shape)
    for face in mesh.essential_faces:
        points, samplings = _sampled(mesh, face, singular_edge)
        first, second = (samplings[k][1] for k in range(3) if k != face.axis)
        values = first @ psi(points) @ second.T
        p[mesh.face_index(face, None)] = np.expand_dims(values, face.axis)
    D = [axis.derivative for axis in mesh.axes]
    return np.concatenate([part.ravel() for part in gradient(p, D)])


def _sampled(
    mesh: BrickMesh, face: Face, singular_edge: Line | None
) -> tuple[Array, dict[int, tuple[Array, Array]]]:
    """Points of a face, (3, first, second), and the matrices of each of its two axes."""
    towards = (*(singular_edge[:2] if singular_edge else (None, None)), None)
    lines, samplings = [], {}
    for k, axis in enumerate(mesh.axes):
        if k == face.axis:
            lines.append(axis.breaks[face.level : face.level + 1])
            continue
        points, onto_Q, onto_V = axis.sampling(face.brick[k], towards[k])
        lines.append(points)
        samplings[k] = (onto_Q, onto_V)
    grid = np.stack(np.meshgrid(*lines, indexing="ij"))
    return np.squeeze(grid, axis=face.axis + 1), samplings
