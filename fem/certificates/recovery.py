"""σ ∈ H(curl) near φ curl u_h with curl σ near f, τ ∈ H(div) near u_h with div τ near ρ, on bricks.

An element solution has no residuals of its own: its curl jumps. Any σ and τ make a bound (maths
12.2); these are least-squares solutions of one order more, two at a singular edge. On a box they
are divisions in the modes of its axes (`fem.spaces.bricks.box`), on a union of bricks two sparse
factorisations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from fem.boundary_value import BoundaryValueProblem
from fem.certificates.constants import Constants
from fem.certificates.raviart_thomas import RaviartThomas
from fem.spaces import Array, Line
from fem.spaces.bricks.assembled import BrickComplex
from fem.spaces.bricks.axis import Axis
from fem.spaces.bricks.box import BoxModes, flat
from fem.spaces.bricks.mesh import BrickMesh, Mask
from fem.spaces.bricks.space import FREE
from fem.spaces.bricks.tensor import Family, Grid, curl, curl_transposed, moments, values, within
from fem.spaces.bricks.traces import face_rule, sampled
from fem.spaces.tets.dofs import tangential

# Weights of ‖f − curl σ‖² and ‖div τ − ρ‖² in the least squares, in units of the constants: large
# enough that these parts of the bound are small.
SIGMA_WEIGHT, TAU_WEIGHT = 10.0, 1e4


@dataclass(frozen=True, eq=False)
class Recovered:
    """u_h, σ and τ by their coefficients on the mesh of one order more."""

    mesh: BrickMesh
    u: list[Array]
    sigma: list[Array]
    tau: list[Array]


@dataclass(frozen=True, eq=False)
class _Loads:
    """Integrals of the data and of u_h against tables of functions."""

    problem: BoundaryValueProblem
    grid: Grid
    u: list[Array]

    def fluxes(self, space: Family, curls: Family) -> tuple[list[Array], list[Array]]:
        """(φ curl u_h, s) and (f, c) for the functions s of a space and c of the curls."""
        c = curl(self.u, [axis.derivative for axis in self.grid.mesh.axes])
        first = [np.zeros([t.shape[1] for t in space.tables(d)]) for d in range(3)]
        second = [np.zeros([t.shape[1] for t in curls.tables(d)]) for d in range(3)]
        for slab, x, w in self.grid.slabs():
            flux = within(self.problem.phi, x, w) * values(c, self.grid.curls.cut(slab))
            f = within(self.problem.f, x, w)
            for total, field, family in ((first, flux, space), (second, f, curls)):
                for part, more in zip(total, moments(field * w, family.cut(slab)), strict=True):
                    part += more
        return first, second

    def fields(self, family: Family) -> list[Array]:
        """(u_h, t) for the functions t of a family."""
        total = [np.zeros([t.shape[1] for t in family.tables(d)]) for d in range(3)]
        for slab, _, w in self.grid.slabs():
            here = values(self.u, self.grid.space.cut(slab)) * w
            for part, more in zip(total, moments(here, family.cut(slab)), strict=True):
                part += more
        return total

    def sources(self, tables: list[Array]) -> Array | float:
        rho = self.problem.rho
        return 0.0 if rho is None else self.grid.scalar_load(rho, tables)


def recovered(problem: BoundaryValueProblem, mesh: BrickMesh, x: Array, C: Constants) -> Recovered:
    """σ and τ on the `raised` mesh, for the solution x on a mesh of bricks."""
    finer = raised(mesh, problem.singular_edge)
    u = _embedded(mesh, finer, x)
    loads = _Loads(problem, Grid.on(finer, problem.singular_edge), u)
    weights = SIGMA_WEIGHT * C.curl**2, TAU_WEIGHT * C.friedrichs**2
    solve = _on_box if finer.is_box and not finer.natural else _on_union
    sigma, tau = solve(loads, *weights)
    return Recovered(finer, u, sigma, tau)


def raised(mesh: BrickMesh, edge: Line | None) -> BrickMesh:
    """One order more everywhere, two in the intervals of x₁ and x₂ that touch a singular edge."""
    towards = (None, None, None) if edge is None else (*edge, None)
    x, y, z = (
        Axis(a.breaks, tuple(p + 1 + (to in a.breaks[i : i + 2]) for i, p in enumerate(a.orders)))
        for a, to in zip(mesh.axes, towards, strict=True)
    )
    return BrickMesh((x, y, z), mesh.mask, mesh.natural)


def _embedded(mesh: BrickMesh, finer: BrickMesh, x: Array) -> list[Array]:
    """The same field on a mesh of higher orders: the bases are hierarchical."""
    found = finer.split(np.zeros(finer.grid_dofs))
    for d, (part, few) in enumerate(zip(found, mesh.split(mesh.expanded(x)), strict=True)):
        places = []
        for k, (a, b) in enumerate(zip(mesh.axes, finer.axes, strict=True)):
            old, new = (a.dofs_Q, b.dofs_Q) if k == d else (a.dofs_V, b.dofs_V)
            place = np.zeros(few.shape[k], dtype=int)
            for here, there in zip(old, new, strict=True):
                place[here] = there[: len(here)]
            places.append(place)
        part[np.ix_(*places)] = few
    return found


def _on_box(loads: _Loads, K: float, L: float) -> tuple[list[Array], list[Array]]:
    """Per mode (1 + K|κ|²) I − K κκᵀ for σ, and I + L κκᵀ for τ."""
    grid = loads.grid
    box = BoxModes(grid.mesh, FREE)
    kappa, square = box.kappa, (box.kappa**2).sum(axis=0)
    flux, f = loads.fluxes(box.space(grid), box.curls(grid))
    B = np.stack(flux) - K * box.curl(np.stack(f))
    sigma = (B + K * kappa * (kappa * B).sum(axis=0)) / (1 + K * square)
    rho = loads.sources([rule.Q @ m.S for rule, m in zip(grid.rules, box.modes, strict=True)])
    B = np.stack(loads.fields(box.curls(grid))) + L * kappa * rho
    tau = B - L * kappa * (kappa * B).sum(axis=0) / (1 + L * square)
    back = Family([m.C.T for m in box.modes], [m.S.T for m in box.modes])
    return box.coefficients(sigma), moments(tau, back)


def _on_union(loads: _Loads, K: float, L: float) -> tuple[list[Array], list[Array]]:
    """The same least squares, with the natural traces of σ and τ held."""
    mesh, grid = loads.grid.mesh, loads.grid
    flux, f = loads.fluxes(grid.space, grid.curls)
    D = [axis.derivative for axis in mesh.axes]
    load = flat(flux) + K * flat(curl_transposed(f, D))
    fixed, held = _natural_sigma(loads.problem, mesh)
    complex_ = BrickComplex(mesh)
    sigma = fixed
    if load.any() or fixed.any():
        A = complex_.mass() + K * complex_.stiffness(lambda x: np.ones(x.shape[1:]))
        sigma = _solved(A, load, fixed, mesh.present & ~held)
    space = RaviartThomas(mesh)
    div = space.divergence()
    load = flat(loads.fields(grid.curls))
    if loads.problem.rho is not None:
        rho = np.asarray(loads.sources([rule.Q for rule in grid.rules])).ravel()
        of = [np.repeat(np.arange(axis.intervals), axis.orders) for axis in mesh.axes]
        load = load + L * (div.T @ rho[np.flatnonzero(mesh.active[np.ix_(*of)])])
    fixed, held = _natural_tau(loads.problem, space)
    tau = _solved(space.mass() + L * (div.T @ div), load, fixed, space.present & ~held)
    return mesh.split(sigma), space.split(tau)


def _solved(A: sp.csr_matrix, b: Array, fixed: Array, free: Mask) -> Array:
    """A symmetric system with some unknowns held."""
    index, x = np.flatnonzero(free), fixed.copy()
    rest = (b - A @ x)[index]
    factors = splu(
        A[index][:, index].tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    x[index] = factors.solve(rest)
    return x


def _natural_sigma(problem: BoundaryValueProblem, mesh: BrickMesh) -> tuple[Array, Mask]:
    """The tangential trace of φ curl u on natural faces, and which functions have one."""
    fixed, held = np.zeros(mesh.grid_dofs), np.zeros(mesh.grid_dofs, dtype=bool)
    parts, marks = mesh.split(fixed), mesh.split(held)
    for face in mesh.natural_faces:
        assert problem.natural is not None
        x, normal, samplings = sampled(mesh, face, problem.singular_edge)
        given = tangential(problem.natural.curl, normal[:, :1, 0])(x.reshape(3, 1, -1))
        flux = given.reshape(x.shape)
        for d in face.across:
            first, second = (samplings[k][0 if k == d else 1] for k in face.across)
            index = mesh.face_index(face, d)
            parts[d][index] = np.expand_dims(first @ flux[d] @ second.T, face.axis)
            marks[d][index] = True
    return fixed, held


def _natural_tau(problem: BoundaryValueProblem, space: RaviartThomas) -> tuple[Array, Mask]:
    """The L² projection of u·n on natural faces, and which functions have a normal trace there."""
    fixed, held = np.zeros(space.dofs), np.zeros(space.dofs, dtype=bool)
    parts, marks = space.split(fixed), space.split(held)
    for face in space.mesh.natural_faces:
        assert problem.natural is not None
        x, normal, tables, weights = face_rule(space.mesh, face, problem.singular_edge)
        first, second = (tables[k][1] for k in face.across)
        values_ = face.sign * (first.T @ (problem.natural.normal(x, normal) * weights) @ second)
        index = space.face_index(face)
        parts[face.axis][index] = np.expand_dims(values_, face.axis)
        marks[face.axis][index] = True
    return fixed, held
