"""Random features in windows towards a singular edge: points, weights and rows, cell by cell.

A cell is the part of the domain with j ≤ s < j + 1, s = log R / log q; the first one is everything
with R > q, the last one goes on for a few more levels. Squares are weighted with powers of R, so
that every level counts alike for a field u ~ R^(−δ): R^(2(2−δ)) for the equation (two
derivatives), R^(2(1−δ)) for the divergence, R^(1−2δ) on the faces, which are one dimension smaller.
e_θ/R has no curl, no divergence and no trace, so δ must keep it out and u in: 0 < δ < ½ for
u ~ R^(−½); a bounded u allows larger ones.

The field is Σ c ψ with vectors c (*vector* features), and where u is unbounded also Σ d ∇ψ
(*gradient* features): these have no curl, so that the curl of the rest converges too. Without them
errors near the edge, divided by R, make the curl useless (`screen`: a curl error of 2e4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from base.errors import UserError
from bench.domains.parts.sampling import generator
from bench.methods.collocation.boundary import boundary_terms
from bench.methods.collocation.clouds import Rim, edge_power, faces_at_edge
from bench.methods.untrained.equation import divergence, equation
from bench.problems import Array, Problem, components
from fem.rules.geometric import to_edge
from fem.rules.quadrature import Rule
from nets.residuals.terms import Residuals
from nets.untrained.triangle import chained
from nets.untrained.windowed import WindowedNet, rows
from nets.untrained.windows import Wedge, Windows

RATIO = 0.25
LAST = 20  # level: R = 1e-12
TAIL = 4.0  # levels beyond the last window on which that is fitted
STREAM, FRESH = 7, 1  # of the seed of the points


@dataclass(frozen=True)
class Plan:
    """Features per level, as shares of those of the first: max(least, decay^level). Powers of R.

    The shares, powers and scales were found by pilots on `curlsing` and `screen`.
    """

    delta: float
    second: float  # the equation's weight is R^(2(second − δ))
    vectors: tuple[float, float]  # least share, decay
    gradients: tuple[float, float] | None = None
    scales: tuple[float, float] = (0.25, 0.75)  # tanh, sine, with 300 features

    def counts(self, K: int) -> list[tuple[int, int]]:
        """(vectors, gradients) by level."""

        def of(shares: tuple[float, float] | None) -> list[int]:
            least, decay = shares or (0.0, 0.0)
            return [int(K * max(least, decay**level)) if shares else 0 for level in range(LAST + 1)]

        return list(zip(of(self.vectors), of(self.gradients), strict=True))


GROWTH, AT = 0.55, 300  # the best scale grows like this power of the number of features
BOUNDED = Plan(delta=0.75, second=2.0, vectors=(0.27, 0.8))
UNBOUNDED = Plan(
    delta=0.35, second=1.2, vectors=(0.13, 0.6), gradients=(0.27, 0.8), scales=(0.35, 1.0)
)


def plan_of(problem: Problem) -> Plan:
    """Whether u is bounded at the edge, from what is given: it is not at a re-entrant edge, and
    where the boundary values on the two faces grow."""
    faces = [problem.domain.faces[k].name for k in np.flatnonzero(faces_at_edge(problem))]
    x = problem.domain.sample_boundary(64, 0, faces=faces)
    grows = edge_power(problem, x.x, lambda near: problem.trace(components(near), x.normal), 1) > 0
    return UNBOUNDED if grows or wedge_of(problem).opening > np.pi else BOUNDED


def wedge_of(problem: Problem) -> Wedge:
    """The wedge of the domain at the singular edge, made of quarters."""
    assert problem.singular_edge is not None
    a, b = problem.singular_edge
    corners = np.pi / 4 * np.array([1, 3, 5, 7])
    near = [a + 0.1 * np.cos(corners), b + 0.1 * np.sin(corners), np.full(4, 0.5)]
    inside = corners[problem.domain.contains(np.stack(near))]
    if not 0 < len(inside) < 4:
        raise UserError(f"{problem.domain.name} has no wedge at its singular edge {a:g}, {b:g}")
    middle = float(np.angle(np.exp(1j * inside).sum()))
    return Wedge((a, b), middle, float(np.pi / 2 * len(inside)), RATIO)


@dataclass(frozen=True)
class Cells:
    """The rows of all cells: the problem at points drawn towards the edge."""

    problem: Problem
    windows: Windows
    plan: Plan
    weight: float
    seed: int
    scale: float
    inside_share: float = 1.5  # points per feature, a third of the unknowns
    rim_share: float = 0.5

    def blocks(self, cell: int) -> Iterator[Array]:
        for term in self.terms(cell):
            yield rows(self.windows, cell, term)

    def terms(self, cell: int, stream: int = 0) -> Iterator[Residuals]:
        draw = _Draw(self, cell, generator(self.seed, STREAM, stream, cell))
        x, weights = draw.inside()
        R, delta = self.distance(x), self.plan.delta
        yield equation(self.problem, x, weights * R ** (2 * (self.plan.second - delta)))
        yield divergence(self.problem, x, weights * R ** (2 * (1 - delta)))
        for rim in draw.rims():
            R = self.distance(rim.x)
            weighted = replace(rim, weights=rim.weights * R ** (1 - 2 * delta))
            for term in boundary_terms(self.problem, weighted, self.weight):
                # φ curl u × n on natural faces is a derivative: one more power of R
                powers = np.stack([R if label == "natural" else R**0 for label in term.labels])
                yield replace(term, A=term.A * powers[:, None, None], b=term.b * powers)

    def distance(self, x: Array) -> Array:
        return np.hypot(*self.windows.wedge.arms(x))


@dataclass(frozen=True)
class _Draw:
    """Quasi-random points of one cell, with weights of integrals."""

    cells: Cells
    cell: int
    random: np.random.Generator

    @property
    def extent(self) -> float:
        return TAIL if self.cell == LAST else 1.0

    @property
    def size(self) -> float:
        """A third or, with gradients, a quarter of the unknowns of the cell's first level."""
        level = self.cells.windows.levels[self.cell]
        return level.unknowns / (4 if level.gradients else 3)

    def inside(self) -> tuple[Array, Array]:
        wedge, first = self.cells.windows.wedge, self.cell == 0
        N = int((self.cells.inside_share + 0.5 * first) * self.size)
        if first:
            domain = self.cells.problem.domain
            x = domain.place(self.uniform(3, N))
            return self.outer(x, domain.volume / N)
        u = self.uniform(3, N)
        x, R = self.at(u[0], wedge.middle + wedge.opening * (u[1] - 0.5), u[2])
        return x, R**2 * (self.log_width * wedge.opening / N)

    def rims(self) -> Iterator[Rim]:
        """On every face of the cell."""
        problem, wedge = self.cells.problem, self.cells.windows.wedge
        M = max(8, int(self.cells.rim_share * self.size * (0.7 if self.cell == 0 else 1)))
        at_edge = faces_at_edge(problem)
        for k, face in enumerate(problem.domain.faces):
            cap = abs(face.normal[2]) > 0.5
            u = self.uniform(2, M)
            if self.cell == 0:
                x, weights = self.outer(problem.domain.place_on_face(k, u), face.area / M)
            elif cap:
                height = np.full(M, face.offset * face.normal[2])
                x, R = self.at(u[0], wedge.middle + wedge.opening * (u[1] - 0.5), height)
                weights = R**2 * (self.log_width * wedge.opening / M)
            elif at_edge[k]:
                ends = (wedge.middle - wedge.opening / 2, wedge.middle + wedge.opening / 2)
                end = min(ends, key=lambda e: abs(_direction(e) @ face.normal[:2]))
                x, R = self.at(u[0], np.full(M, end), u[1])
                weights = R * (self.log_width / M)
            else:
                continue
            yield Rim.on_face(x, weights, np.asarray(face.normal, float), k)

    @property
    def log_width(self) -> float:
        return float(-np.log(self.cells.windows.wedge.ratio) * self.extent)

    def at(self, s: Array, angle: Array, x3: Array) -> tuple[Array, Array]:
        """Points of the cell, and their distances from the edge after rounding."""
        wedge = self.cells.windows.wedge
        R = wedge.ratio ** (self.cell + self.extent * s)
        plane = np.array(wedge.edge)[:, None] + R * _direction(angle)
        x = np.vstack([plane, x3])
        return x, self.cells.distance(x)

    def outer(self, x: Array, each: float) -> tuple[Array, Array]:
        """Of uniform points those with R > q."""
        x = x[:, self.cells.distance(x) > self.cells.windows.wedge.ratio]
        return x, np.full(x.shape[1], each)

    def uniform(self, dimension: int, N: int) -> Array:
        from scipy.stats import qmc

        exponent = int(np.ceil(np.log2(N)))
        drawn = qmc.Sobol(dimension, rng=self.random).random_base2(exponent)
        return np.ascontiguousarray(drawn[:N].T)


