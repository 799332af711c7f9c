"""The helix, shifted by μ: f and g vary, φ is a fixed bump, and u has a closed form.

It checks the machinery. It is no example of a hard family: u itself does not feel the bump.
"""

import numpy as np

from bench.problems.families import PLACE, WIDTH, Array, Family, Parameter, hill
from bench.problems.helix import beltrami, curl_u
from bench.problems.helix import u as helix_u

DIMENSIONS = (1, 2)


def family(dimension: int, contrast: float) -> Family:
    place = np.array(PLACE)

    def moved(mu: Array, x: Array) -> Array:
        shift = np.concatenate([mu, np.zeros(3 - len(mu))])
        return x + shift.reshape(3, *[1] * (x.ndim - 1))

    def phi(mu: Array, x: Array) -> Array:
        return 1.0 + contrast * hill(x, place)

    def f(mu: Array, x: Array) -> Array:
        """∇φ × curl u + φ curl curl u."""
        y = moved(mu, x)
        slope = (1.0 - phi(mu, x)) * (x - place.reshape(3, *[1] * (x.ndim - 1))) / WIDTH**2
        twice = 4.0 * beltrami(2, y) + 4.5 * beltrami(-3, y)
        return np.cross(slope, curl_u(y), axis=0) + phi(mu, x) * twice

    def u(mu: Array, x: Array) -> Array:
        return helix_u(moved(mu, x))

    return Family(
        name="shifted",
        title=f"shifted helix, dimension {dimension}, contrast {contrast:g}",
        contrast=contrast,
        parameters=tuple(Parameter(f"s{k + 1}", 0.0, 1.0) for k in range(dimension)),
        varies="f and g",
        phi=phi,
        f=f,
        trace=u,
        u=u,
    )
