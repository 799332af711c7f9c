"""scikit-fem assembly and a direct solve: for small meshes, and the oracle of every fast path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from base.errors import UserError
from fem import elements, meshes
from fem.rules.cell_rules import CellRule, edge_integrals, hex_rules, tet_rules
from fem.solvers.direct import solve_direct
from fem.spaces import PLAIN, Array, Field, How, Line, LinearSolve

# Gauss points per direction, degree 2q − 1, on few cells and on many (from n = 3). Five
# digits need degree 4 in the load and 8 in the error where n ≤ 4; the margin is for `helix`, which
# oscillates, and for n = 1 (the L² error of hexN0 still moves by 3e-5 between q = 4 and 5).
FEW_CELLS = 64
LOAD_POINTS = (7, 5)
ERROR_POINTS = (7, 5)
CHUNK_POINTS = 400_000  # a Basis stores values and curls at all points: 288 bytes per point and tet
ENTITIES_PER_CELL = {"tet": (1 / 6, 7 / 6, 2, 1), "hex": (1, 3, 3, 1)}  # nodes, edges, faces, cells


@dataclass(frozen=True)
class AssembledSpace:
    """Any element with a scikit-fem reference, on the cube (n) or on a mesh."""

    element: str
    n: int | None = None
    mesh: Any = None

    @cached_property
    def _declared(self) -> elements.Element:
        return elements.get(self.element)

    @cached_property
    def _mesh(self) -> Any:
        return self.mesh if self.n is None else meshes.cube(self.n, self._declared.cell)

    @cached_property
    def _reference(self) -> Any:
        if self._declared.reference is None:
            raise UserError(f"element {self.element} has no scikit-fem form to assemble")
        return self._declared.reference()

    @cached_property
    def _dofs(self) -> Any:
        from skfem import Dofs

        return Dofs(self._mesh, self._reference)

    @property
    def dofs(self) -> int:
        return int(self._dofs.N)

    @cached_property
    def h(self) -> float:
        return meshes.diameter(self._mesh.p, self._mesh.t)

    def predicted_bytes(self, threads: int = 1) -> int:
        """Chunks of the bases, and fill-in of the factors: 48 to 58 dofs^1.5 bytes, n = 8 to 14."""
        cells = self.mesh.t.shape[1] if self.n is None else self._declared.cells(self.n)
        element = self._reference
        counts = (element.nodal_dofs, element.edge_dofs, element.facet_dofs, element.interior_dofs)
        dofs = cells * float(np.dot(ENTITIES_PER_CELL[self._declared.cell], counts))
        points = min(CHUNK_POINTS, 1000 * cells)
        return int(100 * points * len(element.doflocs) + 80 * dofs**1.5)

    def _bases(self, rules: list[CellRule]) -> Iterator[Any]:
        """Bases over chunks of cells, with shared dofs and mapping."""
        from skfem import Basis

        everything = np.arange(self._mesh.t.shape[1])
        mapping = self._mesh.mapping()
        for rule in rules:
            cells = everything[rule.cells]
            per_chunk = max(1, CHUNK_POINTS // rule.weights.size)
            for chunk in np.array_split(cells, -(-cells.size // per_chunk)):
                yield Basis(
                    self._mesh,
                    self._reference,
                    mapping=mapping,
                    quadrature=(rule.points, rule.weights),
                    elements=chunk,
                    dofs=self._dofs,
                    disable_doflocs=True,
                )

    def _rules(self, points: tuple[int, int], singular_edge: Line | None = None) -> list[CellRule]:
        q = points[self._mesh.t.shape[1] >= FEW_CELLS]
        make = tet_rules if self._declared.cell == "tet" else hex_rules
        return make(self._mesh.p, self._mesh.t, q, singular_edge)

    @cached_property
    def matrix(self) -> Any:
        """(curl v_j, curl v_i) + (v_j, v_i)."""
        from skfem import BilinearForm
        from skfem.helpers import curl, dot

        q = self._reference.maxdeg + 1  # exact to twice the degree of the element
        form = BilinearForm(lambda u, v, w: dot(curl(u), curl(v)) + dot(u, v))
        return csc_array(sum(form.assemble(basis) for basis in self._bases(self._rules((q, q)))))

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Array:
        from skfem import LinearForm
        from skfem.helpers import curl, dot

        form = LinearForm(lambda v, w: dot(curl_u(w.x), curl(v)) + dot(u(w.x), v))
        bases = self._bases(self._rules(LOAD_POINTS, how.singular_edge))
        return np.asarray(sum(form.assemble(basis) for basis in bases))

    def solve(self, b: Array, how: How = PLAIN) -> LinearSolve:
        return solve_direct(self.matrix, b, how.tol)

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        value = curl = 0.0
        for basis in self._bases(self._rules(ERROR_POINTS, how.singular_edge)):
            u_h = basis.interpolate(x)
            points = basis.global_coordinates().value
            value += float((((u(points) - u_h.value) ** 2).sum(axis=0) * basis.dx).sum())
            curl += float((((curl_u(points) - u_h.curl) ** 2).sum(axis=0) * basis.dx).sum())
        return value**0.5, (value + curl) ** 0.5

    def evaluate(self, x: Array, points: Array) -> Array:
        return self._at(x, points, "value")

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        return self._at(x, points, "curl")

    def _at(self, x: Array, points: Array, what: str) -> Array:
        flat = np.asarray(points, float).reshape(3, -1)
        mapping = self._mesh.mapping()
        try:
            cells = self._mesh.element_finder(mapping)(*flat)
        except ValueError as error:
            raise UserError(f"a point lies outside the mesh ({error})") from error
        local = mapping.invF(flat[:, :, None], tind=cells)
        result = np.zeros_like(flat)
        for i in range(len(self._reference.doflocs)):
            basis = self._reference.gbasis(mapping, local, i, tind=cells)[0]
            result += x[self._dofs.element_dofs[i, cells]] * getattr(basis, what)[:, :, 0]
        return result.reshape(np.shape(points))

    def interpolate(self, u: Field) -> Array:
        """Edge integrals, for elements whose dofs they are."""
        return edge_integrals(u, self._mesh.p, self._mesh.edges.T)
