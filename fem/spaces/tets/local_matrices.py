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

ONE, TWO, SIX = np.uint32(1), np.uint32(2), np.uint32(6)


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
    cell_edges = tets.cell_edges.view(np.uint32)
    size = len(tets.edges)
    pieces = ranges(size, threads)

    def count(piece: tuple[int, int]) -> Pointers:
        return _count_lower(*piece, slots_start, slots, cell_edges)

    start = np.zeros(size + 1, np.int64)
    np.cumsum(np.concatenate(list(each(count, pieces, threads))), out=start[1:])
    column = np.empty(start[-1], np.int32)
    value = np.empty(start[-1])
    diagonal = np.empty(size)

    local = _local_matrices(tets.gradients, alpha * tets.volumes, beta * tets.volumes)

    def fill(piece: tuple[int, int]) -> None:
        _fill_lower(*piece, slots_start, slots, cell_edges, local, start, column, value, diagonal)

    list(each(fill, pieces, threads))
    return Symmetric(diagonal, start, column, value)


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
    rows = _both_halves(tets.edges, diagonal, upper)
    return csr_array(rows, shape=(nodes, nodes))


@njit(cache=True, nogil=True)
def _both_halves(edges: Ints, diagonal: Array, upper: Array) -> tuple[Array, Ints, Ints]:
    """Values, columns and row pointers of the symmetric matrix with this diagonal and upper half.

    Pairs come by rows of the upper half, so that every row gets its columns in order."""
    nodes, pairs = len(diagonal), len(edges)
    start = np.zeros(nodes + 1, np.int32)
    for a, b in edges:
        start[a + 1] += 1
        start[b + 1] += 1
    for i in range(nodes):
        start[i + 1] += start[i] + 1
    column, value = np.empty(start[nodes], np.int32), np.empty(start[nodes])
    end = start[:-1].copy()
    for k in range(pairs):
        a, b = edges[k]
        column[end[b]], value[end[b]] = a, upper[k]
        end[b] += 1
    for i in range(nodes):
        column[end[i]], value[end[i]] = i, diagonal[i]
        end[i] += 1
    for k in range(pairs):
        a, b = edges[k]
        column[end[a]], value[end[a]] = b, upper[k]
        end[a] += 1
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


@njit(cache=True, nogil=True)
def _count_lower(
    first: int, last: int, slots_start: Pointers, slots: Ints, cell_edges: Ints
) -> Pointers:
    """How many edges of lower number share a cell with each of the edges first..last. Edges are
    numbered as they are ordered in a cell: the lower ones come before it."""
    seen = np.full(last, -1, np.int32)
    count = np.zeros(last - first, np.int64)
    for e in range(first, last):
        number = 0
        for s in range(slots_start[e], slots_start[e + 1]):
            cell = slots[s] // SIX
            for j in range(slots[s] - SIX * cell):
                f = cell_edges[cell, j]
                if seen[f] != e:
                    seen[f] = e
                    number += 1
        count[e - first] = number
    return count


@njit(cache=True, nogil=True)
def _fill_lower(
    first: int,
    last: int,
    slots_start: Pointers,
    slots: Ints,
    cell_edges: Ints,
    local: Array,
    start: Pointers,
    column: Indices,
    value: Array,
    diagonal: Array,
) -> None:
    """Rows in the order in which their columns are met: to sort them would take as long again."""
    where = np.full(last, -1, np.int64)  # where[f] >= begin: place of column f in row e
    for e in range(first, last):
        begin = end = start[e]
        sum_of_diagonal = 0.0
        for s in range(slots_start[e], slots_start[e + 1]):
            cell = slots[s] // SIX
            i = slots[s] - SIX * cell
            first_of_row = i * (i + ONE) // TWO
            sum_of_diagonal += local[cell, first_of_row + i]
            for j in range(i):
                f = cell_edges[cell, j]
                place = where[f]
                if place < begin:
                    where[f] = end
                    column[end] = f
                    value[end] = local[cell, first_of_row + j]
                    end += 1
                else:
                    value[place] += local[cell, first_of_row + j]
        diagonal[e] = sum_of_diagonal


@njit(cache=True, nogil=True, fastmath={"contract"})
def _local_matrices(gradients: Array, alpha: Array, beta: Array) -> Array:
    """The lower halves of the matrices of all cells, row by row (cells, 21): α and β carry the
    volume. Loops run over vertices, not over LOCAL_EDGES: the compiler unrolls them."""
    local, products = np.empty((len(gradients), 21)), np.empty((4, 4))
    for cell in range(len(gradients)):
        g = gradients[cell]
        for a in range(4):
            for b in range(a + 1):
                product = g[a, 0] * g[b, 0] + g[a, 1] * g[b, 1] + g[a, 2] * g[b, 2]
                products[a, b] = products[b, a] = product
        place = 0
        for a in range(3):
            for b in range(a + 1, 4):
                for c in range(a + 1):
                    for d in range(c + 1, b + 1 if c == a else 4):
                        ac, ad, bc, bd = (
                            products[a, c],
                            products[a, d],
                            products[b, c],
                            products[b, d],
                        )
                        mass = bd - bc - ad + ac
                        if a == c:
                            mass += bd
                        if a == d:
                            mass -= bc
                        if b == c:
                            mass -= ad
                        if b == d:
                            mass += ac
                        curls = 4 * alpha[cell] * (ac * bd - ad * bc)
                        local[cell, place] = curls + beta[cell] / 20 * mass
                        place += 1
    return local
