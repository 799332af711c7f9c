"""Kikuchi's mixed problem with N₀ on the Kuhn tetrahedra of the uniform cube, without a matrix.

Three solves in a row, as on any mesh. The two Laplacians are direct: on Kuhn tetrahedra (∇p, ∇q) is
the seven-point stencil, which sine modes diagonalise. The curl-curl system takes conjugate
gradients preconditioned by

    2 diag(K)⁻¹ + Π φ^{−½} H⁺ φ^{−½} Πᵀ,

H the hexahedral curl-curl matrix for φ = 1 with zero trace, diagonal in products of modes, and Π
the interpolation of hexahedral fields, which carries gradients to gradients. Iterations to 1e-8 on
`helix`, where φ varies sevenfold: 25, 26, 26 at n = 8, 16, 32 (29, 33, 37 with a constant for φ).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import permutations, product
from typing import TYPE_CHECKING, Unpack

import numpy as np

from fem import memory, meshes
from fem.boundary_value import BoundaryValueProblem, BoundaryValueSolution
from fem.fields import positive
from fem.rules.cell_rules import gauss
from fem.solutions import Clock, Label
from fem.solvers.cg import MatrixSystem, conjugate_gradients, norm
from fem.solvers.stencil import applied, layout, prolongation, restriction, system_rows
from fem.spaces import PLAIN, Array, How, LinearSolve
from fem.spaces.bricks.box import BoxModes
from fem.spaces.bricks.mesh import uniform
from fem.spaces.bricks.tensor import combine
from fem.spaces.cube.cells import (
    DIRECTIONS,
    HEX_CLASSES,
    KUHN,
    TET_CLASSES,
    KuhnTet,
    mesh_dofs,
    size,
    split,
)
from fem.spaces.cube.integrals import add_load, at_points, blocks, whole
from fem.spaces.cube.rules import CubeRule, gauss_rule, lattice_rule
from fem.spaces.cube.tets import SMOOTHER, CubeTets
from fem.spaces.cube.weighted import WeightedCurlCurl, hold_zero
from fem.spaces.tets.complex import TetComplex
from fem.spaces.tets.dofs import POINTS, tangential

if TYPE_CHECKING:
    from fem.spaces.bricks.tensor import Scalar


ESTIMATE_UP_TO = 40  # cells per side; on a mesh it takes 7 times as long as the solve


@dataclass(frozen=True, kw_only=True)
class CubeSolution(BoundaryValueSolution):
    """u_h in the numbering of the cube; p_h is given at the vertices."""

    def on_mesh(self) -> BoundaryValueSolution:
        """The same solution in the numbering of scikit-fem's mesh."""
        n, complex_ = self.space.n, TetComplex.on(meshes.cube(self.space.n))
        numbers, signs = mesh_dofs(complex_.mesh, n, TET_CLASSES)
        x = np.empty_like(self.x)
        x[numbers] = self.x * signs
        vertices = tuple(np.rint(complex_.mesh.p * n).astype(int))
        p = self.multiplier.reshape((n + 1,) * 3)[vertices]
        values = {entry.name: getattr(self, entry.name) for entry in fields(BoundaryValueSolution)}
        return BoundaryValueSolution(**values | {"x": x, "multiplier": p, "space": complex_})

    def estimate(self, problem: BoundaryValueProblem) -> float | None:
        """η cube by cube; at a singular edge, whose rules need a mesh, None on fine ones."""
        from fem.spaces.cube.estimate import estimate

        if problem.singular_edge is None:
            return estimate(problem, self.space.n, self.x, self.multiplier)
        return self.on_mesh().estimate(problem) if self.space.n <= ESTIMATE_UP_TO else None


