"""Kikuchi's mixed problem on a box of bricks, in the modes of `fem.spaces.bricks.box`.

u = u₁ + v, where u₁ solves the problem with φ = 1 by divisions and carries f, ρ and the trace, and
v without trace and without gradient part solves

    (φ curl v, curl w) = ((1 − φ) curl u₁, curl w)   for all modes w.

In the coordinates y = |κ| v the curl R = κ × / |κ| is an isometry, and the matrix is A = RᵀφR.
B = Rᵀφ⁻¹R is its preconditioner, with nothing to set up: A⁻¹ ≤ B for every φ > 0 (Schur), so that
the eigenvalues of BA lie between 1 and (a + b)²/4ab for a ≤ φ ≤ b (Kantorovich), and for smooth φ
most of them at 1. For the same reason η = (rᵀBr)^½ of a residual r bounds the energy error,
‖φ^½ curl(v − v_y)‖ ≤ η, without a constant: conjugate gradients stop by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from base.errors import NotConverged
from fem.fields import positive
from fem.spaces import PLAIN, Array, How
from fem.spaces.bricks.axis import Axis
from fem.spaces.bricks.box import BoxModes, cross, flat
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.tensor import (
    VALUES_AT_ONCE,
    Family,
    Grid,
    Scalar,
    combine,
    curl,
    moments,
    values,
)

if TYPE_CHECKING:
    from fem.boundary_value import BoundaryValueProblem

ROUNDING = 1e-13  # the p-version's errors go down to rounding, and an iteration costs little
MAX_ITERATIONS = 500
KEPT = 8  # systems of small meshes that are kept between calls
Slabs = list[Array]  # values on the slabs of a grid, (…, x, y, z) each


class Correction(NamedTuple):
    """v = y/|κ| with ‖φ^½ curl(v − v_exact)‖ ≤ bound."""

    y: Array
    iterations: int
    bound: float


@dataclass(frozen=True, eq=False)
class BoxSystem:
    """Modes, rule and tables of a box, all that its solves share; φ enters by its values."""

    mesh: BrickMesh

    @classmethod
    def on(cls, mesh: BrickMesh) -> BoxSystem:
        """The system of a mesh; for a small one that of an earlier call with the same bricks."""
        if math.prod(sum(p + 6 for p in axis.orders) for axis in mesh.axes) > VALUES_AT_ONCE:
            return cls(mesh)
        axes = tuple((axis.breaks.tobytes(), axis.orders) for axis in mesh.axes)
        return _kept_system(axes, mesh.natural)

    @cached_property
    def box(self) -> BoxModes:
        return BoxModes(self.mesh, self.mesh.held)

    @cached_property
    def grid(self) -> Grid:
        return Grid.on(self.mesh)

    @cached_property
    def scale(self) -> Array:
        """|κ|."""
        return np.sqrt(self.box.squares)

    @cached_property
    def _direction(self) -> Array:
        return self.box.kappa / self.scale

    @cached_property
    def _tables(self) -> list[Family]:
        family = self.box.curls(self.grid)
        return [family.cut(slab) for slab, _, _ in self.grid.slabs()]

    @cached_property
    def weights(self) -> Slabs:
        """The weights of the rule."""
        return [weights for _, _, weights in self.grid.slabs()]

    def sampled(self, function: Scalar) -> Slabs:
        """A function at the points of the rule."""
        return [np.asarray(function(points)) for _, points, _ in self.grid.slabs()]

    def curls(self, y: Array) -> Slabs:
        """R y at the points of the rule: the curl of v."""
        rotated = list(cross(self._direction, y))
        return [values(rotated, tables) for tables in self._tables]

    def tested(self, fields: Slabs) -> Array:
        """Rᵀ of fields that contain the weights of the rule."""
        total = np.zeros_like(self._direction)
        for field, tables in zip(fields, self._tables, strict=True):
            for part, moment in zip(total, moments(field, tables), strict=True):
                part += moment
        return -cross(self._direction, total)

    def applied(self, weights: Slabs, y: Array) -> Array:
        """RᵀwR y."""
        fields = self.curls(y)
        for field, weight in zip(fields, weights, strict=True):
            field *= weight
        return self.tested(fields)


@lru_cache(maxsize=KEPT)
def _kept_system(axes: tuple[tuple[bytes, tuple[int, ...]], ...], natural: Any) -> BoxSystem:
    x, y, z = (Axis(np.frombuffer(breaks), orders) for breaks, orders in axes)
    return BoxSystem(BrickMesh((x, y, z), natural=natural))


class Coefficient:
    """φ on a system: the products with A and B, and the bound of the energy error."""

    def __init__(self, system: BoxSystem, phi: Scalar) -> None:
        self.system, self.values = system, system.sampled(positive(phi))
        pairs = list(zip(self.values, system.weights, strict=True))
        self._weights = [phi * w for phi, w in pairs]
        self._inverse = [w / phi for phi, w in pairs]

    @property
    def smallest(self) -> float:
        return min(float(phi.min()) for phi in self.values)

    def apply(self, y: Array) -> Array:
        return self.system.applied(self._weights, y)

    def precondition(self, r: Array) -> Array:
        return self.system.applied(self._inverse, r)

    def bound(self, r: Array) -> float:
        """η = (rᵀBr)^½ of a residual r, a bound of ‖φ^½ curl e‖."""
        return math.sqrt(max(float(np.vdot(r, self.precondition(r))), 0.0))

    def energy(self, curls: Slabs) -> float:
        """‖φ^½ w‖ of a field w at the points of the rule."""
        pairs = zip(self._weights, curls, strict=True)
        return math.sqrt(sum(float((w * c**2).sum()) for w, c in pairs))

    def load(self, curls: Slabs) -> Array:
        """((1 − φ) w, curl ·)."""
        pairs = zip(self.system.weights, self._weights, curls, strict=True)
        return self.system.tested([(w - weighted) * c for w, weighted, c in pairs])

    def solve(
        self, load: Array, bound: float, start: Array | None = None, how: How = PLAIN
    ) -> Correction:
        """A y = load by conjugate gradients until the energy error is at most `bound`."""
        bound = max(bound, 1e-300)
        y = np.zeros_like(load) if start is None else start.copy()
        r = load.copy() if start is None else load - self.apply(y)
        z, p, rho = self.precondition(r), np.zeros_like(r), math.inf
        for iteration in range(MAX_ITERATIONS + 1):
            previous, rho = rho, max(float(np.vdot(r, z)), 0.0)
            eta = math.sqrt(rho)
            how.report("solve", -math.log10(max(eta, bound)), -math.log10(bound))
            if eta <= bound:
                return Correction(y, iteration, eta)
            p *= rho / previous
            p += z
            q = self.apply(p)
            alpha = rho / float(np.vdot(p, q))
            y += alpha * p
            r -= alpha * q
            z = self.precondition(r)
        raise NotConverged(
            f"conjugate gradients stopped after {iteration} iterations at an energy error of "
            f"{eta:.1e} instead of {bound:.1e}; is φ finite and smooth on the bricks?"
        )


@dataclass(frozen=True, eq=False)
class Lift:
    """u₁, the solution for φ = 1, and what does not depend on φ: one for many φ."""

    system: BoxSystem
    x: Array  # coefficients of u₁ in V and Q
    curls: Slabs  # curl u₁ at the points of the rule
    multiplier: Array  # the modes of p_h
    source: Array  # (ρ, q) for the potentials q

    @classmethod
    def of(cls, system: BoxSystem, problem: BoundaryValueProblem, boundary: Array) -> Lift:
        """`boundary` holds the coefficients of any field with the trace."""
        box, grid, mesh = system.box, system.grid, system.mesh
        fine = grid if problem.singular_edge is None else Grid.on(mesh, problem.singular_edge)
        parts = mesh.split(boundary)
        load = np.stack(fine.load(problem.f, box.space(fine)))
        p = box.poisson(box.divergence(load))
        spin = curl(parts, [axis.derivative for axis in mesh.axes])
        start = box.solve_curl_curl(box.without_gradients(load) - box.project_curl(spin))
        source = np.zeros_like(p)
        if problem.rho is not None:
            source = np.where(box.potentials, fine.scalar_load(problem.rho, box.scalars(fine)), 0.0)
        gauss = -source - box.divergence(box.project(parts) + start)
        x = boundary + flat(box.coefficients(start + box.kappa * box.poisson(gauss)))
        curls = system.curls(start * system.scale)
        for (slab, _, _), field in zip(grid.slabs(), curls, strict=True):
            field += values(spin, grid.curls.cut(slab))
        return cls(system, x, curls, p, source)

    def coefficients(self, y: Array) -> Array:
        """u₁ + v in V and Q."""
        return self.x + flat(self.system.box.coefficients(y / self.system.scale))


def solve_box(
    mesh: BrickMesh,
    problem: BoundaryValueProblem,
    boundary: Array,
    how: How,
) -> dict[str, Any]:
    """u_h = u₁ + v; `boundary` holds the coefficients of a field with the trace."""
    system = BoxSystem.on(mesh)
    box, lift = system.box, Lift.of(system, problem, boundary)
    phi = Coefficient(system, problem.phi)
    size = max(phi.energy(lift.curls), 1e-300)
    tol = min(how.tol, ROUNDING)
    solved = phi.solve(phi.load(lift.curls), tol * size, how=how)
    x = lift.coefficients(solved.y)
    u = box.project(mesh.split(x))
    scale = system.scale * max(float(np.linalg.norm(u)), 1e-300)
    return {
        "x": x,
        "multiplier": combine(lift.multiplier, *(m.C for m in box.modes)).ravel(),
        "multiplier_norm": float(np.linalg.norm(box.kappa * lift.multiplier)),
        "divergence": float(abs((lift.source + box.divergence(u)) / scale).max(initial=0.0)),
        "iterations": solved.iterations,
        "residual": solved.bound / size,
    }
