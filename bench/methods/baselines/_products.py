"""Products of one-dimensional polynomials of the inputs, each one multiplication from another.

Values are held as rows, one per function and points along them: a function costs one pass over
its parent's row, and a prediction is one matrix product with the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# (inputs as rows (m, N), degree) -> table [n, i] = p_n(input i), (degree + 1, m, N)
Table = Callable[[Array, int], Array]


@dataclass(frozen=True)
class Product:
    """One function: a function before it, times p_degree of one input."""

    parent: int
    variable: int
    degree: int


def count(inputs: int, degree: int) -> int:
    """How many products of total degree up to this there are, the constant among them."""
    return comb(inputs + degree, inputs)


@cache
def products(inputs: int, degree: int, *, whole: bool) -> tuple[Product, ...]:
    """All exponents of total degree 1..degree, by total degree, so that lower ones come first.

    `whole`: the parent lacks the last input altogether (p_n(x) p_m(y), any polynomials); else it
    has one power less of it (monomials).
    """
    place: dict[tuple[int, ...], int] = {(): 0}
    found = []
    for total in range(1, degree + 1):
        for factors in combinations_with_replacement(range(inputs), total):
            last = factors[-1]
            power = factors.count(last) if whole else 1
            found.append(Product(place[factors[:-power]], last, power))
            place[factors] = len(place)
    return tuple(found)


def evaluate(steps: tuple[Product, ...], table: Array) -> Array:
    """(1 + len(steps), N): the constant 1, then every product."""
    values = np.empty((1 + len(steps), table.shape[-1]))
    values[0] = 1.0
    for k, step in enumerate(steps, start=1):
        np.multiply(values[step.parent], table[step.degree, step.variable], out=values[k])
    return values


def powers(rows: Array, degree: int) -> Array:
    """p_0 = 1, p_1(x) = x: all that monomials need, whose parents have one power less."""
    return np.stack([np.ones_like(rows), rows])


def legendre(rows: Array, degree: int) -> Array:
    """P_n on [−1, 1], scaled to norm one: (n+1) P_{n+1} = (2n+1) x P_n − n P_{n−1}."""
    table = np.empty((degree + 1, *rows.shape))
    table[0] = 1.0
    if degree:
        table[1] = rows
    for n in range(1, degree):
        table[n + 1] = ((2 * n + 1) * rows * table[n] - n * table[n - 1]) / (n + 1)
    return table * np.sqrt(2 * np.arange(degree + 1) + 1)[:, None, None]
