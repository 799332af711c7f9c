"""Nodal elements P1³ on tetrahedra for the boundary-value problem: the classical wrong answer.

    (φ curl u_h, curl v) + (w div u_h, div v) = (f, v) + (w ρ, div v) + ⟨φ curl u × n, v⟩

over continuous fields with the given tangential components (on natural faces: normal component),
component by component, hence on faces parallel to two axes. No multiplier is needed, and at a
re-entrant edge the limit is not u: the H¹ fields are a closed proper subspace of H(curl) ∩ H(div)
(Costabel 1991). With w = r^{2a}, 1/3 < a ≤ 1, it is u again (Costabel, Dauge 2002).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from base.errors import UserError
from fem.boundary_value import BoundaryValueProblem
from fem.fields import positive
from fem.spaces import PLAIN, Array, Field, How
from fem.spaces.tets.complex import Indices, TetComplex
from fem.spaces.tets.faces import on_faces, outer_normals

ALIGNED = 1e-9


@dataclass(frozen=True, eq=False)
class NodalTets:
    """Coefficients are the values at the nodes, component by component: (3, nodes), flat."""

    complex: TetComplex

    @property
    def dofs(self) -> int:
        return 3 * int(self.complex.mesh.nvertices)

    @property
    def h(self) -> float:
        return self.complex.h

    def matrix(self, problem: BoundaryValueProblem) -> sp.csr_matrix:
        """Per cell |T| (φ̄ (δ_de g_i·g_j − g_ie g_jd) + w̄ g_id g_je) for λ_i e_d and λ_j e_e."""
        gradients, volumes = self.complex.geometry
        phi = self._means(positive(problem.phi), problem) * volumes
        weight = volumes.copy()
        if problem.div_weight is not None:
            weight = self._means(problem.div_weight, problem) * volumes
        cross = np.einsum("cid,cje->cdiej", gradients, gradients)
        local = weight[:, None, None, None, None] * cross
        local -= phi[:, None, None, None, None] * np.swapaxes(cross, 1, 3)
        squares = np.einsum("c,cik,cjk->cij", phi, gradients, gradients)
        for d in range(3):
            local[:, d, :, d, :] += squares
        dofs = self._cell_dofs().reshape(-1, 12)
        rows, columns = np.repeat(dofs, 12, axis=1), np.tile(dofs, (1, 12))
        data = local.reshape(-1, 144)
        shape = (self.dofs, self.dofs)
        return sp.csr_matrix((data.ravel(), (rows.ravel(), columns.ravel())), shape=shape)

    def load(self, problem: BoundaryValueProblem) -> Array:
        b = np.zeros((3, self.complex.mesh.nvertices))
        t = self.complex.mesh.t
        for cells, rule in self.complex.rules(self.complex.data_points, problem.singular_edge):
            x = self.complex.points(cells, rule)
            weights = rule.weights * self.complex.geometry[1][cells][:, None]
            local = np.einsum("dcq,cq,qv->dvc", problem.f(x), weights, rule.lam)
            if problem.rho is not None:
                w = 1.0 if problem.div_weight is None else problem.div_weight(x)
                charge = (w * problem.rho(x) * weights).sum(axis=1)
                local += np.einsum("c,cvd->dvc", charge, self.complex.geometry[0][cells])
            for d in range(3):
                np.add.at(b[d], t[:, cells], local[d])
        if problem.natural is not None:
            faces = self.complex.natural_faces
            for part in on_faces(self.complex, faces, problem.singular_edge):
                data = problem.natural.curl(part.x, part.normal) * part.weights
                for d in range(3):
                    np.add.at(b[d], t[:, part.cells], (data[d] @ part.lam).T)
        return b.ravel()

    def held(self, problem: BoundaryValueProblem) -> tuple[Indices, Array]:
        """Which coefficients the boundary gives, and their values: the tangential components, and
        the normal one on natural faces."""
        mesh, values = self.complex.mesh, np.full((3, self.complex.mesh.nvertices), np.nan)
        for natural, faces in (
            (None, self.complex.essential_faces),
            (problem.natural, self.complex.natural_faces),
        ):
            normals = outer_normals(mesh, faces)
            axis = _axes(normals)
            for nodes in mesh.facets[:, faces]:
                x = mesh.p[:, nodes]
                if natural is not None:
                    sign = np.take_along_axis(normals, axis[None], axis=0)[0]
                    values[axis, nodes] = sign * natural.normal(x, normals)
                    continue
                u = np.cross(normals, problem.g(x, normals), axis=0)
                for d in range(3):
                    across = axis != d
                    values[d, nodes[across]] = u[d, across]
        flat = values.ravel()
        fixed = np.flatnonzero(~np.isnan(flat))
        return fixed, flat[fixed]

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        complex_ = self.complex
        value = curl = 0.0
        for cells, rule in complex_.rules(complex_.data_points + 1, how.singular_edge):
            where = complex_.points(cells, rule)
            weights = rule.weights * complex_.geometry[1][cells][:, None]
            rest = u(where) - np.einsum("dvc,qv->dcq", self._local(x, cells), rule.lam)
            value += float(np.einsum("dcq,dcq,cq->", rest, rest, weights))
            rest = curl_u(where) - self._curls(x, cells)[:, :, None]
            curl += float(np.einsum("dcq,dcq,cq->", rest, rest, weights))
        return value**0.5, (value + curl) ** 0.5

    def evaluate(self, x: Array, points: Array) -> Array:
        cells, lam = self.complex.locate(np.reshape(points, (3, -1)))
        return np.einsum("dvn,nv->dn", self._local(x, cells), lam).reshape(np.shape(points))

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        cells, _ = self.complex.locate(np.reshape(points, (3, -1)))
        return self._curls(x, cells).reshape(np.shape(points))

    def _local(self, x: Array, cells: Indices) -> Array:
        """Values at the vertices of cells, (3, 4, cells)."""
        return x.reshape(3, -1)[:, self.complex.mesh.t[:, cells]]

    def _curls(self, x: Array, cells: Indices) -> Array:
        slopes = np.einsum("dvc,cve->edc", self._local(x, cells), self.complex.geometry[0][cells])
        return np.stack(
            [slopes[(c + 1) % 3, (c + 2) % 3] - slopes[(c + 2) % 3, (c + 1) % 3] for c in range(3)]
        )

    def _cell_dofs(self) -> Indices:
        """(cells, 3, 4)."""
        mesh = self.complex.mesh
        return mesh.t.T[:, None, :] + mesh.nvertices * np.arange(3)[None, :, None]

    def _means(self, scalar: Any, problem: BoundaryValueProblem) -> Array:
        """Over every cell."""
        found = np.zeros(self.complex.mesh.nelements)
        for cells, rule in self.complex.rules(self.complex.data_points, problem.singular_edge):
            found[cells] = scalar(self.complex.points(cells, rule)) @ rule.weights
        return found


def _axes(normals: Array) -> Indices:
    """The axis of each normal (3, faces)."""
    if (abs(normals).max(axis=0) < 1.0 - ALIGNED).any():
        raise UserError(
            "nodal elements take boundary values component by component: the faces of the mesh "
            "must be parallel to two axes; use N0"
        )
    return np.asarray(abs(normals).argmax(axis=0))
