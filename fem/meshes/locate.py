"""Which tetrahedron holds a point: a uniform grid of buckets, vectorised, no search from cell to
cell.

Every bucket lists the cells whose bounding box meets it; a point tries the cells of its bucket.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from base.errors import UserError
from fem.meshes.tets import Ints, Tets
from fem.spaces import Array

INSIDE = -1e-10  # a barycentric coordinate above this counts as inside
CELLS_PER_BUCKET = 0.5  # on average; by bounding boxes a bucket then lists 17 Kuhn cells


@dataclass(frozen=True, eq=False)
class Locator:
    """Buckets of a mesh: `find` gives cells and barycentric coordinates."""

    tets: Tets
    origin: Array
    width: Array  # of a bucket
    shape: NDArray[np.int64]
    start: NDArray[np.int64]
    cells: Ints

    @classmethod
    def of(cls, tets: Tets) -> Locator:
        low, high = tets.p.min(axis=1), tets.p.max(axis=1)
        extent = np.maximum(high - low, 1e-300)
        per_side = (len(tets.t) / CELLS_PER_BUCKET / np.prod(extent)) ** (1 / 3)
        shape = np.clip(np.rint(extent * per_side), 1, 512).astype(np.int64)
        width = extent / shape
        start, cells = _fill_buckets(tets.p, tets.t, low, width, shape)
        return cls(tets, low, width, shape, start, cells)

    def find(self, points: Array) -> tuple[NDArray[np.int64], Array]:
        """For points (3, N): the cell of each, −1 outside, and barycentric coordinates (N, 4)."""
        tets, points = self.tets, np.ascontiguousarray(points)
        buckets = _buckets(points, self.origin, self.width, self.shape)
        # Bucket by bucket the cells stay in cache: 3 times faster than points in random order.
        order = np.argsort(buckets, kind="stable")
        return _find(
            order, buckets, points, tets.p, tets.t, tets.gradients,
            self.start, self.cells,
        )  # fmt: skip

    def locate(self, points: Array) -> tuple[NDArray[np.int64], Array]:
        """As `find`, for points inside; a UserError names the first that is outside."""
        cells, barycentric = self.find(points)
        outside = np.flatnonzero(cells < 0)
        if len(outside):
            at = ", ".join(f"{c:.4g}" for c in points[:, outside[0]])
            low, high = self.tets.p.min(axis=1), self.tets.p.max(axis=1)
            box = " × ".join(f"[{a:g}, {b:g}]" for a, b in zip(low, high, strict=True))
            raise UserError(
                f"{len(outside)} of {len(cells)} points lie outside the mesh, the first is "
                f"({at}); the mesh spans {box}"
            )
        return cells, barycentric


@njit(cache=True, nogil=True)
def _bucket_range(
    p: Array, vertices: Ints, origin: Array, width: Array, shape: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last bucket of a cell's bounding box in each direction."""
    first, last = np.empty(3, np.int64), np.empty(3, np.int64)
    for d in range(3):
        low = high = p[d, vertices[0]]
        for a in range(1, 4):
            low, high = min(low, p[d, vertices[a]]), max(high, p[d, vertices[a]])
        # slightly wider, so that points on a face find one of its cells
        first[d] = max(0, int(np.floor((low - origin[d]) / width[d] - 1e-9)))
        last[d] = min(shape[d] - 1, int(np.floor((high - origin[d]) / width[d] + 1e-9)))
        first[d] = min(first[d], shape[d] - 1)
    return first, last


@njit(cache=True, nogil=True)
def _fill_buckets(
    p: Array, t: Ints, origin: Array, width: Array, shape: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Ints]:
    start = np.zeros(shape[0] * shape[1] * shape[2] + 1, np.int64)
    cells = np.empty(0, np.int32)
    for filling in range(2):  # first count, then fill
        if filling:
            start = np.cumsum(start)
            cells = np.empty(start[-1], np.int32)
            place = start[:-1].copy()
        for c in range(t.shape[0]):
            first, last = _bucket_range(p, t[c], origin, width, shape)
            for i in range(first[0], last[0] + 1):
                for j in range(first[1], last[1] + 1):
                    for k in range(first[2], last[2] + 1):
                        bucket = (i * shape[1] + j) * shape[2] + k
                        if filling:
                            cells[place[bucket]] = c
                            place[bucket] += 1
                        else:
                            start[bucket + 1] += 1
    return start, cells


@njit(cache=True, nogil=True)
def _buckets(
    points: Array, origin: Array, width: Array, shape: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The bucket of each point; the nearest one for points outside the grid."""
    buckets = np.empty(points.shape[1], np.int64)
    for q in range(points.shape[1]):
        bucket = 0
        for d in range(3):
            place = (points[d, q] - origin[d]) / width[d]
            inside = min(max(place, 0.0), shape[d] - 1.0)  # NaN becomes 0, and is found nowhere
            bucket = bucket * shape[d] + int(inside)
        buckets[q] = bucket
    return buckets


@njit(cache=True, nogil=True)
def _find(
    order: NDArray[np.int64],
    buckets: NDArray[np.int64],
    points: Array,
    p: Array,
    t: Ints,
    gradients: Array,
    start: NDArray[np.int64],
    cells: Ints,
) -> tuple[NDArray[np.int64], Array]:
    found = np.full(points.shape[1], -1, np.int64)
    barycentric = np.zeros((points.shape[1], 4))
    trial = np.empty(4)
    for q in order:
        best = INSIDE
        for k in range(start[buckets[q]], start[buckets[q] + 1]):
            c = cells[k]
            smallest = _barycentric(points[:, q], p, t[c], gradients[c], trial)
            if smallest >= best:
                best = smallest
                found[q] = c
                barycentric[q] = trial
                if smallest >= 0:
                    break
    return found, barycentric


@njit(cache=True, nogil=True)
def _barycentric(point: Array, p: Array, vertices: Ints, gradients: Array, out: Array) -> float:
    """λ(x) from λ_a = ∇λ_a · (x − x_0), a > 0; returns the smallest, negative outside."""
    smallest = 1.0
    out[0] = 1.0
    for a in range(1, 4):
        value = 0.0
        for d in range(3):
            value += gradients[a, d] * (point[d] - p[d, vertices[0]])
        out[a] = value
        out[0] -= value
        smallest = min(smallest, value)
    return min(smallest, out[0])
