"""hexN0: lowest-order Nédélec element of the first kind on hexahedra, 12 edge dofs ∫ u·t.

scikit-fem has no such element. Per edge along e_k with the corner signs of the other two axes i, j:

    φ = ℓ_i ℓ_j e_k,   curl φ = ∇(ℓ_i ℓ_j) × e_k,   ℓ = x or 1 − x.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from fem.elements import Element, Solver, factorised, per_cell
from fem.elements._builders import assembled
from fem.spaces import Space


@cache
def _element_class() -> Any:
    from skfem.element import ElementHcurl
    from skfem.refdom import RefHex

    corners = RefHex.p  # vertex 0 is (1, 1, 1)
    edges = np.array(RefHex.edges)

    class ElementHexN0(ElementHcurl):
        edge_dofs = 1
        maxdeg = 3
        dofnames = ["u^t"]  # noqa: RUF012  scikit-fem's attribute
        doflocs = corners[:, edges].mean(axis=2).T
        refdom = RefHex

        def lbasis(self, X: Any, i: int) -> Any:
            if not 0 <= i < len(edges):
                self._index_error()
            start, end = corners[:, edges[i]].T
            along = int(np.flatnonzero(start != end)[0])
            sign = end[along] - start[along]
            a, b = (along + 1) % 3, (along + 2) % 3  # e_a × e_b = e_along
            hat_a, slope_a = _hat(X[a], start[a])
            hat_b, slope_b = _hat(X[b], start[b])
            phi = np.zeros_like(X)
            curl = np.zeros_like(X)
            phi[along] = sign * hat_a * hat_b
            curl[a] = sign * hat_a * slope_b  # ∂_b φ_along
            curl[b] = -sign * slope_a * hat_b  # −∂_a φ_along
            return phi, curl

    return ElementHexN0


def _hat(x: Any, corner: float) -> tuple[Any, float]:
    """The linear function that is 1 at the corner (0 or 1) and 0 at the other, and its slope."""
    return (x, 1.0) if corner == 1 else (1 - x, -1.0)


def reference() -> Any:
    return _element_class()()


def transforms(n: int) -> Space:
    from fem.spaces.cube.hexes import CubeHexes

    return CubeHexes(n)


ELEMENT = Element(
    name="hexN0", title="N₀ hexahedra", short="N₀ hexes",
    about="lowest-order Nédélec elements on hexahedra",
    cell="hex", order=1, reference=reference,
    solvers={
        "transforms": Solver(transforms, per_cell(26)),
        "assembled": Solver(assembled("hexN0"), factorised(3, 12), any_mesh=True),
    },
)  # fmt: skip