def solve_on_cube(
    problem: BoundaryValueProblem, *, n: int, how: How, **label: Unpack[Label]
) -> CubeSolution:
    """u_h with the trace g, given f, φ, ρ and g."""
    memory.reset_peak()
    clock, phi = Clock(), positive(problem.phi)
    K, M = WeightedCurlCurl(n, phi), mass(n)
    x, load = boundary_dofs(problem, n), vector_load(problem, n, how)
    source = scalar_load(problem, n)
    clock.lap("assemble")
    p = poisson(gradient_transposed(load, n), n)
    slope = gradient(p, n)
    rest = hold_zero(load - M(slope), n) - K(x)
    start = np.zeros_like(x)
    if how.guess is not None:  # it has the trace already: only the rest is guessed
        start = hold_zero(CubeTets(n).interpolate(how.guess) - x, n)
    solved = _curl_curl(K, HexCorrection(n, phi), rest, start, how)
    x += solved.x
    x += gradient(poisson(-source - gradient_transposed(M(x), n), n), n)
    clock.lap("solve")
    return CubeSolution(
        n=n,
        **label,
        space=CubeTets(n),
        **solved._replace(x=x)._asdict(),
        **clock.cost(),
        multiplier=p.ravel(),
        multiplier_norm=float(np.sqrt(max(float(slope @ M(slope)), 0.0))),
        divergence=_divergence(x, M(x), source, n),
    )


def _divergence(x: Array, Mx: Array, source: Array, n: int) -> float:
    """max |(u, ∇q) + (ρ, q)| / (‖u‖ ‖∇q‖) over the hats inside, ‖∇q‖² = 6h."""
    left = abs(source + gradient_transposed(Mx, n))[1:-1, 1:-1, 1:-1]
    return float(left.max(initial=0.0) / np.sqrt(6.0 / n * max(float(x @ Mx), 1e-300)))


def _curl_curl(
    K: WeightedCurlCurl, coarse: HexCorrection, b: Array, start: Array, how: How
) -> LinearSolve:
    """K x = b for b without gradient part, x zero on the faces, as b and the start are."""
    smoother = SMOOTHER / K.diagonal()

    def precondition(r: Array) -> Array:
        z = coarse(r)
        z += smoother * r
        return z

    return conjugate_gradients(
        MatrixSystem(K, precondition), b - K(start), start, how, norm_b=norm(b, how.threads)
    )


class HexCorrection:
    """r ↦ Π φ^{−½} H⁺ φ^{−½} Πᵀ r, H = (curl ·, curl ·) on the hexahedra with zero trace."""

    def __init__(self, n: int, phi: Scalar) -> None:
        mesh = uniform(n, 1)
        box = BoxModes(mesh, mesh.held)
        self._n, self._scale = n, _at_hex_edges(phi, n) ** -0.5
        # Loads of H have no gradient part but for what φ brings in, so that H⁺ b is b / |κ|²,
        # component by component. A dof is ∫ u·t, √h times the coefficient of Q's constants.
        self._factors = 1.0 / (n * box.squares)
        self._tables = [[m.S if k == d else m.C for k, m in enumerate(box.modes)] for d in range(3)]
        self._at, self._hex_at = layout(n, TET_CLASSES), layout(n, HEX_CLASSES)
        self._down = restriction().stencil(self._at)
        self._up = prolongation().stencil(self._hex_at)

    def __call__(self, r: Array) -> Array:
        coarse = applied(self._down, r, self._hex_at)
        coarse *= self._scale
        for part, tables in zip(split(coarse, self._n, HEX_CLASSES), self._tables, strict=True):
            X = combine(part, *(table.T for table in tables))
            part[:] = combine(X * self._factors, *tables)
        coarse *= self._scale
        return applied(self._up, coarse, self._at)


def _at_hex_edges(phi: Scalar, n: int) -> Array:
    """φ at the midpoints of the edges along the axes."""
    values = np.empty(size(n, HEX_CLASSES))
    for d, part in zip(DIRECTIONS, split(values, n, HEX_CLASSES), strict=False):
        part[:] = phi((np.indices(part.shape) + d[:, None, None, None] / 2) / n)
    return values


def mass(n: int) -> Callable[[Array], Array]:
    """x ↦ (u, v) over all edges."""
    at = layout(n, TET_CLASSES)
    stencil = system_rows(n, curls=0.0).stencil(at)
    return lambda x: applied(stencil, x, at)


def gradient(p: Array, n: int) -> Array:
    """ψ(b) − ψ(a) on every edge, for values at the vertices (n + 1, n + 1, n + 1)."""
    x = np.empty(size(n, TET_CLASSES))
    for d, part in zip(DIRECTIONS, split(x, n, TET_CLASSES), strict=True):
        part[:] = p[_window(d, part, 1)] - p[_window(d, part, 0)]
    return x


