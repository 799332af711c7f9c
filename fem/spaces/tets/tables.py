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
# the edge opposite each pair (v, w), along ∇λ_v × ∇λ_w, by the edges from vertex 0 to 1, 2, 3
OPPOSITE = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0], [0, 0, 1], [0, -1, 0], [1, 0, 0]])
_FIRST, _SECOND = EDGES.T
# λ_v W_bc as (v, b, c): of each face (a, b, c) the functions (a; b, c) and (b; a, c)
_FACE_V, _FACE_B, _FACE_C = FACETS[:, [[0, 1, 2], [1, 0, 2]]].reshape(-1, 3).T


def nedelec_values(lam: np.ndarray, order: int) -> np.ndarray:
    """T: (functions, points, 4) at barycentric points lam (points, 4)."""
    at = lam.T
    edges = _placed(4, (_SECOND, at[_FIRST]), (_FIRST, -at[_SECOND]))
    if not order:
        return edges
    gradients = _placed(4, (_SECOND, at[_FIRST]), (_FIRST, at[_SECOND]))
    faces = _placed(4, (_FACE_C, at[_FACE_V] * at[_FACE_B]), (_FACE_B, -at[_FACE_V] * at[_FACE_C]))
    return np.concatenate([_in_turns(edges, gradients), faces])


def nedelec_curls(lam: np.ndarray, order: int) -> np.ndarray:
    """R: (functions, points, 6) in the order of PAIRS.

    curl(λ_v W_bc) = λ_b ∇λ_v×∇λ_c − λ_c ∇λ_v×∇λ_b + 2 λ_v ∇λ_b×∇λ_c.
    """
    at = lam.T
    edges = _placed(6, _pair(_FIRST, _SECOND, np.full((len(EDGES), len(lam)), 2.0)))
    if not order:
        return edges
    faces = _placed(
        6,
        _pair(_FACE_V, _FACE_C, at[_FACE_B]),
        _pair(_FACE_V, _FACE_B, -at[_FACE_C]),
        _pair(_FACE_B, _FACE_C, 2.0 * at[_FACE_V]),
    )
    return np.concatenate([_in_turns(edges, np.zeros_like(edges)), faces])


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


def _placed(columns: int, *terms: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(functions, points, columns): the values (functions, points) in one column per function."""
    functions, points = terms[0][1].shape
    table = np.zeros((functions, points, columns))
    for column, values in terms:
        table[np.arange(functions), :, column] = values
    return table


def _pair(v: np.ndarray, w: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns of ∇λ_v × ∇λ_w in the order of PAIRS, and the values with its orientation."""
    low, high = np.minimum(v, w), np.maximum(v, w)
    number = low * (7 - low) // 2 + high - low - 1
    return number, np.where(v < w, 1.0, -1.0)[:, None] * values


def _in_turns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Functions of two tables in turns."""
    return np.stack([first, second], axis=1).reshape(-1, *first.shape[1:])
