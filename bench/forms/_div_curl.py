"""Nets told curl u = 0, div u = 0 and the boundary trace on the L-shaped prism, never u.

The loss is the energy of the classical nodal method, so that its limit is known: the mean of
|curl u|² + |r^a div u|² inside, plus a weight times the mean of |u × n − g|² on the sides and of
|u·n|² on the caps. Boundary values at the re-entrant edge go by penalty or are built in by distance
factors; rules inside and on its two faces are uniform or graded, each apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import problems
from bench.domains import Array, Domain
from bench.errors import UserError
from bench.forms import _operators as op
from bench.forms._boundary import boundary_terms
from bench.forms._built_in import BuiltIn
from bench.forms._clouds import Cloud, Rim
from bench.problems._wedge import NU, harmonic, harmonic_gradient
from nets.residuals.terms import Residuals

if TYPE_CHECKING:
    from bench.solving import SolvedField
    from fem.rules.polar import Resolution
    from nets.module import Network

EDGE_FACES = ("x1=0", "x2=0")  # of the re-entrant edge
RULES = ("uniform", "graded")
BOUNDARIES = ("penalty", "exact")
PANELS = 3  # points per panel of graded rules
POWER = 3  # r = σ³
CUT = 0.8  # where the singular function has been cut off
HELD_OUT = 1  # stream of the points that a net is not trained on
COARSE = (6, 2.5)  # of the mesh solve beside a net: cells per unit length, grading


@dataclass(frozen=True)
class Setting:
    """What decides the loss, but for the net."""

    problem: str = "reentrant"
    boundary: str = "penalty"
    inside: str = "uniform"
    rim: str = "uniform"
    div_exponent: float = 0.0
    singular: bool = False
    points: int = 1296
    boundary_points: int = 600
    boundary_weight: float = 10.0
    data_seed: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("boundary", self.boundary, BOUNDARIES),
            ("inside", self.inside, RULES),
            ("rim", self.rim, RULES),
        ):
            if value not in known:
                raise UserError(f"{name} is {' or '.join(known)}, not {value!r}")
        if self.problem != "reentrant":
            raise UserError(f"the div-curl loss is for reentrant, curl u = 0, not {self.problem}")

    @cached_property
    def domain(self) -> Domain:
        return problems.get(self.problem).domain

    @property
    def built_in(self) -> BuiltIn | None:
        """u = lift + factors · net, where something is built in or added."""
        if self.boundary == "penalty" and not self.singular:
            return None
        return BuiltIn(
            edge_factors if self.boundary == "exact" else _ones,
            cut_off_singularity if self.singular else _nothing,
        )

    def terms(self, stream: int = 0) -> list[Residuals]:
        """On the points to train on, or on others drawn alike: uniform ones, never trained on."""
        if stream:
            inside, rim = "uniform", "uniform"
        else:
            inside, rim = self.inside, self.rim
        cloud = self._cloud(inside, stream)
        edge = self._edge_rim(rim, stream)
        return self._collected(cloud, [edge, self._outer_rim(stream)])

    def fine_terms(self) -> list[Residuals]:
        """The same loss by rules graded to the edge everywhere: what it is, not what points say."""
        return self._collected(
            _inside(self.domain, None),
            [_graded_edge_rim(self.domain, 10, 6), *_fine_outer(self.domain)],
        )

    def _collected(self, cloud: Cloud, rims: list[Rim]) -> list[Residuals]:
        problem = problems.get(self.problem)
        found = [_energy(problem.domain, cloud, self.div_exponent)]
        held = problem.domain.face_indices(EDGE_FACES)
        for rim in rims:
            at_edge = bool(np.isin(rim.face, held).all())
            if at_edge and self.boundary == "exact":
                continue
            found += [
                _values_only(term) for term in boundary_terms(problem, rim, self.boundary_weight)
            ]
        built_in = self.built_in
        return found if built_in is None else [built_in.told(term) for term in found]

    def _cloud(self, rule: str, stream: int) -> Cloud:
        if rule == "graded":
            return _inside(self.domain, max(1, round(self.points / (6 * 2 * PANELS**3))))
        x = self.domain.sample(self.points, self.data_seed, "quasi", stream)
        return Cloud(x, np.full(self.points, 1.0 / self.points))

    def _edge_rim(self, rule: str, stream: int) -> Rim:
        share = _share(self.domain, EDGE_FACES)
        if rule == "graded":
            panels = max(1, round(share * self.boundary_points / (2 * PANELS**2)))
            return _graded_edge_rim(self.domain, panels, 1)
        count = max(8, round(share * self.boundary_points))
        found = self.domain.sample_boundary(count, self.data_seed, "quasi", EDGE_FACES, stream)
        return Rim(found.x, np.full(count, share / count), found.normal, found.face)

    def _outer_rim(self, stream: int) -> Rim:
        names = [face.name for face in self.domain.faces if face.name not in EDGE_FACES]
        share = _share(self.domain, names)
        count = max(8, round(share * self.boundary_points))
        found = self.domain.sample_boundary(count, self.data_seed, "quasi", names, stream)
        return Rim(found.x, np.full(count, share / count), found.normal, found.face)

    def field(self, net: Network) -> SolvedField:
        from bench.solving import SolvedField

        return SolvedField(net, self.built_in)


def _energy(domain: Domain, cloud: Cloud, exponent: float) -> Residuals:
    """curl u and r^a div u."""
    N, scale = len(cloud), np.sqrt(cloud.weights)
    weight = domain.edge_distance(cloud.x) ** exponent if exponent else np.ones(N)
    A = np.concatenate([op.curl("first", N), op.divergence("first", N) * weight]) * scale
    labels = ("curl",) * 3 + ("divergence",)
    return Residuals(x=cloud.x.T, order="first", A=A, b=np.zeros((4, N)), labels=labels)


def _values_only(term: Residuals) -> Residuals:
    """Of a natural face u·n alone: that the curl vanishes is said inside."""
    keep = [k for k, label in enumerate(term.labels) if label == "boundary"]
    labels = tuple(term.labels[k] for k in keep)
    return Residuals(x=term.x, order=term.order, A=term.A[keep], b=term.b[keep], labels=labels)


# ---------------------------------------------------------------- rules


def _share(domain: Domain, names: Any) -> float:
    areas = {face.name: face.area for face in domain.faces}
    return sum(areas[name] for name in names) / sum(areas.values())


def _inside(domain: Domain, panels: int | None) -> Cloud:
    """The rule graded to the edge, as a mean; None: the ruler's own, finer one."""
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Union

    coarse: Resolution | None = None
    if panels is not None:
        coarse = Resolution(order=PANELS, angle=2, radius=panels, height=1)
    pieces = list(Union(tuple(domain.rules((), coarse).values())).chunks())
    points = np.concatenate([piece.points for piece in pieces], axis=1)
    weights = np.concatenate([piece.weights for piece in pieces])
    return Cloud(points, weights / domain.volume)