def gradient_transposed(x: Array, n: int) -> Array:
    """Gᵀ x at the vertices."""
    p = np.zeros((n + 1,) * 3)
    for d, part in zip(DIRECTIONS, split(x, n, TET_CLASSES), strict=True):
        p[_window(d, part, 1)] += part
        p[_window(d, part, 0)] -= part
    return p


def _window(d: Array, part: Array, end: int) -> tuple[slice, ...]:
    return tuple(slice(end * step, end * step + s) for step, s in zip(d, part.shape, strict=True))


def poisson(b: Array, n: int) -> Array:
    """p, zero on the faces, with h (6 p − Σ of the six neighbours) = b inside."""
    k = np.arange(1, n)
    S = np.sqrt(2 / n) * np.sin(np.pi * np.outer(k, k) / n)
    values = 2 - 2 * np.cos(np.pi * k / n)
    total = values[:, None, None] + values[:, None] + values
    p = np.zeros_like(b)
    inner = combine(b[1:-1, 1:-1, 1:-1], S, S, S) * (n / total)
    p[1:-1, 1:-1, 1:-1] = combine(inner, S, S, S)
    return p


def load_rule(n: int) -> CubeRule:
    """What a rule misses of (f, ∇q) = 0 shows in p_h. Lattices share their points: degree 3 leaves
    ‖∇p_h‖ = 2e-11 on `helix` at n = 32, degree 2 4e-6 on `maxwell` at n = 12."""
    return gauss_rule(KUHN, 5 if n <= 8 else 4) if n <= 16 else lattice_rule(KUHN, 3)


def vector_load(problem: BoundaryValueProblem, n: int, how: How = PLAIN) -> Array:
    """(f, v)."""
    b = np.zeros(size(n, TET_CLASSES))
    how = replace(how, singular_edge=problem.singular_edge)
    add_load(b, KUHN, n, load_rule(n), lambda rule: rule.load_u / n**2, (problem.f,), how)
    return b


def scalar_load(problem: BoundaryValueProblem, n: int) -> Array:
    """(ρ, q) for the hats of the vertices."""
    b = np.zeros((n + 1,) * 3)
    if problem.rho is None:
        return b
    rho, rule = problem.rho, gauss_rule(KUHN, 3 if n < 16 else 2)
    for block in blocks(whole(n, rule)):
        values = at_points((lambda x: rho(x)[None],), block, n)[0]
        if not values.any():
            continue
        for order, piece in zip(permutations(range(3)), rule.pieces, strict=True):
            tet = KuhnTet(order)
            hats = tet.barycentric(rule.points[:, piece.nodes]) * piece.mix[:, 0] ** 2 / n**3
            for corner, part in zip(tet.corners, hats @ values[piece.nodes], strict=True):
                b[block.window(tuple(corner))] += part.reshape(block.shape)
    return b


def boundary_dofs(problem: BoundaryValueProblem, n: int) -> Array:
    """∫ u·t on the edges of the faces, for u × n = g + ∇ψ × n; zero inside."""
    x = np.zeros(size(n, TET_CLASSES))
    parts = split(x, n, TET_CLASSES)
    t, weights = gauss(POINTS)
    for axis, side in product(range(3), (0, 1)):
        normal = np.zeros((3, 1))
        normal[axis] = 2 * side - 1
        u = tangential(problem.g, normal)
        for d, part in zip(DIRECTIONS, parts, strict=True):
            if d[axis]:
                continue
            face = np.moveaxis(part, axis, 0)[side * n]
            base = np.insert(np.indices(face.shape), axis, side * n, axis=0)
            points = (base[..., None] + d[:, None, None, None] * t) / n
            values = u(points.reshape(3, 1, -1)).reshape(points.shape)
            face[:] = np.einsum("dijq,d,q->ij", values, d, weights) / n
    if problem.potential is not None:
        nodes = np.indices((n + 1,) * 3) / n
        part = gradient(problem.potential(nodes), n)
        x += part - hold_zero(part.copy(), n)
    return x
