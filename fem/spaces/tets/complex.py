"""Nédélec elements and their potentials on any tetrahedral mesh: spaces, gradient, matrices.

A `TetComplex` is one step of the discrete de Rham complex, grad : S_h → V_h, with V_h the Nédélec
space of order 0 or 1 and S_h the Lagrange space of degree 1 or 2. Because grad S_h ⊂ V_h, every
form with a potential in it is a product with the sparse matrix G of the gradient: (∇p, v) = M G p,
(∇p, ∇q) = Gᵀ M G. The weights of the matrices are free, which is the difference from the
best approximation (weight 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fem import meshes
from fem.boundary_value import Natural
from fem.rules.cell_rules import tet_rules
from fem.rules.reference_tets import collapsed_tet
from fem.spaces import PLAIN, Array, Field, How, Line
from fem.spaces.tets import tables
from fem.spaces.tets.faces import edges_of, natural_faces

if TYPE_CHECKING:  # loaded where they are needed
    from skfem import MeshTet

    from fem.meshes.locate import Locator

CELLS_AT_ONCE = 4096
POINTS_AT_ONCE = 1 << 16
Indices = NDArray[np.integer[Any]]
LocalMatrices = Callable[[Indices], Array]  # cells -> (cells, functions, functions)


class BarycentricRule(NamedTuple):
    """∫_T f ≈ |T| Σ_q weights_q f(Σ_v lam_qv x_v); the weights add up to one."""

    lam: Array  # (points, 4)
    weights: Array


def barycentric(points: Array, weights: Array) -> BarycentricRule:
    """A rule of `fem.rules.cell_rules` on the reference cell, points (3, Q)."""
    lam = np.column_stack([1.0 - points.sum(axis=0), points.T])
    return BarycentricRule(lam, 6.0 * weights)


@dataclass(frozen=True, eq=False)
class TetComplex:
    """V_h and S_h on a mesh whose cells list their vertices in ascending order."""

    mesh: MeshTet
    order: int
    natural_faces: Indices = field(default_factory=lambda: np.zeros(0, dtype=int))

    @classmethod
    def on(cls, mesh: MeshTet, order: int = 0, natural: Natural | None = None) -> TetComplex:
        """The complex on any mesh; sorting the vertices of a cell changes only its orientation."""
        from skfem import MeshTet

        ordered = MeshTet(mesh.p, np.sort(mesh.t, axis=0))
        return cls(ordered, order, natural_faces(ordered, natural))

    @cached_property
    def _edge_tables(self) -> tuple[Indices, Indices]:
        t, nodes = self.mesh.t.astype(np.int64), self.mesh.p.shape[1]
        pairs = t[tables.EDGES[:, 0]] * nodes + t[tables.EDGES[:, 1]]
        keys, numbers = np.unique(pairs, return_inverse=True)
        return np.stack(np.divmod(keys, nodes)), numbers.reshape(pairs.shape)

    # Vertices (2, edges), the lower number first, as scikit-fem counts them, 2 to 6 times
    # faster; the edges of every cell, (6, cells).
    edges = property(lambda self: self._edge_tables[0])
    cell_edges = property(lambda self: self._edge_tables[1])

    @property
    def dofs(self) -> int:
        edges = self.edges.shape[1]
        return 2 * (edges + self.mesh.nfacets) if self.order else edges  # faces take time to find

    @cached_property
    def h(self) -> float:
        return meshes.diameter(self.mesh.p, self.mesh.t)

    @property
    def data_points(self) -> int:
        """Gauss points per direction for data: the coarser the mesh, the more."""
        cells = self.mesh.nelements
        return 6 if cells < 1000 else 4 if cells < 60_000 else 3

    @cached_property
    def element_dofs(self) -> Indices:
        """(functions, cells): global numbers of V_h, as scikit-fem counts them."""
        if self.order == 0:
            return self.cell_edges
        faces = 2 * self.edges.shape[1] + 2 * self.mesh.t2f
        return np.concatenate([_pairs(2 * self.cell_edges), _pairs(faces)])

    @cached_property
    def scalar_dofs(self) -> Indices:
        """(functions, cells): global numbers of S_h, vertices first, then edges."""
        if self.order == 0:
            return self.mesh.t
        return np.concatenate([self.mesh.t, self.mesh.nvertices + self.cell_edges])

    @cached_property
    def gradient(self) -> sp.csr_matrix:
        """G: coefficients of p ∈ S_h to those of ∇p ∈ V_h."""
        edges = self.edges
        number = np.arange(edges.shape[1])
        ones = np.ones(len(number))
        rows = 2 * number if self.order else number
        entries = [(-ones, rows, edges[0]), (ones, rows, edges[1])]
        scalars = self.mesh.nvertices
        if self.order:
            entries.append((ones, rows + 1, scalars + number))
            scalars += len(number)
        data, i, j = (np.concatenate(part) for part in zip(*entries, strict=True))
        return sp.csr_matrix((data, (i, j)), shape=(self.dofs, scalars))

    @cached_property
    def essential_faces(self) -> Indices:
        """Boundary faces on which u × n is given."""
        return np.setdiff1d(self.mesh.boundary_facets(), self.natural_faces)

    @cached_property
    def essential_edges(self) -> Indices:
        return edges_of(self, self.essential_faces)

    @cached_property
    def boundary_dofs(self) -> Indices:
        """The dofs of the tangential trace."""
        edges = self.essential_edges
        if self.order == 0:
            return edges
        faces = 2 * self.edges.shape[1] + 2 * self.essential_faces
        return np.concatenate([2 * edges, 2 * edges + 1, faces, faces + 1])

    @cached_property
    def boundary_scalars(self) -> Indices:
        nodes = np.unique(self.mesh.facets[:, self.essential_faces])
        if self.order == 0:
            return nodes
        return np.concatenate([nodes, self.mesh.nvertices + self.essential_edges])

    @cached_property
    def geometry(self) -> tuple[Array, Array]:
        """∇λ of every cell, (cells, 4, 3), and the volumes."""
        frames, determinants = self._frames
        gradients = np.empty((len(frames), 4, 3))
        gradients[:, 1:] = np.linalg.inv(frames.transpose(0, 2, 1))
        gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
        return gradients, abs(determinants) / 6.0

    @cached_property
    def _frames(self) -> tuple[Array, Array]:
        """The edges from the first vertex of every cell, (cells, edge, 3), and determinants."""
        corners = self.mesh.p.T[self.mesh.t.T]  # (cells, 4, 3)
        frames = corners[:, 1:] - corners[:, :1]
        return frames, np.linalg.det(frames)

    def curl_directions(self, cells: Any) -> Array:
        """∇λ_v × ∇λ_w in the order of PAIRS, (cells, 6, 3): the opposite edges over ±6 |T|."""
        frames, determinants = self._frames
        return np.asarray(tables.OPPOSITE @ frames[cells] / determinants[cells][:, None, None])

    def points(self, cells: Any, rule: BarycentricRule) -> Array:
        """(3, cells, points)."""
        return np.asarray(self.mesh.p[:, self.mesh.t[:, cells].T] @ rule.lam.T)

    def mass(self) -> sp.csr_matrix:
        """M = (v_j, v_i), exactly: Σ_vw (∇λ_v·∇λ_w) ∫ T_iv T_jw."""
        return self._assemble(self._local_mass())

    def stiffness(self, phi: Field | None = None, points: int = 3) -> sp.csr_matrix:
        """K = (φ curl v_j, curl v_i); φ > 0 at the points of a Gauss rule, 1 if not given."""
        return self._assemble(self._local_stiffness(phi, points))

    def stiffness_and_mass(self, dense: bool = False) -> Any:
        """(curl v_j, curl v_i) + (v_j, v_i), exactly; a csr_matrix, or an array if `dense`."""
        stiffness, mass = self._local_stiffness(None, self.order + 1), self._local_mass()
        return self._assemble(lambda cells: stiffness(cells) + mass(cells), dense)

    def _local_mass(self) -> LocalMatrices:
        reference, functions = _mass_reference(self.order), len(self.element_dofs)

        def local(cells: Indices) -> Array:
            gradients, volumes = self.geometry[0][cells], self.geometry[1][cells]
            metric = gradients @ gradients.transpose(0, 2, 1) * volumes[:, None, None]
            return (metric.reshape(-1, 16) @ reference).reshape(-1, functions, functions)

        return local

    def _local_stiffness(self, phi: Field | None, points: int) -> LocalMatrices:
        rule, R = _curl_table(points, self.order)
        functions = len(R)
        R = R.reshape(-1, len(tables.PAIRS))

        def local(cells: Indices) -> Array:
            curls = R @ self.curl_directions(cells)
            weight = rule.weights * self.geometry[1][cells][:, None]
            if phi is not None:
                weight = weight * phi(self.points(cells, rule))
            curls = curls.reshape(len(cells), functions, len(rule.weights), 3)
            curls *= np.sqrt(weight)[:, None, :, None]
            curls = curls.reshape(len(cells), functions, -1)
            return curls @ np.swapaxes(curls, 1, 2)

        return local

    def load(
        self,
        f: Field,
        points: int = 4,
        singular_edge: Line | None = None,
        against_curls: Field | None = None,
    ) -> Array:
        """(f, v_i), plus (g, curl v_i) for a g `against_curls`."""
        b, (T, R) = np.zeros(self.dofs), _node_tables(self.order)
        for cells, rule in self.rules(points, singular_edge):
            where = self.points(cells, rule)
            weighted = tables.interpolants(rule.lam, self.order) * rule.weights
            local = _tested(f(where), weighted, T, self.geometry[0][cells])
            if against_curls is not None:
                weighted = rule.lam.T * rule.weights
                local += _tested(against_curls(where), weighted, R, self.curl_directions(cells))
            local *= self.geometry[1][cells]
            b += np.bincount(self.element_dofs[:, cells].ravel(), local.ravel(), len(b))
        return b

    def scalar_load(self, rho: Field, points: int = 4) -> Array:
        """(ρ, q_i) for q_i ∈ S_h."""
        b = np.zeros(self.gradient.shape[1])
        for cells, rule in self.rules(points):
            S = tables.scalar_values(rule.lam, self.order) * rule.weights
            values = rho(self.points(cells, rule)) * self.geometry[1][cells][:, None]
            b += np.bincount(
                self.scalar_dofs[:, cells].ravel(), (values @ S.T).T.ravel(), minlength=len(b)
            )
        return b

    def values(self, x: Array, cells: Any, lam: Array) -> Array:
        """u_h at barycentric points of the cells, (3, cells, points): its values at the nodes of
        polynomials of its degree, and their interpolants."""
        T = _node_tables(self.order)[0]
        at_nodes = np.einsum("ic,inv->cnv", x[self.element_dofs[:, cells]], T, optimize=True)
        at_nodes = np.moveaxis(at_nodes @ self.geometry[0][cells], -1, 0)
        return np.asarray(at_nodes @ tables.interpolants(lam, self.order))

    def curls(self, x: Array, cells: Any, lam: Array) -> Array:
        """curl u_h at barycentric points of the cells, (3, cells, points): it is linear."""
        R = _node_tables(self.order)[1]
        at_vertices = np.einsum("ic,inp->cnp", x[self.element_dofs[:, cells]], R, optimize=True)
        return np.asarray(np.moveaxis(at_vertices @ self.curl_directions(cells), -1, 0) @ lam.T)

    @cached_property
    def _locator(self) -> Locator:
        from fem.meshes.locate import Locator
        from fem.meshes.tets import Tets

        return Locator.of(Tets.of(self.mesh))

    def locate(self, points: Array) -> tuple[Indices, Array]:
        """The cell of each point (3, N) and its barycentric coordinates there, (N, 4)."""
        return self._locator.locate(points)

    def evaluate(self, x: Array, points: Array) -> Array:
        """u_h at points (3, …)."""
        return self._at_points(x, points, curl=False)

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        """curl u_h at points (3, …)."""
        return self._at_points(x, points, curl=True)

    def _at_points(self, x: Array, points: Array, curl: bool) -> Array:
        flat = np.asarray(points, dtype=float).reshape(3, -1)
        result = np.empty_like(flat)
        table = tables.nedelec_curls if curl else tables.nedelec_values
        for start in range(0, flat.shape[1], POINTS_AT_ONCE):
            chunk = slice(start, start + POINTS_AT_ONCE)
            cells, lam = self.locate(flat[:, chunk])
            directions = self.curl_directions(cells) if curl else self.geometry[0][cells]
            weights = np.einsum(
                "in,inv->nv", x[self.element_dofs[:, cells]], table(lam, self.order)
            )
            result[:, chunk] = np.einsum("nv,nvd->dn", weights, directions)
        return result.reshape(np.shape(points))

    def errors(
        self, x: Array, u: Field, curl_u: Field, how: How = PLAIN, points: int | None = None
    ) -> tuple[float, float]:
        """‖u − u_h‖ in L² and in H(curl), by `points` Gauss points per direction."""
        value = curl = 0.0
        for cells, rule in self.rules(points or self.data_points + 1, how.singular_edge):
            where = self.points(cells, rule)
            weights = rule.weights * self.geometry[1][cells][:, None]
            difference = u(where) - self.values(x, cells, rule.lam)
            value += float(np.einsum("dcq,dcq,cq->", difference, difference, weights))
            difference = curl_u(where) - self.curls(x, cells, rule.lam)
            curl += float(np.einsum("dcq,dcq,cq->", difference, difference, weights))
        return value**0.5, (value + curl) ** 0.5

    def rules(
        self, points: int, singular_edge: Line | None = None
    ) -> Iterator[tuple[Indices, BarycentricRule]]:
        """Batches of cells with the rule that suits them."""
        everything = np.arange(self.mesh.nelements)
        for cell_rule in tet_rules(self.mesh.p, self.mesh.t, points, singular_edge):
            cells = everything[cell_rule.cells]
            rule = barycentric(cell_rule.points, cell_rule.weights)
            batch = max(1, CELLS_AT_ONCE * 27 // len(rule.weights))
            for start in range(0, len(cells), batch):
                yield cells[start : start + batch], rule

    def _assemble(self, local: LocalMatrices, dense: bool = False) -> Any:
        """Sum local matrices; batches keep the triplets of order 1 below 1 GB."""
        total, shape = None, (self.dofs, self.dofs)
        functions = len(self.element_dofs)
        batch = 24_000_000 // functions**2
        for start in range(0, self.mesh.nelements, batch):
            cells = np.arange(start, min(start + batch, self.mesh.nelements))
            parts = [
                local(cells[i : i + CELLS_AT_ONCE]) for i in range(0, len(cells), CELLS_AT_ONCE)
            ]
            data = np.concatenate(parts).ravel()
            dofs = self.element_dofs[:, cells].T.astype(np.int32)
            i, j = dofs[:, :, None], dofs[:, None]
            if dense:
                place = (i * self.dofs + j).ravel()
                return np.bincount(place, data, self.dofs**2).reshape(shape)
            places = tuple(index.ravel() for index in np.broadcast_arrays(i, j))
            part = sp.csr_matrix((data, places), shape=shape)
            total = part if total is None else total + part
        return total


def _tested(values: Array, polynomials: Array, table: Array, directions: Array) -> Array:
    """Integrals (functions, cells) of values (3, cells, points) against functions that are given by
    their table at nodes, (functions, nodes, columns), and the directions (cells, columns, 3);
    polynomials (nodes, points): the interpolants of the nodes, times the weights of the rule."""
    moments = (values @ polynomials.T).transpose(1, 0, 2)  # (cells, 3, nodes)
    along = (directions @ moments).reshape(len(directions), -1)  # columns, then nodes
    return np.swapaxes(table, 1, 2).reshape(len(table), -1) @ along.T


@cache
def _node_tables(order: int) -> tuple[Array, Array]:
    """Functions at the `nodes`, and their curls, which are linear, at the vertices."""
    T = tables.nedelec_values(tables.nodes(order), order)
    return T, tables.nedelec_curls(np.eye(4), order)


@cache
def _curl_table(points: int, order: int) -> tuple[BarycentricRule, Array]:
    rule = barycentric(*collapsed_tet(points, ()))
    return rule, tables.nedelec_curls(rule.lam, order)


@cache
def _mass_reference(order: int) -> Array:
    """∫ T_iv T_jw over a cell of volume 1, (16, functions²)."""
    rule = barycentric(*collapsed_tet(order + 2, ()))
    T = tables.nedelec_values(rule.lam, order)
    return np.einsum("q,iqv,jqw->vwij", rule.weights, T, T).reshape(16, -1)


def _pairs(first: Indices) -> Indices:
    """Rows first, first + 1, interleaved."""
    return np.stack([first, first + 1], axis=1).reshape(-1, first.shape[1])
