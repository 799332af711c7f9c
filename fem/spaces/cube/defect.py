"""The interpolant I_h u from which the solve on Kuhn tetrahedra starts, and its defect b − A I_h u.

Edge integrals are taken by the trapezoidal rule, h/2 (u(v) + u(v + d))·d on the edge (v, v + d),
from the same values at the vertices as the load. I_h u is never stored: the defect is formed cube
by cube in float64, and I_h u is evaluated again where it is added.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem.solvers.cg import norm
from fem.solvers.stencil import trapezoidal_rule
from fem.spaces import Array, Field, How
from fem.spaces.cube.cells import KUHN, TET_CLASSES, local_matrices, split
from fem.spaces.cube.integrals import (
    Box,
    LatticeMap,
    blocks,
    by_lattice,
    load_matrix,
    on_lattice,
    whole,
)
from fem.spaces.cube.rules import CubeRule, lattice_rule, trapezoidal_interpolation
from fem.threads import each


def defect_matrix(rule: CubeRule, h: float) -> Array:
    """The load minus A I_h on one cube, as a map of the values of u and curl u: (edges, 6, P)."""
    matrix = load_matrix(rule, h)
    matrix[:, :3] -= _interpolant_matrix(rule, h)
    return matrix


def _interpolant_matrix(rule: CubeRule, h: float) -> Array:
    """A I_h on one cube, as a map of the values of u: (edges, 3, P)."""
    mass, stiffness = local_matrices(KUHN)
    interpolation = h * trapezoidal_interpolation(KUHN, rule.lattice)
    return np.einsum("ef,fcp->ecp", h * mass + stiffness / h, interpolation)


def add_interpolant(
    out: NDArray[Any], base: NDArray[Any], u: Field, sign: int, n: int, how: How
) -> None:
    """out ← base ± I_h u, added up in float64."""
    outs, bases = (split(vector, n, TET_CLASSES) for vector in (out, base))
    interpolant = LatticeMap(trapezoidal_rule(), TET_CLASSES)

    def run(block: Box) -> None:
        owned, parts = block.owned(n), interpolant(on_lattice((u,), block, n), block.shape)
        for target, start, part in zip(outs, bases, parts, strict=True):
            place = target[owned]
            values = part[tuple(map(slice, place.shape))]
            values *= sign / n
            np.add(start[owned], values, out=place, casting="same_kind")

    for _ in each(run, blocks(whole(n, lattice_rule(KUHN, 1))), how.threads):
        pass


def load_norm(defect: NDArray[Any], u: Field, n: int, how: How) -> float:
    """‖b‖ = ‖defect + A I_h u‖. A block takes its neighbours' cubes along, for edges that it has
    in common with them."""
    rule, defects = lattice_rule(KUHN, 1), split(defect, n, TET_CLASSES)
    product = LatticeMap(by_lattice(KUHN, _interpolant_matrix(rule, 1 / n)), TET_CLASSES)

    def square(block: Box) -> float:
        lo = tuple(max(a - 1, 0) for a in block.lo)
        wide = Box(lo, tuple(min(b + 1, n) for b in block.hi), rule)
        images, total = product(on_lattice((u,), wide, n), wide.shape), 0.0
        for part, image in zip(defects, images, strict=True):
            values = part[block.owned(n)]
            inner = zip(block.lo, lo, values.shape, strict=True)
            load = values + image[tuple(slice(a - w, a - w + s) for a, w, s in inner)]
            total += norm(load.ravel()) ** 2  # BLAS would start threads of its own
        return total

    return sqrt(fsum(each(square, blocks(whole(n, rule)), how.threads)))
