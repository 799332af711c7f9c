"""Nédélec and Lagrange functions of orders 0 and 1 on a tetrahedron, in barycentric coordinates.

Every Nédélec function is Σ_v T_v(λ) ∇λ_v and its curl Σ_{v<w} R_vw(λ) ∇λ_v × ∇λ_w with polynomials
T, R that no cell changes: tables at the points of a rule serve all cells, whose geometry enters
through ∇λ alone. The vertices of a cell count in the order of their global numbers, which orients
edges and faces alike in all cells that share them; no signs appear anywhere.

Functions, in scikit-fem's order (six edges, four faces), with W_ab = λ_a ∇λ_b − λ_b ∇λ_a: W_ab on
edges; for order 1 (Nédélec 1980, k = 2) also ∇(λ_a λ_b), and λ_a W_bc and λ_b W_ac on faces
a < b < c. N₀ and the gradients of the P₂ bubbles appear as they are, which the preconditioner and
the discrete gradient rely on. Scalars: λ_v, and for order 1 also λ_a λ_b on each edge.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

# as scikit-fem counts them (RefTet), which is not imported for them
EDGES = np.array([[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]])
FACETS = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
PAIRS = np.array(list(combinations(range(4), 2)))
_PAIR_INDEX = {tuple(pair): k for k, pair in enumerate(PAIRS.tolist())}


def nedelec_values(lam: np.ndarray, order: int) -> np.ndarray:
    """T: (functions, points, 4) at barycentric points lam (points, 4)."""
    rows = []
    for a, b in EDGES:
        rows.append(_combine(lam, {b: lam[:, a], a: -lam[:, b]}))
        if order:
            rows.append(_combine(lam, {b: lam[:, a], a: lam[:, b]}))
    if order:
        for v, b, c in _face_functions():
            rows.append(_combine(lam, {c: lam[:, v] * lam[:, b], b: -lam[:, v] * lam[:, c]}))
    return np.stack(rows)


def nedelec_curls(lam: np.ndarray, order: int) -> np.ndarray:
    """R: (functions, points, 6) in the order of PAIRS.

    curl(λ_v W_bc) = λ_b ∇λ_v×∇λ_c − λ_c ∇λ_v×∇λ_b + 2 λ_v ∇λ_b×∇λ_c.
    """
    one = np.ones(len(lam))
    rows = []
    for a, b in EDGES:
        rows.append(_combine_pairs(lam, {(a, b): 2.0 * one}))
        if order:
            rows.append(_combine_pairs(lam, {}))
    if order:
        for v, b, c in _face_functions():
            terms = {(v, c): lam[:, b], (v, b): -lam[:, c], (b, c): 2.0 * lam[:, v]}
            rows.append(_combine_pairs(lam, terms))
    return np.stack(rows)


def scalar_values(lam: np.ndarray, order: int) -> np.ndarray:
    """λ_v and, for order 1, λ_a λ_b: (functions, points)."""
    products = [lam[:, a] * lam[:, b] for a, b in EDGES] if order else []
    return np.stack([*lam.T, *products])


def nodes(order: int) -> np.ndarray:
    """The vertices and, for order 1, the middles of the edges: (nodes, 4)."""
    vertices = np.eye(4)
    return np.concatenate([vertices, vertices[EDGES].mean(axis=1)]) if order else vertices


def interpolants(lam: np.ndarray, order: int) -> np.ndarray:
    """The polynomials that are 1 at one of the `nodes` and 0 at the others: (nodes, points)."""
    if order == 0:
        return lam.T
    return np.concatenate([lam.T * (2 * lam.T - 1), 4 * scalar_values(lam, 1)[4:]])


def nedelec_divergences(lam: np.ndarray, order: int) -> np.ndarray:
    """∂T_v/∂λ_w, (functions, points, 4, 4): contract with ∇λ_v·∇λ_w for the divergence.

    T has degree at most two, for which the central difference of any width is exact.
    """
    steps = np.eye(4)
    slopes = [
        (nedelec_values(lam + e, order) - nedelec_values(lam - e, order)) / 2.0 for e in steps
    ]
    return np.stack(slopes, axis=-1)


def nedelec_curl_slopes(order: int) -> np.ndarray:
    """∂R_vw/∂λ_x, (functions, 6, 4), constant because R has degree at most one."""
    return np.moveaxis(
        nedelec_curls(np.eye(4), order) - nedelec_curls(np.zeros((4, 4)), order), 1, 2
    )


def _face_functions() -> list[tuple[int, int, int]]:
    """λ_v W_bc as (v, b, c): of each face (a, b, c) the functions (a; b, c) and (b; a, c)."""
    return [triple for a, b, c in FACETS.tolist() for triple in ((a, b, c), (b, a, c))]


def _combine(lam: np.ndarray, terms: dict[int, np.ndarray]) -> np.ndarray:
    row = np.zeros((len(lam), 4))
    for v, value in terms.items():
        row[:, v] = value
    return row


def _combine_pairs(lam: np.ndarray, terms: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
    row = np.zeros((len(lam), len(PAIRS)))
    for (v, w), value in terms.items():
        if v < w:
            row[:, _PAIR_INDEX[v, w]] += value
        else:
            row[:, _PAIR_INDEX[w, v]] -= value
    return row
