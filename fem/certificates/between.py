"""What a field does between the points of a rule: how far it is from its own interpolation.

A thin layer between the Gauss planes of all levels is in no norm of any level, so that all of them
settle. Here the field is interpolated on panels like those of the rules, and compared with that at
random points: a layer shows there with its share of the volume.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander

from fem.certificates.rules import SHRINK
from fem.spaces import Array, Line

Fields = Callable[[Array], Array]  # (3, N) -> (channels, N)

NODES = 20  # per axis of a unit box, as on the third level of the rules
EDGE_NODES = 10  # on panels that shrink towards an edge
CUTS = 3  # of an interval at the edge: the last panels there are a share 1e-5 of the volume
CHUNK = 512  # points


def besides_interpolation(fields: Fields, x: Array, edge: Line | None = None) -> Array:
    """The values of `fields` at points x minus their interpolation by polynomials in each axis, on
    unit boxes with integer corners that are cut towards an edge."""
    towards = (None, None, None) if edge is None else (*edge, None)
    cuts = [_cuts(row, to) for row, to in zip(x, towards, strict=True)]
    panels = np.stack(
        [np.searchsorted(c, row, "right") - 1 for c, row in zip(cuts, x, strict=True)]
    )
    different, which = np.unique(panels, axis=1, return_inverse=True)
    rest = np.array(fields(x), dtype=float)
    for k, panel in enumerate(different.T):
        here = np.flatnonzero(which.ravel() == k)
        low, high = (
            np.array([c[i + end] for c, i in zip(cuts, panel, strict=True)]) for end in (0, 1)
        )
        local = (2 * x[:, here] - (low + high)[:, None]) / (high - low)[:, None]
        nodes = NODES if edge is None else EDGE_NODES
        rest[:, here] -= _interpolated(fields, (low, high), nodes, local)
    return rest


def _cuts(row: Array, towards: float | None) -> Array:
    """Integers around the coordinates, and cuts that shrink towards one of them."""
    whole = np.arange(np.floor(row.min()), np.ceil(row.max()) + 1)
    if towards is None:
        return whole
    steps = SHRINK ** np.arange(1.0, CUTS + 1)
    near = np.concatenate([towards - steps, towards + steps])
    return np.union1d(whole, near[(near > whole[0]) & (near < whole[-1])])


def _interpolated(fields: Fields, box: tuple[Array, Array], nodes: int, local: Array) -> Array:
    """The interpolation in a box, at points with coordinates from −1 to 1 there."""
    t, w = leggauss(nodes)
    low, high = box
    lines = [a + (b - a) * (t + 1) / 2 for a, b in zip(low, high, strict=True)]
    at_nodes = fields(np.stack(np.meshgrid(*lines, indexing="ij")).reshape(3, -1))
    table = np.reshape(at_nodes, (-1, nodes, nodes, nodes))
    # Lagrange's polynomials: ℓ_i(s) = w_i Σ_k (k + ½) P_k(t_i) P_k(s), as Gauss is exact for them
    to_nodes = (legvander(t, nodes - 1) * (np.arange(nodes) + 0.5)).T * w
    found = np.empty((len(table), local.shape[1]))
    for start in range(0, local.shape[1], CHUNK):
        piece = slice(start, start + CHUNK)
        along = [legvander(s, nodes - 1) @ to_nodes for s in local[:, piece]]
        line = np.tensordot(along[0], table, (1, 1))  # (points, channels, nodes, nodes)
        line = np.einsum("pcij,pi->pcj", line, along[1])
        found[:, piece] = np.einsum("pcj,pj->cp", line, along[2])
    return found
