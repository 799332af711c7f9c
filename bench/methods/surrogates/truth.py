"""One p-version solve per query, with everything that does not depend on μ kept between queries.

It is the method that a surrogate has to beat, and the one that makes snapshots. u = u₁ + v: u₁
solves the problem with φ = 1, v has zero trace and no divergence, and its coefficients in the
modes of the box are orthonormal in L² (`fem.spaces.bricks.box_solve`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from bench.problems.families import Array, Family
from fem.rules.quadrature import gauss
from fem.spaces.bricks.box import flat
from fem.spaces.bricks.box_solve import BoxSystem, Coefficient, Correction, Lift
from fem.spaces.bricks.mesh import uniform
from fem.spaces.bricks.space import BrickSpace
from fem.spaces.bricks.tensor import Family as Tables
from fem.spaces.bricks.tensor import values
from fem.spaces.bricks.traces import trace_coefficients

GRID = 32  # points per direction of a whole field


def grid_line() -> Array:
    """The coordinates of the points of a whole field."""
    return (np.arange(GRID) + 0.5) / GRID


def grid_points() -> Array:
    """The points of a whole field, (3, GRID, GRID, GRID)."""
    return np.stack(np.meshgrid(*[grid_line()] * 3, indexing="ij"))


@lru_cache(maxsize=4)
def cube_rule(count: int) -> tuple[Array, Array]:
    """Gauss points (3, count³) of the cube and their weights."""
    x, w = gauss(count)
    points = np.stack(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1)
    return points, np.einsum("i,j,k->ijk", w, w, w).ravel()


@dataclass(frozen=True, eq=False)
class Truth:
    """The p-version of one order on one brick, for all μ of a family."""

    family: Family
    order: int

    @cached_property
    def system(self) -> BoxSystem:
        return BoxSystem.on(uniform(1, self.order))

    @cached_property
    def space(self) -> BrickSpace:
        return BrickSpace(self.system.mesh)

    @cached_property
    def _one_trace(self) -> Array:
        return trace_coefficients(self.system.mesh, self.family.problem(self.family.middle).g)

    @cached_property
    def _lifts(self) -> dict[bytes, Lift]:
        """The last lift by its μ."""
        return {}

    def lift(self, mu: Array) -> Lift:
        """u₁; one for all μ where f and g are fixed."""
        mu = self.family.middle if self.family.varies == "phi" else mu
        if (key := mu.tobytes()) not in self._lifts:
            self._lifts.clear()
            problem = self.family.problem(mu)
            fixed = self.family.varies != "f and g"
            trace = self._one_trace if fixed else trace_coefficients(self.system.mesh, problem.g)
            self._lifts[key] = Lift.of(self.system, problem, trace)
        return self._lifts[key]

    @cached_property
    def _one_phi(self) -> Coefficient:
        return self._phi(self.family.middle)

    def _phi(self, mu: Array) -> Coefficient:
        return Coefficient(self.system, lambda x: self.family.phi(mu, x))

    def coefficient(self, mu: Array) -> Coefficient:
        """φ; one for all μ where only the data vary."""
        return self._phi(mu) if self.family.varies == "phi" else self._one_phi

    def solve(self, mu: Array, tol: float, start: Array | None = None) -> Correction:
        """y = |κ| v with ‖φ^½ curl(v − v_exact)‖ ≤ tol √min φ ‖curl u₁‖, hence an L² error of v of
        at most tol ‖curl u₁‖/π√2 compared with the solution of this order."""
        phi, lift = self.coefficient(mu), self.lift(mu)
        bound = tol * self.size(lift) * phi.smallest**0.5
        return phi.solve(phi.load(lift.curls), bound, start)

    def size(self, lift: Lift) -> float:
        """‖curl u₁‖."""
        pairs = zip(self.system.weights, lift.curls, strict=True)
        return float(sum((w * c**2).sum() for w, c in pairs)) ** 0.5

    def bound(self, mu: Array, y: Array) -> float:
        """η of any y: an upper bound of the energy distance to this order's solution."""
        phi = self.coefficient(mu)
        return phi.bound(phi.load(self.lift(mu).curls) - phi.apply(y))

    def energy(self, mu: Array, y: Array) -> float:
        """‖φ^½ curl v‖ of v = y/|κ|."""
        return self.coefficient(mu).energy(self.system.curls(y))

    def coefficients(self, mu: Array, y: Array) -> Array:
        """u₁ + v in the space's own basis."""
        return self.lift(mu).coefficients(y)

    def increment(self, y: Array) -> Array:
        """v alone in the space's own basis."""
        return flat(self.system.box.coefficients(y / self.system.scale))

    @cached_property
    def _grid_tables(self) -> Tables:
        return self.tables(grid_line())

    def tables(self, points: Array) -> Tables:
        """The functions of the space at the points of a line, for each axis."""
        found = [axis.tables(points) for axis in self.system.mesh.axes]
        return Tables([Q for _, Q in found], [V for V, _ in found])

    def on_grid(self, x: Array) -> Array:
        """The field on GRID³ points, (3, …), by sum factorisation."""
        return values(self.system.mesh.split(x), self._grid_tables)

    @cached_property
    def mean(self) -> Array:
        """x ↦ ∫ of the first component as a vector: the functional that is timed."""
        parts = self.system.mesh.split(np.zeros(self.system.mesh.grid_dofs))
        along, *across = self.system.grid.rules
        lines = [along.weights @ along.Q, *(rule.weights @ rule.V for rule in across)]
        parts[0] += np.einsum("i,j,k->ijk", *lines)
        return flat(parts)