def _graded_edge_rim(domain: Domain, panels: int, height: int) -> Rim:
    """Gauss on the two faces of the edge, the distance from it graded like σ³."""
    from fem.rules.quadrature import gauss

    (t, w), (x3, w3) = gauss(PANELS, panels), gauss(PANELS, height)
    r, weights = t**POWER, POWER * t ** (POWER - 1) * w
    across, along = np.repeat(r, x3.size), np.tile(x3, r.size)
    total = np.outer(weights, w3).ravel() * _share(domain, EDGE_FACES) / 2
    zero = np.zeros_like(across)
    parts = {"x1=0": np.stack([zero, -across, along]), "x2=0": np.stack([across, zero, along])}
    index = {name: int(domain.face_indices((name,))[0]) for name in parts}
    normals = [np.repeat(domain.faces[k].normal[:, None], zero.size, 1) for k in index.values()]
    return Rim(
        np.concatenate(list(parts.values()), axis=1),
        np.tile(total, 2),
        np.concatenate(normals, axis=1),
        np.repeat(list(index.values()), zero.size),
    )


def _fine_outer(domain: Any) -> list[Rim]:
    """Gauss on every unit square of the other faces."""
    from fem.rules.quadrature import gauss

    t, w = gauss(6)
    first, second = (axis.ravel() for axis in np.meshgrid(t, t, indexing="ij"))
    weights = np.outer(w, w).ravel() / sum(face.area for face in domain.faces)
    found = []
    for k, face in enumerate(domain.faces):
        if face.name in EDGE_FACES:
            continue
        axis = int(abs(face.normal).argmax())
        flat = np.insert(np.stack([first, second]), axis, 0.0, axis=0)
        x = np.concatenate([corner[:, None] + flat for corner in domain.squares[k]], axis=1)
        normal = np.repeat(face.normal[:, None], x.shape[1], axis=1)
        count = len(domain.squares[k])
        found.append(Rim(x, np.tile(weights, count), normal, np.full(x.shape[1], k)))
    return found


# ---------------------------------------------------------------- what is built in or added


def edge_factors(x: Array, order: str) -> Array:
    """d₂, d₁ and d₁ d₂ for u₁, u₂, u₃: the distances from the faces x₂ = 0 and x₁ = 0 of the edge,
    which are tangential to u₁ and to u₂; once continuously differentiable off the edge."""
    first = _distance(np.maximum(x[1], 0.0), x[0])  # from {x₁ = 0, x₂ ≤ 0}
    second = _distance(np.minimum(x[0], 0.0), x[1])  # from {x₂ = 0, x₁ ≥ 0}
    zero = np.zeros_like(x[0])
    d1 = [first[0], first[2], first[1], zero]  # its gradient: (∂ of x₁, ∂ of x₂, 0)
    d2 = [second[0], second[1], second[2], zero]
    both = [d1[0] * d2[0], *(d1[k] * d2[0] + d1[0] * d2[k] for k in (1, 2, 3))]
    jets = np.stack([np.stack(d2), np.stack(d1), np.stack(both)], axis=1)
    return jets[: op.CHANNELS[order]]


