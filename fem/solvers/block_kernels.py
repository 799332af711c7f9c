"""Blocks of a matrix: filled, inverted and swept over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fem.meshes.tets import Ints
from fem.spaces import Array

Pointers = NDArray[np.int64]


class Rows(NamedTuple):
    """A by rows, as compiled sweeps read it."""

    start: Pointers
    column: Ints
    value: Array


class Blocks(NamedTuple):
    """Which dofs are solved for together, and by what."""

    start: Pointers
    members: Ints  # free dofs, block by block
    factor_start: Pointers
    factors: Array  # inverses of the diagonal blocks, one after the other


@njit(cache=True, nogil=True)
def fill_blocks(rows: Rows, blocks: Blocks, place: Pointers) -> None:
    """The diagonal blocks of A, dense, by rows; `place` is scratch, −1 on entry and on exit."""
    start, column, value = rows
    block_start, members, factor_start, factors = blocks
    for b in range(block_start.size - 1):
        first, last = block_start[b], block_start[b + 1]
        size = last - first
        for k in range(size):
            place[members[first + k]] = k
        here = factors[factor_start[b] : factor_start[b + 1]]
        here[:] = 0.0
        for k in range(size):
            row = members[first + k]
            for j in range(start[row], start[row + 1]):
                if place[column[j]] >= 0:
                    here[k * size + place[column[j]]] = value[j]
        for k in range(size):
            place[members[first + k]] = -1


def invert_blocks(
    block_start: Pointers, factor_start: Pointers, factors: Array, shift: float = 0.0
) -> None:
    """Invert the diagonal blocks in place, those of one size together; the shift multiplies their
    diagonals by 1 + shift."""
    sizes = np.diff(block_start)
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        for part in np.array_split(which, max(1, int(len(which) * size**2) >> 24)):
            index = factor_start[part][:, None] + np.arange(size**2)
            block = factors[index].reshape(-1, size, size)
            block[:, range(size), range(size)] *= 1 + shift
            inverse = np.linalg.inv(block)
            inverse += np.swapaxes(inverse, 1, 2)
            factors[index] = inverse.reshape(len(part), -1) / 2


@njit(cache=True, nogil=True)
def sweep_blocks(rows: Rows, blocks: Blocks, rest: Array, x: Array, reverse: bool) -> None:
    start, column, value = rows
    block_start, members, factor_start, factors = blocks
    count = block_start.size - 1
    for step in range(count):
        b = count - 1 - step if reverse else step
        first = block_start[b]
        size = block_start[b + 1] - first
        inverse = factors[factor_start[b] : factor_start[b + 1]]
        change = np.zeros(size)
        for k in range(size):
            total = 0.0
            for m in range(size):
                total += inverse[k * size + m] * rest[members[first + m]]
            change[k] = total
        for k in range(size):
            row = members[first + k]
            x[row] += change[k]
            for j in range(start[row], start[row + 1]):
                rest[column[j]] -= value[j] * change[k]