def _direction(angle: Array | float) -> Array:
    """(cos, sin), exactly 0 where they are rounding: points on a face must lie on it."""
    found = np.stack([np.cos(angle), np.sin(angle)])
    return np.asarray(np.where(abs(found) < 1e-14, 0.0, found))


def cells_of(
    problem: Problem,
    K: int,
    scale: float | None,
    activation: str,
    weight: float,
    seeds: tuple[int, int],
) -> Cells:
    """The rows for K features on the first level; seeds of the weights and of the points."""
    plan = plan_of(problem)
    found = plan.scales[activation == "sine"] * (K / AT) ** GROWTH
    chosen = found if scale is None else scale
    windows = Windows.drawn(wedge_of(problem), plan.counts(K), chosen, seeds[0], activation)
    return Cells(problem, windows, plan, weight, seeds[1], chosen)


def solved(cells: Cells) -> WindowedNet:
    """The least-squares solution."""
    sizes = [level.unknowns for level in cells.windows.levels]
    weights = chained((cells.blocks(cell) for cell in range(len(sizes))), sizes)
    return WindowedNet(cells.windows, tuple(weights))


def residual_parts(
    net: WindowedNet, problem: Problem, weight: float, seed: int
) -> dict[str, float]:
    """Half the sum of the weighted squares at fresh points, by part."""
    cells = Cells(problem, net.windows, plan_of(problem), weight, seed, 0.0)
    parts: dict[str, float] = {}
    for cell in range(len(net.weights)):
        c = np.concatenate([net.weights[level] for level in net.windows.met(cell)])
        for term in cells.terms(cell, FRESH):
            made = rows(net.windows, cell, term)
            r = (made[:, :-1] @ c - made[:, -1]).reshape(len(term.labels), -1)
            for label, part in zip(term.labels, r, strict=True):
                parts[label] = parts.get(label, 0.0) + 0.5 * float(part @ part)
    return parts


def rule_of(problem: Problem) -> Rule:
    """The rule of the norms, down to the last windows."""
    assert problem.singular_edge is not None
    a, b = problem.singular_edge
    signs = [(i, j) for i in (1, -1) for j in (1, -1)]
    inside = problem.domain.contains(
        np.array([(a + 0.1 * i, b + 0.1 * j, 0.5) for i, j in signs]).T
    )
    return to_edge((a, b), tuple(pair for pair, there in zip(signs, inside, strict=True) if there))