def _distance(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """√(a² + b²) and its derivatives in a and b; a is a cut-off coordinate."""
    d = np.hypot(a, b)
    safe = np.where(d == 0, 1.0, d)
    return d, a / safe, b / safe


def cut_off_singularity(x: Array, order: str) -> Array:
    """The jets of ∇(χ s): the singular function of the edge, cut off smoothly at r = 0.8.

    χ = (1 − r²/c²)³ inside. A net that is given it is told more than the equation: how u behaves at
    the edge, and how strongly.
    """
    x1, x2, _ = x
    q = np.maximum(0.0, 1.0 - (x1**2 + x2**2) / CUT**2)
    chi, slope, bend = (
        q**3,
        -6 * q**2 / CUT**2,
        24 * q / CUT**4,
    )  # ∇χ = slope · x, ∇slope = bend · x
    s, ds = harmonic(x1, x2), np.stack(harmonic_gradient(x1, x2))
    y = np.stack([x1, x2])
    out = np.zeros((op.CHANNELS[order], 3, x1.size))
    out[0, :2] = chi * ds + slope * s * y
    if len(out) == 1:
        return out
    hessian = _harmonic_hessian(x1, x2)
    for i in range(2):
        for j in range(2):
            out[1 + j, i] = chi * hessian[i][j] + slope * (y[j] * ds[i] + y[i] * ds[j])
            out[1 + j, i] += bend * y[i] * y[j] * s + (slope * s if i == j else 0.0)
    return out


def _harmonic_hessian(x1: Array, x2: Array) -> list[list[Array]]:
    """Of s = Im ζ^ν: F″ = ν(ν−1) ζ^(ν−2); ∂₁₁s = Im F″, ∂₁₂s = Re F″, ∂₂₂s = −Im F″."""
    from bench.problems._wedge import angle

    size = NU * (NU - 1) * np.hypot(x1, x2) ** (NU - 2)
    phase = (NU - 2) * angle(x1, x2)
    imaginary, real = size * np.sin(phase), size * np.cos(phase)
    return [[imaginary, real], [real, -imaginary]]


def _ones(x: Array, order: str) -> Array:
    out = np.zeros((op.CHANNELS[order], 3, x.shape[1]))
    out[0] = 1.0
    return out


def _nothing(x: Array, order: str) -> Array:
    return np.zeros((op.CHANNELS[order], 3, x.shape[1]))


# ---------------------------------------------------------------- beside a mesh


@lru_cache(maxsize=2)
def coarse_solve(problem: str) -> tuple[Array, float]:
    """A graded N₀ solve at the points of the domain's rule, and its own estimate η of its error."""
    from bench.boundary_value import data_of
    from bench.measure.ruler import tabulated_domain
    from fem import solve_boundary_value

    chosen = problems.get(problem)
    n, grading = COARSE
    mesh = chosen.domain.mesh(n, "tet", grading)
    solution = solve_boundary_value(data_of(chosen), mesh=mesh)
    values = solution(tabulated_domain(chosen, ("x",)).inputs.T)
    eta = solution.estimate(data_of(chosen))
    assert eta is not None
    return values, eta


@lru_cache(maxsize=2)
def _potentials(problem: str) -> tuple[Any, Any, Any]:
    """N₀ on the coarse mesh, the gradient from potentials without trace, their Laplacian solved."""
    from scipy.sparse.linalg import splu

    from bench.boundary_value import data_of
    from fem.spaces.tets.complex import TetComplex

    chosen = problems.get(problem)
    n, grading = COARSE
    mesh = chosen.domain.mesh(n, "tet", grading)
    complex_ = TetComplex.on(mesh, 0, data_of(chosen).natural)
    free = np.setdiff1d(np.arange(complex_.gradient.shape[1]), complex_.boundary_scalars)
    G = complex_.gradient[:, free].tocsr()
    return complex_, G, splu((G.T @ complex_.mass() @ G).tocsc())


def tested_residual(problem: str, field: Any) -> float:
    """sup (v, ∇q)/‖∇q‖ over potentials q of a coarse mesh without trace: a lower bound of ‖u − v‖.

    (u, ∇q) = 0 for all of them, as div u = 0 and u·n = 0 on the natural faces, so that the quotient
    is that of u − v; whoever has v can compute it, and it never says more than is true.
    """
    complex_, G, laplacian = _potentials(problem)
    r = G.T @ complex_.load(field, points=3)
    return float(np.sqrt(max(r @ laplacian.solve(r), 0.0)))
