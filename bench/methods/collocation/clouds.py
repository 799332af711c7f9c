"""Points where a net is given the equation and the boundary values, with their weights.

Uniform points leave a singular edge to chance: a net can satisfy the equation at every one of them
and be wrong in between (`curlsing`, 600 + 360 uniform points: a loss of 7e-13 at an error of 7e-5).
So where a problem has a singular edge, R its distance, points are drawn with a density ∝ R^−GRADED,
out of OVERSAMPLING times as many uniform ones, and squares carry the weight R^GRADED that makes up
for it (the same time, 1000 + 600 points: 1.4e-5; 2000 + 1200 uniform ones: 5.0e-5).

Data that are not square-integrable get the least whole power of R that makes them so: `edge_power`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from base.errors import UserError
from bench.domains import Array, BoundaryPoints
from bench.domains.parts.sampling import generator
from bench.problems import Field, Problem

GRADED, OVERSAMPLING = 1.0, 16
CHOICE = 9  # stream of a seed: which of the points drawn are taken
FEWEST = 8  # points: fewer cannot determine a field in three dimensions


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points (3, N) with the weights of their squares; the weights add up to 1 on a smooth problem
    (a mean), and on any other to the mean of the edge weight."""

    x: Array
    weights: Array  # (N,)

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, eq=False)
class Rim(Cloud):
    """Points of the boundary, with outward unit normals (3, N) and the index of the face."""

    normal: Array
    face: NDArray[np.int64]

    @classmethod
    def on_face(cls, x: Array, weights: Array, normal: Array, index: int) -> Rim:
        """Points of one face, which has one normal."""
        N = len(weights)
        return cls(x, weights, np.repeat(normal[:, None], N, axis=1), np.full(N, index))

    def on(self, faces: NDArray[np.int64]) -> Rim:
        """The points on the given faces."""
        chosen = np.isin(self.face, faces)
        return Rim(
            self.x[:, chosen], self.weights[chosen], self.normal[:, chosen], self.face[chosen]
        )


def inside_cloud(
    problem: Problem, N: int, seed: int, how: str = "random", stream: int = 0
) -> Cloud:
    """N points of the domain."""
    _check(N, "points")
    draw = N if problem.smooth else N * OVERSAMPLING
    x = problem.domain.sample(draw, seed, how, stream)
    power = edge_power(problem, x, problem.f, 2)
    chosen, weights = _chosen(problem, x, N, seed, stream, power)
    return Cloud(np.ascontiguousarray(x[:, chosen]), weights)


def rim_cloud(problem: Problem, N: int, seed: int, how: str = "random", stream: int = 0) -> Rim:
    """N points of the boundary."""
    _check(N, "boundary points")
    draw = N if problem.smooth else N * OVERSAMPLING
    found: BoundaryPoints = problem.domain.sample_boundary(draw, seed, how, stream=stream)
    at_edge = faces_at_edge(problem)[found.face]
    power = edge_power(problem, found.x[:, at_edge], problem.u, 1)
    chosen, weights = _chosen(problem, found.x, N, seed, stream, power)
    x = np.ascontiguousarray(found.x[:, chosen])
    return Rim(x, weights, found.normal[:, chosen], found.face[chosen])


def distance_from_edge(problem: Problem, x: Array) -> Array:
    """R, cut off at 1; 1 without a singular edge."""
    if problem.singular_edge is None:
        return np.ones(x.shape[1])
    a, b = problem.singular_edge
    return np.minimum(1.0, np.hypot(x[0] - a, x[1] - b))


def edge_power(problem: Problem, x: Array, data: Field, codimension: int) -> int:
    """The least whole power a ≥ 0 with which ∫ R^a |data|² exists near the singular edge.

    The growth |data| ∼ R^−e is measured: the points x are drawn towards the edge, to 1e-2 and 1e-4
    of their distance. The integral exists if 2e − a is less than the codimension of the edge, 2
    inside and 1 on a face. `screen`: u ∼ R^−½ on the faces, a = 1; `curlsing`: f ∼ R^−½ inside, 0.
    """
    if problem.singular_edge is None or x.shape[1] == 0:
        return 0
    a, b = problem.singular_edge
    edge = np.array([[a], [b]])
    sizes = []
    for share in (1e-2, 1e-4):
        near = np.vstack([edge + share * (x[:2] - edge), x[2:]])
        sizes.append(np.sqrt(np.mean(data(near) ** 2)))
    growth = np.log(sizes[1] / sizes[0]) / np.log(100.0) if min(sizes) > 0 else 0.0
    return max(0, int(np.floor(2 * growth - codimension + 0.05)) + 1)


def faces_at_edge(problem: Problem) -> NDArray[np.bool_]:
    """Which faces contain the singular edge."""
    if problem.singular_edge is None:
        return np.zeros(len(problem.domain.faces), bool)
    a, b = problem.singular_edge
    return np.array(
        [
            abs(face.normal[2]) < 1e-12
            and abs(face.normal[0] * a + face.normal[1] * b - face.offset) < 1e-9
            for face in problem.domain.faces
        ]
    )


def _chosen(
    problem: Problem, x: Array, N: int, seed: int, stream: int, power: int
) -> tuple[NDArray[np.int64], Array]:
    """N of the points without replacement, each with a chance ∝ R^−GRADED, and their weights.

    The N largest of log(U)/p are such a choice (Efraimidis and Spirakis 2006). The weights are
    those of a mean under the density they were drawn with.
    """
    if problem.smooth:
        return np.arange(x.shape[1]), np.full(N, 1 / N)
    R = distance_from_edge(problem, x)
    keys = np.log(generator(seed, CHOICE, stream).random(len(R))) * R**GRADED
    chosen = np.argsort(-keys)[:N]
    likelihood = R[chosen] ** GRADED * np.mean(R**-GRADED)  # uniform over drawn
    return chosen, likelihood * R[chosen] ** power / N


def _check(N: int, what: str) -> None:
    if N < FEWEST:
        raise UserError(f"{N} {what} are too few; give at least {FEWEST}")
