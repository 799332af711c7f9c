"""A moving source: f = curl(s ψ e₃) with a bump ψ at the place c; φ is a fixed bump, g is fixed."""

import numpy as np

from bench.problems.families import PLACE, Array, Family, Parameter, centre, hill, places
from bench.problems.helix import u

DIMENSIONS = (1, 2, 4)
WIDTH = 0.2


def family(dimension: int, contrast: float) -> Family:
    strength = Parameter("s", 0.0, 10.0)

    def f(mu: Array, x: Array) -> Array:
        """s ∇ψ × e₃ = s (∂₂ψ, −∂₁ψ, 0)."""
        c = centre(mu[1:])
        slope = mu[0] * hill(x, c, WIDTH) / WIDTH**2
        return np.stack([-slope * (x[1] - c[1]), slope * (x[0] - c[0]), 0.0 * slope])

    return Family(
        name="source",
        title=f"a moving source, dimension {dimension}, contrast {contrast:g}",
        contrast=contrast,
        parameters=(strength, *places(dimension - 1)),
        varies="f",
        phi=lambda mu, x: 1.0 + contrast * hill(x, np.array(PLACE)),
        f=f,
        trace=lambda mu, x: u(x),
    )
