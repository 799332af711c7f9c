"""Self-scaled Broyden: a member of Broyden's class chosen again at every step, dense.

POSITIVE = "reject", for the reasons of `ssbfgs`: its line search rejects an infinite J.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from nets.optimizers import Objective, Report, Vector

POSITIVE = "reject"
LINE_SEARCH = True
# It has nothing to tune. A 2-20 net given the equation of `maxwell`, 15 s, seed 0: error 3.0e-9
# (ssbfgs 1.7e-8, lm 5.9e-6).
TUNED: dict[str, Any] = {}


def minimize(objective: Objective, theta: Vector, report: Report) -> str:
    """H⁺ = ρ (H − Hy yᵀH/yᵀHy + φ v vᵀ) + s sᵀ/sᵀy, v = √yᵀHy (s/sᵀy − Hy/yᵀHy), with ρ and φ of
    `member`: Al-Baali, Spedicato and Maggioni, Broyden's quasi-Newton methods for a nonlinear
    system of equations and unconstrained optimization: a review and open problems, Optim. Methods
    Softw. 29 (2014); for nets that solve equations, Urbán, Stefanou and Pons, J. Comput. Phys. 523
    (2025), and Kiyani et al., CMAME 446 (2025).
    """
    from nets.optimizers._quasi_newton import descend

    return descend(objective, theta, report, member=member)


def member(b: float, h: float, size: int) -> tuple[float, float]:
    """ρ and φ from b = sᵀBs/sᵀy, h = yᵀHy/sᵀy and the number of parameters.

    With a = bh − 1 ≥ 0, c = √(a/(1+a)), ρ₋ = min(1, h(1−c)): θ is (1−b)/b cut to
    [(ρ₋−1)/a, 1/ρ₋], σ = 1 + aθ, φ = (1−θ)/σ, and 1/ρ is min(1, 1/b) times
    min(σ^(−1/(P−1)), 1/θ) for θ > 0, or for θ ≤ 0 min(min(1, 1/b) σ^(−1/(P−1)), σ).
    """
    a = max(b * h - 1, 1e-12)  # Cauchy and Schwarz; 0 to rounding where s and Hy are parallel
    c = sqrt(a / (1 + a))
    low = min(1.0, h * (1 - c))
    theta = max((low - 1) / a, min(1 / low, (1 - b) / b))
    sigma = 1 + a * theta
    grown = abs(sigma) ** (1 / (1 - size)) if size > 1 else 1.0
    first = min(1.0, 1 / b)
    tau = first * min(grown, 1 / theta) if theta > 0 else min(first * grown, sigma)
    return 1 / tau, (1 - theta) / sigma


def state_bytes(parameters: int, **options: Any) -> int:
    """Return the bytes of half of a dense symmetric matrix."""
    return 4 * parameters**2


def warm_up() -> None:
    """Compile before the clock runs."""
    from nets.optimizers._quasi_newton import warm_up

    warm_up()
