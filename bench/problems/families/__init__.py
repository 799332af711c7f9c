"""Families of boundary-value problems on the unit cube: curl(φ curl u) = f, div u = 0, u × n = g.

A parameter μ enters φ, f or g. Every file of this folder is a family: a function
`family(dimension, contrast)` that returns a `Family`. Either φ varies, or f and g do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError
from base.registry import Registry

Array = NDArray[np.float64]
WIDTH = 0.2  # of the bump in φ
PLACE = (0.3, 0.62, 0.4)  # of the bump where μ does not move it


@dataclass(frozen=True)
class Parameter:
    """One entry of μ and its range; `log` spreads it like log(1 + value)."""

    name: str
    low: float
    high: float
    log: bool = False

    def spread(self, value: Any) -> Any:
        return np.log1p(value) if self.log else value

    def ends(self) -> tuple[float, float]:
        return float(self.spread(self.low)), float(self.spread(self.high))


@dataclass(frozen=True, kw_only=True)
class Family:
    """Problems that differ by μ; functions take μ (d,) and points (3, …)."""

    name: str
    title: str
    contrast: float  # max φ − 1
    parameters: tuple[Parameter, ...]
    varies: Literal["phi", "f", "f and g"]
    phi: Callable[[Array, Array], Array]
    f: Callable[[Array, Array], Array]
    trace: Callable[[Array, Array], Array]  # any field with the tangential trace of u
    u: Callable[[Array, Array], Array] | None = None  # where a closed form is known

    @property
    def dimension(self) -> int:
        return len(self.parameters)

    @property
    def middle(self) -> Array:
        """μ in the middle of its range."""
        return self.from_unit(np.zeros((1, self.dimension)))[0]

    def problem(self, mu: Array) -> Any:
        """The data for `fem`."""
        from fem.boundary_value import BoundaryValueProblem, trace_of

        return BoundaryValueProblem(
            f=lambda x: self.f(mu, x),
            phi=lambda x: self.phi(mu, x),
            g=trace_of(lambda x: self.trace(mu, x)),
        )

    def checked(self, mu: ArrayLike) -> Array:
        """μ as an array; a UserError if it has another dimension or is not finite."""
        values = np.atleast_1d(np.asarray(mu, dtype=float))
        if values.shape != (self.dimension,) or not np.isfinite(values).all():
            names = ", ".join(p.name for p in self.parameters)
            raise UserError(
                f"family {self.name} needs {self.dimension} finite values of μ ({names}), "
                f"got {values.tolist()}"
            )
        return values

    def unit(self, mu: Array) -> Array:
        """Rows μ in the cube [−1, 1]^d."""
        columns = []
        for parameter, values in zip(self.parameters, np.atleast_2d(mu).T, strict=True):
            low, high = parameter.ends()
            columns.append(2.0 * (parameter.spread(values) - low) / (high - low) - 1.0)
        return np.stack(columns, axis=1)

    def from_unit(self, t: Array) -> Array:
        """The inverse of `unit`."""
        columns = []
        for parameter, values in zip(self.parameters, np.atleast_2d(t).T, strict=True):
            low, high = parameter.ends()
            spread = low + (values + 1.0) / 2.0 * (high - low)
            columns.append(np.expm1(spread) if parameter.log else spread)
        return np.stack(columns, axis=1)

    def sample(self, count: int, seed: int) -> Array:
        """`count` independent μ, uniform in the coordinates of `unit`."""
        draws = np.random.default_rng([seed, self.dimension]).random((count, self.dimension))
        return self.from_unit(2.0 * draws - 1.0)

    def design(self, count: int, seed: int) -> Array:
        """`count` μ that fill the range evenly: extreme points of a polynomial in 1D, Sobol's."""
        if self.dimension == 1:
            nodes = np.cos(np.pi * (np.arange(count) + 0.5) / count)
            return self.from_unit(nodes[:, None])
        from scipy.stats import qmc

        points = qmc.Sobol(self.dimension, rng=np.random.default_rng(seed)).random_base2(
            int(np.ceil(np.log2(max(count, 2))))
        )
        return self.from_unit(2.0 * points[:count] - 1.0)

    def beyond(self, mu: Array) -> float:
        """How far μ lies outside the range, in half-widths of it; 0 inside."""
        return float(np.maximum(abs(self.unit(mu)) - 1.0 - 1e-12, 0.0).max())


def hill(x: Array, centre: Array, width: float = WIDTH) -> Array:
    """exp(−|x − c|²/2w²)."""
    away = x - np.asarray(centre).reshape(3, *[1] * (x.ndim - 1))
    return np.exp(-(away**2).sum(axis=0) / (2.0 * width**2))


def places(count: int) -> tuple[Parameter, ...]:
    """Coordinates of a centre, in the middle half of the cube."""
    return tuple(Parameter(f"c{k + 1}", 0.25, 0.75) for k in range(count))


def centre(moved: Array) -> Array:
    """The centre whose first coordinates are given."""
    return np.concatenate([moved, PLACE[len(moved) :]])


def _family(module: Any, name: str) -> Any:
    if not hasattr(module, "family"):
        raise UserError(f"{name} is not a family: it defines no function family(dimension, …)")
    return module


REGISTRY: Registry[Any] = Registry("family", __name__, _family)
names = REGISTRY.names


def get(name: str, dimension: int = 2, contrast: float = 10.0) -> Family:
    """A family by name; a UserError lists the dimensions it has."""
    module = REGISTRY.get(name)
    if dimension not in module.DIMENSIONS:
        able = ", ".join(map(str, module.DIMENSIONS))
        raise UserError(f"family {name} has no dimension {dimension}; take one of: {able}")
    if not 0.0 < contrast <= 1e4:
        raise UserError(f"contrast must lie in (0, 1e4], got {contrast}")
    found: Family = module.family(dimension, contrast)
    return found
