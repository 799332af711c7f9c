"""Squares of averages over x₃ of residuals on a prism with natural ends (maths 12.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from fem.boundary_value import BoundaryValueProblem
from fem.certificates.recovery import Recovered
from fem.spaces import Array
from fem.spaces.bricks.mesh import Face
from fem.spaces.bricks.tensor import Grid, curl, values, within


def mean_residuals(
    found: Recovered, problem: BoundaryValueProblem, grid: Grid
) -> Iterator[tuple[str, float]]:
    """The squares of `mean_flux` and `mean_equation`, slab by slab."""
    D = [axis.derivative for axis in found.mesh.axes]
    zero = [np.zeros_like(part) for part in found.sigma[:2]]
    curl_u, curl_s = curl(found.u, D), curl([*zero, found.sigma[2]], D)
    for slab, x, w in grid.slabs():
        space, curls = grid.space.cut(slab), grid.curls.cut(slab)
        phi = np.where(w > 0, within(problem.phi, x, w), 1.0)
        flux = phi * values(curl_u, curls)[2] - values(found.sigma, space)[2]
        yield "mean_flux", _square(flux / np.sqrt(phi), w)
        rest = within(problem.f, x, w) - values(curl_s, curls)
        for end in (0.0, 1.0):  # an integral over x₃ from a value on an end
            rest += _on_end(problem, x, w, end)
        yield "mean_equation", sum(_square(part, w) for part in rest[:2])


def _on_end(problem: BoundaryValueProblem, x: Array, w: Array, end: float) -> Array:
    """φ curl u × n at the end x₃ = 0 or 1 below or above each point."""
    natural = problem.natural
    assert natural is not None
    normal = np.array([0.0, 0.0, 2 * end - 1])[:, None]

    def flux(points: Array) -> Array:
        there = np.stack([*points[:2], np.full_like(points[2], end)]).reshape(3, -1)
        n = np.broadcast_to(normal, there.shape)
        return np.asarray(natural.curl(there, n)).reshape(points.shape)

    first = w[:, :, :1]
    return within(flux, x[:, :, :, :1], first)


def _square(values_: Array, w: Array) -> float:
    """The integral over the base of the squared average over the last axis."""
    sums, area = (values_ * w).sum(axis=-1), w.sum(axis=-1)
    here = area > 0
    return float((sums[here] ** 2 / area[here]).sum())


@dataclass
class MeanTrace:
    """Averages over x₃ of the horizontal trace on the sides, brick by brick."""

    columns: dict[tuple[int, int, int], Array] = field(default_factory=dict)

    def add(self, face: Face, rest: Array, w: Array) -> None:
        """Add a face of a side with the tangential rest and weights on its points."""
        along = face.across[0]
        key = (face.axis, face.level, face.brick[along])
        found = np.stack([(rest[along] * w).sum(axis=-1), w.sum(axis=-1)])
        self.columns[key] = self.columns.get(key, 0.0) + found

    def square(self) -> float:
        return float(sum((sums**2 / length).sum() for sums, length in self.columns.values()))
