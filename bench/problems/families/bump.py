"""A bump in φ: its amplitude, then its place; in eight dimensions two bumps. f and g are fixed.

φ = 1 + a exp(−|x − c|²/2w²) with w = 0.2. f and g are those of `helix`, whose own φ is another, so
that no closed form is known.
"""

import numpy as np

from bench.problems.families import Array, Family, Parameter, centre, hill, places
from bench.problems.helix import f, u

DIMENSIONS = (1, 2, 4, 8)


def family(dimension: int, contrast: float) -> Family:
    amplitude = Parameter("a", 0.0, contrast, log=True)
    one = (amplitude, *places(min(dimension, 4) - 1))

    def phi(mu: Array, x: Array) -> Array:
        return 1.0 + sum(m[0] * hill(x, centre(m[1:])) for m in np.split(mu, max(1, len(mu) // 4)))

    return Family(
        name="bump",
        title=f"a bump in φ, dimension {dimension}, contrast {contrast:g}",
        contrast=contrast * (2 if dimension == 8 else 1),
        parameters=one * (2 if dimension == 8 else 1),
        varies="phi",
        phi=phi,
        f=lambda mu, x: f(x),
        trace=lambda mu, x: u(x),
    )
