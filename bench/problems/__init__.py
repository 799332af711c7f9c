"""Vector fields known in closed form: one problem a file, found by its file name.

Each solves curl(φ curl u) = f, div u = ρ on the cylinder {r ≤ 1, 0 ≤ x₃ ≤ 1} (where nets are
trained) and on the unit cube (where everything is measured). A file exports `PROBLEM`; the
package's attribute of that name is the record: `problems.maxwell.u(x)`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.errors import UserError, nearest, unknown

Array = NDArray[np.float64]
Field = Callable[[ArrayLike], Array]  # (3, ...) -> (3, ...)
Scalar = Callable[[ArrayLike], Array]  # (3, ...) -> (...)

FEATURES = ("x", "f", "phi")  # the seven inputs of the paper, in its order


def components(x: ArrayLike) -> Array:
    """The points as float64 (3, ...), so that `x1, x2, x3 = components(x)`."""
    x = np.asarray(x, dtype=np.float64)
    if x.ndim == 0 or x.shape[0] != 3:
        raise UserError(
            f"points must have shape (3, ...), got {x.shape}; "
            "put the coordinates first (transpose an (N, 3) array)"
        )
    return x


def zero(x: ArrayLike) -> Array:
    """ρ = 0."""
    return np.zeros(components(x).shape[1:])


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A field known in closed form, so that every error is exact.

    curl(φ curl u) = f and div u = ρ. Where `singular_edge` = (a, b) is given, u or curl u is
    unbounded at the line {x₁ = a, x₂ = b}, and rules must be graded towards it.
    `potential` is ψ of a gradient part ∇ψ = `grad_potential` of u: its line integral along an
    edge from a to b is ψ(b) − ψ(a), exactly, also where ∇ψ is singular.
    """

    name: str
    title: str
    u: Field
    curl_u: Field
    f: Field
    phi: Scalar
    grad_phi: Field
    rho: Scalar = zero
    singular_edge: tuple[float, float] | None = None
    bounded_f: bool = True
    potential: Scalar | None = None
    grad_potential: Field | None = None

    @property
    def smooth(self) -> bool:
        return self.singular_edge is None

    def in_cylinder(self, x: ArrayLike) -> NDArray[np.bool_]:
        """Whether r ≤ 1 and 0 ≤ x₃ ≤ 1: the training domain."""
        x1, x2, x3 = components(x)
        return (np.hypot(x1, x2) <= 1) & (x3 >= 0) & (x3 <= 1)

    def sample_cylinder(self, N: int, seed: int, *, test: bool = False) -> Array:
        """N points (3, N), uniform in the cylinder's volume: r = √U, θ and x₃ uniform.

        `test=True` draws from another stream of the same seed, independent of the training
        points of every seed.
        """
        if N < 1 or seed < 0:
            raise UserError(f"N must be ≥ 1 and the seed ≥ 0, got N = {N}, seed = {seed}")
        stream = np.random.SeedSequence(seed, spawn_key=(1,) if test else ())
        uniform = np.random.Generator(np.random.Philox(stream)).random((3, N))
        r, theta = np.sqrt(uniform[0]), 2 * np.pi * uniform[1]
        return np.stack([r * np.cos(theta), r * np.sin(theta), uniform[2]])

    def inputs(self, x: ArrayLike, features: Iterable[str] = FEATURES) -> Array:
        """What a net is shown at the points, one row each: (N, 7) for all `features`."""
        points = components(x).reshape(3, -1)
        values = {"x": lambda: points, "f": lambda: self.f(points), "phi": lambda: self.phi(points)}
        features = (features,) if isinstance(features, str) else tuple(features)
        for name in features:
            if name not in values:
                raise UserError(f"unknown feature {name!r}; {nearest(name, list(FEATURES))}")
        if not features or len(set(features)) < len(features):
            raise UserError(f"features must be distinct and at least one, got {features}")
        return np.vstack([values[name]() for name in features]).T.copy()

    def targets(self, x: ArrayLike) -> Array:
        """What a net should answer at the points, one row each: u as (N, 3)."""
        return self.u(components(x).reshape(3, -1)).T.copy()


_outside: dict[str, Callable[[], Problem]] = {}


def add(name: str, load: Callable[[], Problem]) -> None:
    """A problem from outside this folder, loaded when first asked for."""
    _outside[name] = cache(load)


def names() -> list[str]:
    """All problems, the paper's first; of those from outside, the installed ones."""
    installed = [name for name in _outside if "@" not in name]
    return sorted({*_records, *installed}, key=lambda name: (name != "maxwell", name))


def get(name: str) -> Problem:
    """The problem of that name."""
    if name in _outside:
        return _outside[name]()
    if name not in _records:
        raise UserError(f"unknown problem {name!r}; {unknown(name, names())}")
    return _records[name]


def _discover() -> dict[str, Problem]:
    found = (info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")
    return {name: import_module(f"{__name__}.{name}").PROBLEM for name in found}


# Importing a submodule makes the *module* the package's attribute; the record takes its place.
_records = _discover()
globals().update(_records)
