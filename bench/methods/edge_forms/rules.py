"""Rules inside and on the boundary of domains with re-entrant edges: uniform, or graded to them.

Weights are those of means: they add up to 1 inside, and on each part of the boundary to its share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.domains import Array
from bench.methods.collocation.clouds import Cloud, Rim
from bench.methods.edge_forms.geometry import EdgeFace, boxes_of, edge_faces
from bench.problems import Problem

if TYPE_CHECKING:
    from fem.rules.polar import Resolution

ORDER = 3  # Gauss points per panel of graded rules
POWER = 3  # r = σ³
FINE_PANELS, FINE_HEIGHT, FINE_ORDER = 10, 6, 6
MOST_PANELS = 100


def inside(problem: Problem, points: int, rule: str, seed: int) -> Cloud:
    """About so many points: Sobol's, or Gauss's graded to the edges."""
    from fem.rules.polar import Resolution

    if rule == "uniform":
        x = problem.domain.sample(points, seed, "quasi")
        return Cloud(x, np.full(points, 1.0 / points))
    panels = min(range(1, MOST_PANELS), key=lambda k: abs(_count(problem, k) - points))
    return _whole(problem, Resolution(order=ORDER, angle=2, radius=panels, height=1))


def _count(problem: Problem, panels: int) -> int:
    """Points of the graded rule: about one edge only the radius has panels, about a corner all."""
    if len(edge_faces(problem)) == 2:
        return 6 * 2 * ORDER**3 * panels
    return len(boxes_of(problem).boxes) * (ORDER * panels) ** 3


def fine_inside(problem: Problem) -> Cloud:
    """The rule of the norms; about a corner, where that has 56 000 points, half as many."""
    from fem.rules.polar import Resolution

    corner = Resolution(order=4, angle=2, radius=4, height=1)
    return _whole(problem, None if len(edge_faces(problem)) == 2 else corner)


def _whole(problem: Problem, resolution: Resolution | None) -> Cloud:
    from fem.rules.quadrature import Union, joined

    rules = problem.domain.rules((), resolution)
    whole = joined(*Union(tuple(rules.values())).chunks())
    return Cloud(whole.points, whole.weights / problem.domain.volume)


def share(problem: Problem, names: Sequence[str]) -> float:
    """The share of the faces of these names in the area of the boundary."""
    areas = {face.name: face.area for face in problem.domain.faces}
    return sum(areas[name] for name in names) / sum(areas.values())


def edge_rim(problem: Problem, points: int, rule: str, seed: int) -> Rim:
    """Points on the faces of the edges, their share of `points` on the whole boundary."""
    faces = edge_faces(problem)
    names = [face.name for face in faces]
    if rule == "uniform":
        return _drawn(problem, names, points, seed)
    each = share(problem, names) * points / (len(faces) * ORDER**2)
    panels = max(1, round(each ** (1 / len(faces[0].graded))))
    return graded_rim(problem, panels, 1)


def outer_rim(problem: Problem, points: int, seed: int) -> Rim:
    """Points on all other faces."""
    inner = {face.name for face in edge_faces(problem)}
    names = [face.name for face in problem.domain.faces if face.name not in inner]
    return _drawn(problem, names, points, seed)


def _drawn(problem: Problem, names: Sequence[str], points: int, seed: int) -> Rim:
    part = share(problem, names)
    count = max(8, round(part * points))
    found = problem.domain.sample_boundary(count, seed, "quasi", names)
    return Rim(found.x, np.full(count, part / count), found.normal, found.face)


def graded_rim(problem: Problem, panels: int, height: int) -> Rim:
    """Gauss on the faces of the edges, the distance from each edge graded like σ³."""
    faces = edge_faces(problem)
    total = share(problem, [face.name for face in faces]) / len(faces)
    parts = [_on_face(face, panels, height, total) for face in faces]
    return Rim(
        np.concatenate([part.x for part in parts], axis=1),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.normal for part in parts], axis=1),
        np.concatenate([part.face for part in parts]),
    )


def _on_face(face: EdgeFace, panels: int, height: int, total: float) -> Rim:
    from fem.rules.quadrature import gauss

    lines: list[tuple[Array, Array]] = []
    for b in face.sides:
        if b in face.graded:
            t, w = gauss(ORDER, panels)
            lines.append((t**POWER, POWER * t ** (POWER - 1) * w))
        else:
            lines.append(gauss(ORDER, height))
    (first, w1), (second, w2) = lines
    x = np.zeros((3, first.size * second.size))
    for b, values in zip(face.sides, np.meshgrid(first, second, indexing="ij"), strict=True):
        x[b] = face.sides[b] * values.ravel()
    return Rim.on_face(x, np.outer(w1, w2).ravel() * total, face.normal, face.index)


def fine_rims(problem: Problem) -> list[Rim]:
    """Graded on the faces of the edges, Gauss on every unit square of the others."""
    from fem.rules.quadrature import gauss

    domain, inner = boxes_of(problem), {face.index for face in edge_faces(problem)}
    t, w = gauss(FINE_ORDER)
    first, second = (axis.ravel() for axis in np.meshgrid(t, t, indexing="ij"))
    weights = np.outer(w, w).ravel() / sum(face.area for face in domain.faces)
    rims = [graded_rim(problem, FINE_PANELS, FINE_HEIGHT)]
    for k, face in enumerate(domain.faces):
        if k in inner:
            continue
        axis = int(abs(face.normal).argmax())
        flat = np.insert(np.stack([first, second]), axis, 0.0, axis=0)
        x = np.concatenate([corner[:, None] + flat for corner in domain.squares[k]], axis=1)
        every = np.tile(weights, len(domain.squares[k]))
        rims.append(Rim.on_face(x, every, face.normal, k))
    return rims
