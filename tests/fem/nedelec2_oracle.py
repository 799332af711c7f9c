"""The second-order Nédélec element of the first kind on tetrahedra, for scikit-fem."""

from __future__ import annotations

from typing import Any

import numpy as np
from skfem.element import DiscreteField, ElementHcurl
from skfem.refdom import RefTet

# λ₀ = 1 − x − y − z, λ₁ = x, λ₂ = y, λ₃ = z on the reference tetrahedron.
GRADIENTS = np.array([[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
EDGES = np.array(RefTet.edges)
FACETS = np.array(RefTet.facets)
EDGE_FUNCTIONS = 2 * len(EDGES)


class ElementTetNedelec2(ElementHcurl):
    """Hierarchical basis of P₁³ ⊕ {p ∈ homogeneous P₂³ : x·p = 0} (Nédélec 1980, k = 2).

    With W_ab = λ_a ∇λ_b − λ_b ∇λ_a and vertices in the order of their global numbers:

    - edge a < b:      W_ab (its coefficient is ∫ u·t) and ∇(λ_a λ_b) (coefficient 3 ∫ (1−2s) u·t),
    - face a < b < c:  λ_a W_bc and λ_b W_ac (with λ_c W_ab they are dependent).

    The N₀ space and the gradients of the P₂ bubbles appear as they are, which is what the
    preconditioner and the discrete gradient rely on. Global order, not local order, decides
    which two of the three face functions are taken, so that both neighbours take the same two.
    """

    edge_dofs = 2
    facet_dofs = 2
    maxdeg = 2
    dofnames = ["u^t", "u^t(1-2s)", "u^F1", "u^F2"]  # noqa: RUF012  (scikit-fem's convention)
    doflocs = np.array(
        [RefTet.p[:, edge].mean(axis=1) for edge in RefTet.edges for _ in range(2)]
        + [RefTet.p[:, facet].mean(axis=1) for facet in RefTet.facets for _ in range(2)]
    )
    refdom = RefTet

    def lbasis(self, X: np.ndarray, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Value and curl on the reference cell, whose vertices are in their own order."""
        if i < 0 or i >= 20:
            self._index_error()
        if i >= EDGE_FUNCTIONS:
            facet, which = divmod(i - EDGE_FUNCTIONS, 2)
            return _face_function(X, facet, which)
        edge, kind = divmod(i, 2)
        return _whitney(X, *EDGES[edge]) if kind == 0 else _bubble_gradient(X, *EDGES[edge])

    def orient(self, mapping: Any, i: int, tind: Any = None) -> np.ndarray:
        """W_ab changes sign with the edge, ∇(λ_a λ_b) does not; faces: see `gbasis`."""
        cells = mapping.mesh.t[:, slice(None) if tind is None else tind]
        if i < EDGE_FUNCTIONS and i % 2 == 0:
            a, b = EDGES[i // 2]
            return np.where(cells[a] > cells[b], -1, 1)
        return np.ones(cells.shape[1], dtype=int)

    def gbasis(
        self, mapping: Any, X: np.ndarray, i: int, tind: Any = None
    ) -> tuple[DiscreteField, ...]:
        if i < EDGE_FUNCTIONS:
            return super().gbasis(mapping, X, i, tind)
        facet, rank = divmod(i - EDGE_FUNCTIONS, 2)
        cells = mapping.mesh.t[:, slice(None) if tind is None else tind]
        which, sign = _choice_by_global_order(cells[FACETS[facet]], rank)
        value, curl = (
            _pick(options, which, sign)
            for options in zip(*(_face_function(X, facet, k) for k in range(3)), strict=True)
        )
        DF, inverse = mapping.DF(X, tind), mapping.invDF(X, tind)
        return (
            DiscreteField(
                value=np.einsum("ijkl,ikl->jkl", inverse, value),
                curl=np.einsum("ijkl,jkl->ikl", DF, curl) / mapping.detDF(X, tind),
            ),
        )


def _choice_by_global_order(vertices: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Which local function, with which sign, is λ_v W_(the others, ascending) for the vertex v
    of the given rank in the global order; `vertices` is (3, cells)."""
    which = np.argsort(vertices, axis=0)[rank]
    others = np.array([[1, 2], [0, 2], [0, 1]])[which].T
    first, second = np.take_along_axis(vertices, others, axis=0)
    return which, np.where(first > second, -1.0, 1.0)


def _pick(options: tuple[np.ndarray, ...], which: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """(3, cells, points): per cell one of three (3, points) or (3, cells, points) tables."""
    tables = [table if table.ndim == 3 else table[:, None, :] for table in options]
    picked = sum(np.where(which == k, sign, 0.0)[:, None] * tables[k] for k in range(3))
    return np.asarray(picked)


def _barycentric(X: np.ndarray) -> np.ndarray:
    return np.stack([1.0 - X[0] - X[1] - X[2], X[0], X[1], X[2]])


def _outer(vector: np.ndarray, scalar: np.ndarray) -> np.ndarray:
    return vector.reshape(3, *([1] * scalar.ndim)) * scalar


def _whitney(X: np.ndarray, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """W_ab = λ_a ∇λ_b − λ_b ∇λ_a, curl W_ab = 2 ∇λ_a × ∇λ_b."""
    lam = _barycentric(X)
    value = _outer(GRADIENTS[b], lam[a]) - _outer(GRADIENTS[a], lam[b])
    return value, _outer(2.0 * np.cross(GRADIENTS[a], GRADIENTS[b]), np.ones_like(X[0]))


def _bubble_gradient(X: np.ndarray, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
    """∇(λ_a λ_b), whose curl is zero."""
    lam = _barycentric(X)
    value = _outer(GRADIENTS[b], lam[a]) + _outer(GRADIENTS[a], lam[b])
    return value, np.zeros_like(value)


def _face_function(X: np.ndarray, facet: int, which: int) -> tuple[np.ndarray, np.ndarray]:
    """λ_v W_bc of a face (v, b < c in local order), curl = ∇λ_v × W_bc + λ_v curl W_bc."""
    v = FACETS[facet][which]
    b, c = np.delete(FACETS[facet], which)
    lam = _barycentric(X)[v]
    W, curl_W = _whitney(X, b, c)
    return lam * W, np.cross(GRADIENTS[v], W, axisb=0, axisc=0) + lam * curl_W
