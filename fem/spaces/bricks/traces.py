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
        points, normal, samplings = sampled(mesh, face, singular_edge)
        given = tangential(g, normal[:, :1, 0])(points.reshape(3, 1, -1))
        u = given.reshape(points.shape)
        for d in face.across:
            first, second = (samplings[k][0 if k == d else 1] for k in face.across)
            values = first @ u[d] @ second.T
            parts[d][mesh.face_index(face, d)] = np.expand_dims(values, face.axis)
    if potential is not None:
        x += np.where(mesh.held_dofs, _gradient_of(mesh, potential, singular_edge), 0.0)
    return x


def _gradient_of(mesh: BrickMesh, psi: Scalar, singular_edge: Line | None) -> Array:
    """∇ of the interpolant of ψ on the held faces."""
    p = np.zeros(mesh.scalar_shape)
    for face in mesh.essential_faces:
        points, _, samplings = sampled(mesh, face, singular_edge)
        first, second = (samplings[k][1] for k in face.across)
        values = first @ psi(points) @ second.T
        p[mesh.face_index(face, None)] = np.expand_dims(values, face.axis)
    D = [axis.derivative for axis in mesh.axes]
    return np.concatenate([part.ravel() for part in gradient(p, D)])


def sampled(
    mesh: BrickMesh, face: Face, singular_edge: Line | None
) -> tuple[Array, Array, dict[int, tuple[Array, Array]]]:
    """Points and outer normals of a face, (3, first, second), and for each of its two axes the
    matrices onto Q and onto V."""
    towards = line_ends(singular_edge)
    lines, samplings = [], {}
    for k in face.across:
        points, onto_Q, onto_V = mesh.axes[k].sampling(face.brick[k], towards[k])
        lines.append(points)
        samplings[k] = (onto_Q, onto_V)
    return *mesh.face_points(face, *lines), samplings


def face_rule(
    mesh: BrickMesh, face: Face, singular_edge: Line | None
) -> tuple[Array, Array, dict[int, tuple[Array, Array]], Array]:
    """Gauss on a face: points and outer normals, the tables V and Q of its two axes, weights."""
    towards = line_ends(singular_edge)
    rules = {k: mesh.axes[k].gauss(face.brick[k], towards[k]) for k in face.across}
    tables = {k: mesh.axes[k].local_tables(face.brick[k], x) for k, (x, _) in rules.items()}
    (first, w_first), (second, w_second) = rules.values()
    return *mesh.face_points(face, first, second), tables, np.outer(w_first, w_second)


def line_ends(singular_edge: Line | None) -> tuple[float | None, float | None, None]:
    """Per axis the coordinate towards which its rules are graded."""
    return (None, None, None) if singular_edge is None else (*singular_edge, None)


def with_natural(mesh: BrickMesh, natural: Natural | None) -> BrickMesh:
    """The mesh with the sides of its grid on which natural conditions hold."""
    if natural is None:
        return mesh
    sides = set(mesh.natural)
    for face in mesh.boundary_faces():
        bricks = [(mesh.axes[k], face.brick[k]) for k in face.across]
        first, second = (axis.breaks[[i]] + axis.lengths[[i]] / 2 for axis, i in bricks)
        if np.all(natural.where(*mesh.face_points(face, first, second))):
            if face.level not in (0, mesh.axes[face.axis].intervals):
                raise UserError(
                    "bricks take natural conditions on the outer sides of their grid only"
                )
            sides.add((face.axis, int(face.level > 0)))
    chosen = BrickMesh.of(mesh.axes, mesh.mask, sides)
    if not chosen.essential_faces:
        raise UserError("u × n is given nowhere; exclude at least one face from the natural ones")
    return chosen


def natural_loads(
    mesh: BrickMesh, natural: Natural, singular_edge: Line | None
) -> tuple[Array, Array]:
    """⟨φ curl u × n, v⟩ and ⟨u·n, q⟩ over the natural faces, for all functions of the grid."""
    vectors, scalars = np.zeros(mesh.grid_dofs), np.zeros(mesh.scalar_shape)
    parts = mesh.split(vectors)
    for face in mesh.natural_faces:
        x, normal, tables, weights = face_rule(mesh, face, singular_edge)
        data = natural.curl(x, normal) * weights
        for d in face.across:
            left, right = (tables[k][1 if k == d else 0] for k in face.across)
            values = left.T @ data[d] @ right
            parts[d][mesh.face_index(face, d)] += np.expand_dims(values, face.axis)
        left, right = (tables[k][0] for k in face.across)
        values = left.T @ (natural.normal(x, normal) * weights) @ right
        scalars[mesh.face_index(face, None)] += np.expand_dims(values, face.axis)
    return vectors, scalars.ravel()
