"""Meshes of the unit cube graded towards a singular edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from base.errors import UserError
from fem.meshes.unions import graded_line
from fem.spaces import Line

# u ~ R^(−½) on `screen`: uniform meshes give the rate ½, the exponent β lifts it to min(1, β/2)
# before logarithms and the pre-asymptotic range; 2.5 measures 0.9.
EXPONENT = 2.5


def graded_cube(n: int, exponent: float = EXPONENT, towards: Line = (1.0, 0.0)) -> Any:
    """Kuhn tets on the tensor grid x₁ = 1 − t^β, x₂ = t^β, x₃ = t, for t = 0, 1/n, …, 1.

    `towards` is the singular edge {x₁ = a, x₂ = b} with a and b in {0, 1}: an edge of the cube.
    β = 1 is the uniform mesh. Cells at the edge are thin (n^(1−β) : 1); N₀ and N₁ tolerate that.
    """
    from skfem import MeshTet

    if not set(towards) <= {0.0, 1.0}:
        raise UserError(f"meshes are graded towards an edge of the cube, not to x₁, x₂ = {towards}")
    graded = graded_line(n, exponent)[n:]
    lines = [np.sort(1.0 - graded) if at == 1.0 else graded for at in towards]
    return MeshTet.init_tensor(*lines, np.linspace(0.0, 1.0, n + 1))
