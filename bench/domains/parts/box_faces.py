"""The planar faces of a union of unit boxes."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.domains import Face

Corners = NDArray[np.int64]  # (K, 3): the lowest corner of each box or square


def faces_of(boxes: Corners) -> tuple[tuple[Face, ...], tuple[Corners, ...]]:
    """Return the planar faces of the union, and the unit squares of each."""
    present = {tuple(corner) for corner in boxes.tolist()}
    squares: dict[tuple[int, int, int], list[list[int]]] = {}
    for corner, axis, side in product(sorted(present), range(3), (0, 1)):
        neighbour = list(corner)
        neighbour[axis] += 2 * side - 1
        if tuple(neighbour) in present:
            continue
        square = list(corner)
        square[axis] += side
        squares.setdefault((axis, square[axis], side), []).append(square)
    faces, corners = [], []
    for (axis, level, side), found in sorted(squares.items()):
        normal = np.zeros(3)
        normal[axis] = 2.0 * side - 1
        normal.flags.writeable = False
        faces.append(Face(f"x{axis + 1}={level}", normal, normal[axis] * level, float(len(found))))
        corners.append(np.array(found))
    return tuple(faces), tuple(corners)
