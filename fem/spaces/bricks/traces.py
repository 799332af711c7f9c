"""Boundary data in the traces of Nédélec's space on bricks: the tensor product of two projections.

On a face the component u_d is projected in L² on Q along x_d and interpolated in V across (`Axis.
sampling`). On an edge that sees the edge alone, so that neighbours agree; and gradients go to
gradients: the projection of ∂ψ is the derivative of the interpolant of ψ.
"""

from __future__ import annotations

import numpy as np

from base.errors import UserError
from fem.boundary_value import Natural
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


def with_natural(mesh: BrickMesh, natural: Natural | None) -> BrickMesh:
    """The mesh with the sides of its grid on which natural conditions hold."""
    if natural is None:
        return mesh
    sides = set(mesh.natural)
    for face in mesh.boundary_faces():
        centre = np.array(
            [
                axis.breaks[i] + axis.lengths[i] / 2
                for axis, i in zip(mesh.axes, face.brick, strict=True)
            ]
        )
        centre[face.axis] = mesh.axes[face.axis].breaks[face.level]
        normal = np.zeros(3)
        normal[face.axis] = face.sign
        if np.all(natural.where(centre[:, None], normal[:, None])):
            if face.level not in (0, mesh.axes[face.axis].intervals):
                raise UserError(
                    "bricks bear natural conditions on the outer sides of their grid only"
                )
            sides.add((face.axis, int(face.level > 0)))
    chosen = BrickMesh.of(mesh.axes, mesh.mask, sides)
    if not chosen.essential_faces:
        raise UserError("u × n is given nowhere; leave one face at least out of the natural ones")
    return chosen


def natural_loads(
    mesh: BrickMesh, natural: Natural, singular_edge: Line | None
) -> tuple[Array, Array]:
    """⟨φ curl u × n, v⟩ and ⟨u·n, q⟩ over the natural faces, for all functions of the grid."""
    vectors, scalars = np.zeros(mesh.grid_dofs), np.zeros(mesh.scalar_shape)
    parts = mesh.split(vectors)
    towards = (*(singular_edge[:2] if singular_edge else (None, None)), None)
    for face in mesh.natural_faces:
        across = [k for k in range(3) if k != face.axis]
        rules = [mesh.axes[k].gauss(face.brick[k], towards[k]) for k in across]
        tables = {
            k: mesh.axes[k].local_tables(face.brick[k], x)
            for k, (x, _) in zip(across, rules, strict=True)
        }
        first, second = (
            axis.ravel() for axis in np.meshgrid(*(x for x, _ in rules), indexing="ij")
        )
        x = np.empty((3, first.size))
        x[face.axis] = mesh.axes[face.axis].breaks[face.level]
        x[across[0]], x[across[1]] = first, second
        normal = np.zeros_like(x)
        normal[face.axis] = face.sign
        weights = np.outer(rules[0][1], rules[1][1])
        data = natural.curl(x, normal).reshape(3, *weights.shape) * weights
        for d in across:
            left, right = (tables[k][1 if k == d else 0] for k in across)
            values = left.T @ data[d] @ right
            parts[d][mesh.face_index(face, d)] += np.expand_dims(values, face.axis)
        left, right = (tables[k][0] for k in across)
        values = left.T @ (natural.normal(x, normal).reshape(weights.shape) * weights) @ right
        scalars[mesh.face_index(face, None)] += np.expand_dims(values, face.axis)
    return vectors, scalars.ravel()
