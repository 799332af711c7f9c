"""N0 on any tetrahedral mesh: closed-form matrices, loads in chunks, CG with Hiptmair–Xu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from base.errors import UserError
from fem import meshes
from fem.meshes.locate import Locator
from fem.meshes.tets import LOCAL_EDGES, Ints, Tets
from fem.rules.cell_rules import edge_integrals, tet_rules
from fem.solvers import auxiliary_space
from fem.solvers.hiptmair_xu import HiptmairXu
from fem.spaces import PLAIN, Array, Field, How, LinearSolve
from fem.spaces.tets.local_matrices import curl_curl_mass
from fem.threads import each

CHUNK_POINTS = 1 << 16  # points at a time: arrays of 1.5 MB stay in cache
# Gauss points per direction for (load, error) up to so many cells; 1 is the four-point rule of
# degree 2. Measured: five digits need degrees 4 and 8 up to n = 4, 2 and 4 far beyond.
POINTS = ((6 * 6**3, 5, 7), (6 * 12**3, 3, 5), (6 * 24**3, 2, 4), (float("inf"), 1, 3))
BYTES_PER_CELL = 900  # 570 measured at n = 32; the rest is a margin


@dataclass(frozen=True)
class Chunk:
    """Some cells with the points of a rule: λ (4, Q) and weights (Q,) of unit sum."""

    cells: NDArray[np.int64]
    barycentric: Array
    weights: Array


class Load(NamedTuple):
    """The load vector, and the interpolant of u from which the solver starts: at n = 32 its
    residual is 3e-3 of the load, which saves 5 of 14 iterations. None: from zero."""

    vector: Array
    start: Array | None


@dataclass(frozen=True, eq=False)
class TetSpace:
    """Lowest-order Nédélec on the Kuhn cube (n) or on a scikit-fem tetrahedral mesh."""

    n: int | None = None
    mesh: Any = None

    @cached_property
    def tets(self) -> Tets:
        return Tets.of(self.mesh) if self.n is None else Tets.kuhn(self.n)

    @property
    def cells(self) -> int:
        return self.mesh.t.shape[1] if self.n is None else 6 * self.n**3

    @property
    def dofs(self) -> int:
        n = self.n
        return len(self.tets.edges) if n is None else 7 * n**3 + 9 * n**2 + 3 * n

    @cached_property
    def h(self) -> float:
        return meshes.diameter(self.tets.p, self.tets.t.T) if self.n is None else 3**0.5 / self.n

    def predicted_bytes(self, threads: int = 1) -> int:
        return BYTES_PER_CELL * self.cells + threads * 60 * CHUNK_POINTS * 8

    def load(self, u: Field, curl_u: Field, how: How = PLAIN) -> Any:
        """`Load`: (u, w_ab) = g_b·∫λ_a u − g_a·∫λ_b u, (curl u, curl w_ab) = 2 g_a×g_b·∫curl u."""

        def moments(chunk: Chunk) -> tuple[NDArray[np.int64], Array, Array]:
            points = self._points(chunk)
            against = (chunk.barycentric * chunk.weights).T
            return chunk.cells, u(points) @ against, curl_u(points) @ chunk.weights

        b = np.zeros(self.dofs)
        tets = self.tets
        for cells, values, curls in self._over_chunks(moments, "load", how):
            _scatter_load(cells, tets.cell_edges, tets.gradients, tets.volumes, values, curls, b)
        return Load(b, None if how.singular_edge else self._trapezoidal(u))

    def solve(self, b: Load | Array, how: How = PLAIN) -> LinearSolve:
        """From x0, else from the start of a `Load`, else from zero."""
        if isinstance(b, Load):
            b, start = b
            how = how if how.x0 is not None else replace(how, x0=start)
        matrix = curl_curl_mass(self.tets, threads=how.threads)
        return auxiliary_space.solve(matrix, b, HiptmairXu.build(matrix, self.tets), how)

    def _trapezoidal(self, u: Field) -> Array | None:
        """½ (u(a) + u(b))·(b − a) on every edge; None where u is not finite at a vertex."""
        try:
            with np.errstate(all="ignore"):
                values = u(self.tets.p)
        except UserError:
            return None
        result = _edge_means(self.tets.p, self.tets.edges, values)
        return result if np.isfinite(result).all() else None

    def errors(self, x: Array, u: Field, curl_u: Field, how: How = PLAIN) -> tuple[float, float]:
        def squares(chunk: Chunk) -> tuple[float, float]:
            points = self._points(chunk)
            nodal, curls = self._local(x, chunk.cells)
            difference = u(points) - nodal @ chunk.barycentric
            curl_difference = curl_u(points) - curls[:, :, None]
            volumes = self.tets.volumes[chunk.cells]
            return (
                float(volumes @ np.einsum("dcq,dcq,q->c", difference, difference, chunk.weights)),
                float(
                    volumes
                    @ np.einsum("dcq,dcq,q->c", curl_difference, curl_difference, chunk.weights)
                ),
            )

        parts = self._over_chunks(squares, "error", how)
        value, curl = np.sum(list(parts), axis=0)
        return float(value**0.5), float((value + curl) ** 0.5)

    def evaluate(self, x: Array, points: Array) -> Array:
        cells, barycentric = self._found(points)
        nodal, _ = self._local(x, cells)
        return np.einsum("dca,ca->dc", nodal, barycentric).reshape(np.shape(points))

    def evaluate_curl(self, x: Array, points: Array) -> Array:
        cells, _ = self._found(points)
        return self._local(x, cells)[1].reshape(np.shape(points))

    def interpolate(self, u: Field) -> Array:
        return edge_integrals(u, self.tets.p, self.tets.edges)

    @cached_property
    def _locator(self) -> Locator:
        return Locator.of(self.tets)

    def _found(self, points: Array) -> tuple[NDArray[np.int64], Array]:
        return self._locator.locate(np.asarray(points, float).reshape(3, -1))

    def _local(self, x: Array, cells: NDArray[np.int64]) -> tuple[Array, Array]:
        """u_h = Σ_a λ_a A_a on a cell: A (3, cells, 4), and curl u_h (3, cells)."""
        return _local_field(x, cells, self.tets.cell_edges, self.tets.gradients)

    def _points(self, chunk: Chunk) -> Array:
        return _points(self.tets.p, self.tets.t, chunk.cells, chunk.barycentric)

    def _over_chunks(self, work: Callable[[Chunk], Any], phase: str, how: How) -> Iterator[Any]:
        """work(chunk) over all cells, with the rule of the phase, "load" or "error"."""
        tets = self.tets
        load, error = next(points for limit, *points in POINTS if self.cells < limit)
        q = load if phase == "load" else error
        everything = np.arange(self.cells)
        chunks = []
        for rule in tet_rules(tets.p, tets.t.T, q, how.singular_edge):
            cells = everything[rule.cells]
            barycentric = np.vstack([1 - rule.points.sum(axis=0), rule.points])
            size = max(1, CHUNK_POINTS // rule.weights.size)
            chunks += [
                Chunk(cells[k : k + size], barycentric, 6 * rule.weights)
                for k in range(0, cells.size, size)
            ]
        for done, result in enumerate(each(work, chunks, how.threads), 1):
            how.report(phase, done, len(chunks))
            yield result


@njit(cache=True, nogil=True)
def _points(p: Array, t: Ints, cells: NDArray[np.int64], barycentric: Array) -> Array:
    result = np.empty((3, cells.size, barycentric.shape[1]))
    for k in range(cells.size):
        vertices = t[cells[k]]
        i, j = np.uint32(vertices[0]), np.uint32(vertices[1])
        m, n = np.uint32(vertices[2]), np.uint32(vertices[3])
        for d in range(3):
            a, b, c, e = p[d, i], p[d, j], p[d, m], p[d, n]
            for q in range(barycentric.shape[1]):
                first = a * barycentric[0, q] + b * barycentric[1, q]
                result[d, k, q] = first + c * barycentric[2, q] + e * barycentric[3, q]
    return result


@njit(cache=True, nogil=True)
def _edge_means(p: Array, edges: Ints, values: Array) -> Array:
    result = np.empty(len(edges))
    for e in range(len(edges)):
        a, b = np.uint32(edges[e, 0]), np.uint32(edges[e, 1])
        total = 0.0
        for d in range(3):
            total += (values[d, a] + values[d, b]) / 2 * (p[d, b] - p[d, a])
        result[e] = total
    return result


@njit(cache=True, nogil=True)
def _scatter_load(
    cells: NDArray[np.int64],
    cell_edges: Ints,
    gradients: Array,
    volumes: Array,
    values: Array,
    curls: Array,
    b: Array,
) -> None:
    for k in range(cells.size):
        c = cells[k]
        g = gradients[c]
        for i in range(6):
            a, d = LOCAL_EDGES[i]
            total = 0.0
            for m in range(3):
                n, o = (m + 1) % 3, (m + 2) % 3
                total += g[d, m] * values[m, k, a] - g[a, m] * values[m, k, d]
                total += 2 * (g[a, n] * g[d, o] - g[a, o] * g[d, n]) * curls[m, k]
            b[cell_edges[c, i]] += volumes[c] * total


@njit(cache=True, nogil=True)
def _local_field(
    x: Array, cells: NDArray[np.int64], cell_edges: Ints, gradients: Array
) -> tuple[Array, Array]:
    nodal = np.zeros((3, cells.size, 4))
    curls = np.zeros((3, cells.size))
    for k in range(cells.size):
        c = cells[k]
        g = gradients[c]
        for i in range(6):
            a, d = LOCAL_EDGES[i]
            value = x[cell_edges[c, i]]
            for m in range(3):
                n, o = (m + 1) % 3, (m + 2) % 3
                nodal[m, k, a] += value * g[d, m]
                nodal[m, k, d] -= value * g[a, m]
                curls[m, k] += 2 * value * (g[a, n] * g[d, o] - g[a, o] * g[d, n])
    return nodal, curls
