"""Vector fields known in closed form: one per file, found by its file name.

Each solves curl(φ curl u) = f, div u = ρ on its domain, by default the unit cube (on which errors
are measured) with the cylinder {r ≤ 1, 0 ≤ x₃ ≤ 1} (in which nets are trained). A file exports
`PROBLEM`, which the package offers under the file's name: `problems.maxwell.u(x)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.errors import UserError, nearest
from base.registry import Registry, declared
from bench.domains import Array, Domain, Edge, components
from bench.domains.cube import DOMAIN as CUBE

Field = Callable[[ArrayLike], Array]  # (3, ...) -> (3, ...)
Scalar = Callable[[ArrayLike], Array]  # (3, ...) -> (...)
Trace = Callable[[Array, Array], Array]  # points and outward normals (3, ...) -> u × n (3, ...)

FEATURES = ("x", "f", "phi")  # the seven inputs of the paper, in its order


def zero(x: ArrayLike) -> Array:
    """Return ρ = 0."""
    return np.zeros(components(x).shape[1:])


def one(x: ArrayLike) -> Array:
    """Return φ = 1."""
    return np.ones(components(x).shape[1:])


def constant_phi(x: ArrayLike) -> Array:
    """Return ∇φ = 0."""
    return np.zeros(components(x).shape)


def not_known(x: ArrayLike) -> Array:
    """Placeholder for a u that is not known in closed form."""
    raise UserError(
        "this problem has no closed form, so u cannot be fitted and errors are not exact; solve it "
        "(femnets fem --solve) and use estimates or distances to the finest solution"
    )


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A boundary-value problem whose solution u is known in closed form, or only its data.

    Without `u` and `curl_u`, f, φ, the trace `g` (points and normals ↦ u × n) and a domain are
    enough for the *solve* track; errors are then estimates, or distances to the finest solution.

    curl(φ curl u) = f and div u = ρ. Where `singular_edge` = (a, b) is given, u or curl u is
    unbounded at the line {x₁ = a, x₂ = b}, and rules must be graded towards it.
    `potential` is ψ of a gradient part ∇ψ = `grad_potential` of u: its line integral along an
    edge from a to b is ψ(b) − ψ(a), exactly, also where ∇ψ is singular.
    For a computed u, `reference_error` is its relative error; smaller errors mean nothing.
    `natural` names the faces of the domain where u·n and φ curl u × n are given instead of u × n.
    `training` names the part in which nets are trained, by default the domain's own: on the cube
    "cylinder" (default), which reaches beyond it, or "cube".
    `about_edge` is the same problem in coordinates relative to its singular edge, for meshes that
    are so fine there that x has no digits left.
    Error bounds use `phi_min` ≤ φ and `phi_slope` ≥ |∇ log φ| on the domain; φ = 1 needs neither.
    """

    name: str
    title: str
    u: Field = not_known
    curl_u: Field = not_known
    f: Field
    phi: Scalar = one
    grad_phi: Field = constant_phi
    rho: Scalar = zero
    singular_edge: Edge | None = None
    bounded_f: bool = True
    potential: Scalar | None = None
    grad_potential: Field | None = None
    domain: Domain = CUBE
    natural: tuple[str, ...] = ()
    g: Trace | None = None  # by default that of u
    reference_error: float | None = None  # relative, of a computed u; None: closed form
    training: str = ""
    phi_min: float | None = None
    phi_slope: float | None = None
    about_edge: Problem | None = None

    def __post_init__(self) -> None:
        if self.training:
            object.__setattr__(self, "domain", self.domain.trained_on(self.training))
        if not self.known and self.g is None:
            raise UserError(f"problem {self.name} needs u and curl_u, or the trace g = u × n")
        if self.natural:
            self.domain.face_indices(self.natural)  # raises for unknown names of faces

    @property
    def known(self) -> bool:
        """Whether u is given."""
        return self.u is not not_known

    @property
    def closed_form(self) -> bool:
        """Whether u is a formula: a computed reference has an error of its own."""
        return self.known and not self.reference_error

    def trace(self, x: Array, n: Array) -> Array:
        """Return u × n at boundary points with outward normals: `g`, or computed from u."""
        if self.known or self.g is None:
            return np.cross(self.u(x), n, axis=0)
        return np.asarray(self.g(x, n), dtype=float)

    @property
    def singular_edges(self) -> tuple[Edge, ...]:
        """The singular edges, in the form that domains take."""
        return () if self.singular_edge is None else (self.singular_edge,)

    @property
    def smooth(self) -> bool:
        return self.singular_edge is None

    def in_cylinder(self, x: ArrayLike) -> NDArray[np.bool_]:
        """Return whether points lie in the training part; on the cube r ≤ 1 and 0 ≤ x₃ ≤ 1."""
        return self.domain.in_training(x)

    def sample_cylinder(self, N: int, seed: int, *, test: bool = False) -> Array:
        """Return N points (3, N), uniform in the domain's training part.

        `test=True` draws from another stream of the same seed, independent of the training
        points of every seed.
        """
        return self.domain.sample_training(N, seed, test=test)

    def inputs(self, x: ArrayLike, features: Iterable[str] = FEATURES) -> Array:
        """Return the inputs of a net at the points, one row each: (N, 7) for all `features`."""
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
        """Return the targets of a net at the points, one row each: u as (N, 3)."""
        return self.u(components(x).reshape(3, -1)).T.copy()


def _made(found: Any, name: str) -> Problem:
    hint = f"{name} is not a problem: define PROBLEM = Problem(…) (femnets new problem)"
    problem: Problem = declared(found, "PROBLEM", Problem, hint)
    return replace(problem, name=name)


REGISTRY: Registry[Problem] = Registry("problem", __name__, _made, group="problems")
get = REGISTRY.get


def names() -> list[str]:
    """Return the names of all problems, that of the paper first."""
    return sorted(REGISTRY.names(), key=lambda name: (name != "maxwell", name))


class _Problems(ModuleType):
    """This package: a problem's name gives the `Problem`, never the module."""

    def __getattr__(self, name: str) -> Problem:
        if name in REGISTRY.files:
            return get(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and value.__name__ in REGISTRY.files.values()):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Problems
