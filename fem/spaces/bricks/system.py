"""What a solve of the boundary-value problem on bricks returns, whatever the solver."""

from __future__ import annotations

from typing import NamedTuple

from fem.spaces import Array


class BrickSolve(NamedTuple):
    """Coefficients of u_h on the grid, and how well the discrete equations hold."""

    x: Array
    multiplier_norm: float  # ‖∇p_h‖
    divergence: float  # max |(u_h, ∇q) + (ρ, q)| relative to ‖u_h‖ ‖∇q‖
    iterations: int  # 0: direct
    residual: float
