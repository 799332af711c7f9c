"""Meshes of unions of boxes: tensor grids with some of their boxes left out.

The L-shaped prism ((−1,1)² ∖ [0,1)×(−1,0]) × (0,1) has one re-entrant edge, {x₁ = x₂ = 0}; the
Fichera cube (−1,1)³ ∖ [0,1)³ has three, which meet in a corner. `n` counts cells per unit length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from fem.spaces import Array

Mask = NDArray[np.bool_]
Inside = Callable[[Array], Mask]  # points (3, ...) -> (...)


def in_prism(x: Array) -> Mask:
    """Whether points of (−1, 1)² × (0, 1) belong to the L-shaped prism."""
    return np.asarray(~((x[0] >= 0) & (x[1] <= 0)))


def in_fichera(x: Array) -> Mask:
    """Whether points of (−1, 1)³ belong to the Fichera cube."""
    return np.asarray(~((x[0] >= 0) & (x[1] >= 0) & (x[2] >= 0)))


def graded_line(n: int, exponent: float = 1.0) -> Array:
    """x = sign(t) |t|^β for t = −1, …, 1 in steps of 1/n: n cells per unit length towards 0."""
    if n < 1:
        raise UserError(f"n must be at least 1 (cells per unit length), got {n}")
    if not 1.0 <= exponent <= 10.0:
        raise UserError(f"the grading exponent must lie in [1, 10] (1: uniform), got {exponent}")
    t = np.arange(-n, n + 1) / n
    return np.sign(t) * np.abs(t) ** exponent


def prism(n: int, cell: str = "tet", grading: float | None = None) -> Any:
    """The L-shaped prism, x₁ and x₂ graded towards the re-entrant edge, x₃ uniform."""
    across = graded_line(n, grading or 1.0)
    return union((across, across, np.linspace(0.0, 1.0, n + 1)), in_prism, cell)


def fichera(n: int, cell: str = "tet", grading: float | None = None) -> Any:
    """The Fichera cube, all axes graded towards its re-entrant edges."""
    line = graded_line(n, grading or 1.0)
    return union((line, line, line), in_fichera, cell)


def union(lines: tuple[Array, Array, Array], inside: Inside, cell: str = "tet") -> Any:
    """The cells of a tensor grid, Kuhn tets or hexes, whose centres lie inside.

    The grid has to have lines where the domain has faces.
    """
    from skfem import MeshHex, MeshTet

    kind = {"tet": MeshTet, "hex": MeshHex}[cell]
    whole = kind.init_tensor(*lines)
    cells = whole.t[:, inside(whole.p[:, whole.t].mean(axis=1))]
    used = np.unique(cells)
    number = np.zeros(whole.p.shape[1], dtype=whole.t.dtype)
    number[used] = np.arange(used.size)
    return kind(np.ascontiguousarray(whole.p[:, used]), np.ascontiguousarray(number[cells]))
