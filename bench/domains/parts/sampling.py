"""Uniform numbers by seed and stream, pseudo-random or quasi-random."""

from __future__ import annotations

import math

import numpy as np

from base.errors import UserError
from bench.domains.parts.points import Array

HOWS = ("random", "quasi")


def generator(seed: int, *stream: int) -> np.random.Generator:
    """Return an independent generator for every seed and stream."""
    if seed < 0:
        raise UserError(f"a seed must be ≥ 0, got {seed}")
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=stream)))


def uniform(N: int, seed: int, stream: tuple[int, ...] = (), how: str = "random") -> Array:
    """Return N points (3, N) of the unit cube: independent, or Sobol's with Owen's scrambling.

    Sobol's points are balanced if N is a power of two; otherwise N of the next power are used.
    """
    if N < 1:
        raise UserError(f"N must be ≥ 1 points, got {N}")
    if how == "random":
        return generator(seed, *stream).random((3, N))
    if how == "quasi":
        from scipy.stats import qmc  # a second to load

        points = qmc.Sobol(3, rng=generator(seed, *stream)).random_base2(math.ceil(math.log2(N)))
        return np.ascontiguousarray(points[:N].T)
    raise UserError(f"points are drawn {' or '.join(HOWS)}, not {how!r}")
