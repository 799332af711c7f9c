"""Matrices of lowest-order elements on tetrahedra from closed forms, assembled row by row.

With g_a = ∇λ_a, G_ab = g_a·g_b and w_ab = λ_a g_b − λ_b g_a (Nédélec, 1980) on a cell T:

    (curl w_ab, curl w_cd) = 4 |T| (G_ac G_bd − G_ad G_bc)
    (w_ab, w_cd) = |T|/20 [(1+δ_ac) G_bd − (1+δ_ad) G_bc − (1+δ_bc) G_ad + (1+δ_bd) G_ac]

Row by row means: no triplets, no duplicates to sum (scikit-fem and scipy spend 4 times as long).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fem.meshes.tets import LOCAL_EDGES, Ints, Tets
from fem.solvers.symmetric import Symmetric
from fem.solvers.symmetric_kernels import Indices, Pointers
from fem.spaces import Array
from fem.threads import each, ranges

SIX = np.uint32(6)
# 1 + δ_ac, 1 + δ_ad, 1 + δ_bc, 1 + δ_bd for two local edges ab and cd
_EDGES = np.array(LOCAL_EDGES, np.uint32)
_MASS = 1.0 + (_EDGES[:, None, :, None] == _EDGES[None, :, None, :]).reshape(6, 6, 4)


def curl_curl_mass(
    tets: Tets, curl_weight: Any = 1.0, mass_weight: Any = 1.0, threads: int = 1
) -> Symmetric:
    """(α curl v_j, curl v_i) + (β v_j, v_i) in the edge dofs.

    The weights are numbers, cell means (cells,) or scalars of space. For α this is exact, curl v
    being constant on cells; for β it replaces the weight by its mean, an O(h) perturbation.
    """
    alpha, beta = tets.cell_average(curl_weight), tets.cell_average(mass_weight)
    # Unsigned views: numba asks of every signed index whether it is negative.
    slots_start, slots = (part.view(f"u{part.itemsize}") for part in tets.edge_cells)
    size = len(tets.edges)
    diagonal, weights = np.empty(size), (alpha * tets.volumes, beta * tets.volumes)

    def fill(piece: tuple[int, int]) -> tuple[Pointers, Indices, Array]:
        first, last = piece
        most = 5 * int(slots_start[last] - slots_start[first])  # what is not touched costs nothing
        start, column, value = (
            np.empty(last - first, np.int64),
            np.empty(most, np.int32),
            np.empty(most),
        )
        arrays = (tets.cell_edges.view(np.uint32), tets.gradients, *weights)
        end = _fill_lower(first, last, slots_start, slots, *arrays, start, column, value, diagonal)
        return start, column[:end], value[:end]

    ends, columns, values = zip(*each(fill, ranges(size, threads), threads), strict=True)
    before = np.cumsum([0, *map(len, columns)])
    start = np.concatenate([[0], *(e + b for e, b in zip(ends, before[:-1], strict=True))])
    if len(values) == 1:
        return Symmetric(diagonal, start, columns[0], values[0])
    return Symmetric(diagonal, start, np.concatenate(columns), np.concatenate(values))


def nodal(tets: Tets, stiffness_weight: Any = 1.0, mass_weight: Any = 0.0) -> Any:
    """(α ∇q_j, ∇q_i) + (β q_j, q_i) for the hat functions q_i, as a scipy csr_array.

    The edges are its pattern: in lexicographic order they are the upper half, row by row.
    """
    from scipy.sparse import csr_array

    alpha, beta = tets.cell_average(stiffness_weight), tets.cell_average(mass_weight)
    nodes = tets.p.shape[1]
    diagonal, upper = np.zeros(nodes), np.zeros(len(tets.edges))
    _fill_nodal(
        tets.t, tets.cell_edges, tets.gradients, alpha * tets.volumes, beta * tets.volumes,
        diagonal, upper,
    )  # fmt: skip
    value, column, start = _both_halves(tets.edges.view(np.uint32), diagonal, upper)
    return csr_array((value, column.view(np.int32), start.view(np.int32)), shape=(nodes, nodes))


@njit(cache=True, nogil=True)
def _both_halves(edges: Any, diagonal: Array, upper: Array) -> tuple[Array, Any, Any]:
    """Values, columns and row pointers of the symmetric matrix with this diagonal and upper half.

    Pairs come by rows of the upper half, so that every row gets its columns in order."""
    nodes, one = len(diagonal), np.uint32(1)
    start = np.zeros(nodes + 1, np.uint32)
    for a, b in edges:
        start[a + one] += one
        start[b + one] += one
    for i in range(nodes):
        start[i + 1] += start[i] + one
    column, value = np.empty(start[nodes], np.uint32), np.empty(start[nodes])
    end = start[:-1].copy()
    for k in range(len(edges)):
        a, b = edges[k]
        column[end[b]], value[end[b]] = a, upper[k]
        end[b] += one
    for i in range(nodes):
        column[end[i]], value[end[i]] = i, diagonal[i]
        end[i] += one
    for k in range(len(edges)):
        a, b = edges[k]
        column[end[a]], value[end[a]] = b, upper[k]
        end[a] += one
    return value, column, start


@njit(cache=True, nogil=True)
def _fill_nodal(
    t: Ints,
    cell_edges: Ints,
    gradients: Array,
    alpha: Array,
    beta: Array,
    diagonal: Array,
    upper: Array,
) -> None:
    for c in range(t.shape[0]):
        g = gradients[c]
        for a in range(4):
            square = g[a, 0] * g[a, 0] + g[a, 1] * g[a, 1] + g[a, 2] * g[a, 2]
            diagonal[t[c, a]] += alpha[c] * square + beta[c] / 10
        for i in range(6):
            a, b = LOCAL_EDGES[i]
            product = g[a, 0] * g[b, 0] + g[a, 1] * g[b, 1] + g[a, 2] * g[b, 2]
            upper[cell_edges[c, i]] += alpha[c] * product + beta[c] / 20


@njit(cache=True, nogil=True, fastmath={"contract"})
def _fill_lower(
    first: int,
    last: int,
    slots_start: Pointers,
    slots: Ints,
    cell_edges: Ints,
    gradients: Array,
    alpha: Array,
    beta: Array,
    ends: Pointers,
    column: Indices,
    value: Array,
    diagonal: Array,
) -> int:
    """The rows first..last below the diagonal; α and β carry the volume. Returns where they end.

    Edges are numbered as they are ordered in a cell, so that the lower ones come before it. Columns
    stand in the order in which they are met: to sort them would take as long again. A local matrix
    is computed row by row where it is needed: kept, all of them do not fit into the cache.
    """
    where = np.full(last, -1, np.int64)  # where[f] >= begin: place of column f in row e
    with_a, with_b = np.empty(4), np.empty(4)
    end = 0
    for e in range(first, last):
        begin, total = end, 0.0
        for s in range(slots_start[e], slots_start[e + 1]):
            cell = slots[s] // SIX
            i = slots[s] - SIX * cell
            a, b, g = _EDGES[i, 0], _EDGES[i, 1], gradients[cell]
            a0, a1, a2 = g[a, 0], g[a, 1], g[a, 2]
            b0, b1, b2 = g[b, 0], g[b, 1], g[b, 2]
            for c in range(4):
                with_a[c] = a0 * g[c, 0] + a1 * g[c, 1] + a2 * g[c, 2]
                with_b[c] = b0 * g[c, 0] + b1 * g[c, 1] + b2 * g[c, 2]
            curls, mass = 4 * alpha[cell], beta[cell] / 20
            aa, ab, bb = with_a[a], with_a[b], with_b[b]
            total += curls * (aa * bb - ab * ab) + mass * 2 * (aa + bb - ab)
            for j in range(i):
                c, d, m = _EDGES[j, 0], _EDGES[j, 1], _MASS[i, j]
                ac, ad, bc, bd = with_a[c], with_a[d], with_b[c], with_b[d]
                entry = curls * (ac * bd - ad * bc)
                entry += mass * (m[0] * bd - m[1] * bc - m[2] * ad + m[3] * ac)
                f = cell_edges[cell, j]
                place = where[f]
                if place < begin:
                    where[f] = end
                    column[end], value[end] = f, entry
                    end += 1
                else:
                    value[place] += entry
        diagonal[e] = total
        ends[e - first] = end
    return end
