"""Gauss points of any mesh of tetrahedra or hexahedra, graded at a singular edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem.rules.cell_rules import CellRule, Integers, hex_rules, tet_rules
from fem.rules.quadrature import CHUNK, Array, Rule
from fem.spaces import Line


@dataclass(frozen=True, eq=False)
class MeshRule:
    """Rules of the reference cell on the cells of a mesh, made block by block."""

    corners: Array  # (3, vertices, cells)
    reference: Integers  # (3, vertices), the reference cell's corners
    groups: tuple[tuple[Integers, CellRule], ...]  # the cells of each rule

    def __len__(self) -> int:
        return sum(cells.size * rule.weights.size for cells, rule in self.groups)

    def chunks(self, size: int = CHUNK) -> Iterator[Rule]:
        for cells, rule in self.groups:
            shapes, slopes = _shapes(self.reference, rule.points)
            block = max(1, size // rule.weights.size)
            for start in range(0, cells.size, block):
                corners = self.corners[:, :, cells[start : start + block]]
                points = np.einsum("dvc,vq->dcq", corners, shapes)
                jacobian = np.einsum("dvc,veq->cqde", corners, slopes, optimize=True)
                weights = abs(np.linalg.det(jacobian)) * rule.weights
                yield Rule(points.reshape(3, -1), weights.ravel())


def on_mesh(mesh: Any, points: int, edge: Line | None = None) -> MeshRule:
    """Gauss with that many points per direction, exact to degree 2·points − 1 on straight cells."""
    rules = (tet_rules if len(mesh.t) == 4 else hex_rules)(mesh.p, mesh.t, points, edge)
    every = np.arange(mesh.t.shape[1])
    groups = tuple((every[rule.cells], rule) for rule in rules)
    return MeshRule(mesh.p[:, mesh.t], np.rint(mesh.refdom.p).astype(int), groups)


def _shapes(reference: Integers, x: Array) -> tuple[Array, Array]:
    """The vertices' shape functions (V, Q) and their derivatives (V, 3, Q)."""
    if reference.shape[1] == 4:  # barycentric
        values = np.vstack([1 - x.sum(axis=0), x])
        slopes = np.vstack([-np.ones(3), np.eye(3)])
        return values, np.repeat(slopes[:, :, None], x.shape[1], axis=2)
    at_one = reference.T[:, :, None] == 1  # (V, 3, 1)
    factors, signs = np.where(at_one, x, 1 - x), np.where(at_one, 1.0, -1.0)
    others = [np.delete(factors, axis, axis=1).prod(axis=1) for axis in range(3)]
    return factors.prod(axis=1), signs * np.stack(others, axis=1)
