"""`fichera`: curl curl u = (1, 1, 1), div u = 0, u × n = 0 on the cube with a corner cut out.

Three re-entrant edges meet in a corner, and no closed form is known: u is a reference solution by
hp elements (made by `bench.problems.parts.fichera_reference`). `reference_error` is its estimated
error; smaller errors mean nothing.
"""

import numpy as np
from numpy.typing import ArrayLike

from bench.domains.fichera import DOMAIN as FICHERA
from bench.problems import Array, Problem, components

ERROR = 0.013  # of the stored reference, relative; a test compares it with the file
NUDGE = 1e-13


def u(x: ArrayLike) -> Array:
    """Return the reference solution, zero outside the domain."""
    return _inside(x, curl=False)


def curl_u(x: ArrayLike) -> Array:
    return _inside(x, curl=True)


def g(x: Array, normal: Array) -> Array:
    """Return u × n = 0; the reference's own trace would be wrong on the edges."""
    return np.zeros_like(x)


def f(x: ArrayLike) -> Array:
    return np.ones_like(components(x))


def _inside(x: ArrayLike, curl: bool) -> Array:
    from bench.problems.parts.fichera_reference import stored

    points = components(x).reshape(3, -1)
    space, coefficients, _ = stored()
    inside = FICHERA.contains(points)
    found = np.zeros_like(points)
    evaluate = space.evaluate_curl if curl else space.evaluate
    # points on the faces of the cut belong to the bricks before them
    points = np.where((points == 0) & (points >= 0).all(axis=0), -NUDGE, points)
    if inside.any():
        found[:, inside] = evaluate(coefficients, points[:, inside])
    return found.reshape(np.shape(x))


PROBLEM = Problem(
    name="fichera",
    title="A constant current on the Fichera cube: three re-entrant edges and a corner",
    u=u,
    curl_u=curl_u,
    f=f,
    g=g,
    singular_edge=(0.0, 0.0),
    domain=FICHERA,
    reference_error=ERROR,
)
