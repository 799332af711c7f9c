"""The unit cube whose training part is the cube itself: no sample lies outside of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from bench.domains import Domain, Edge
from bench.domains.cube import DOMAIN, Cube

if TYPE_CHECKING:
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature


class SolidCube(Cube):
    """The unit cube, trained on and measured as a whole."""

    in_training = Domain.in_training
    sample_training = Domain.sample_training
    narrowed = Domain.narrowed
    beyond = Domain.beyond
    training_mesh = Domain.training_mesh
    training_cells = Domain.training_cells
    query_points = Domain.query_points
    mesh_rules = Domain.mesh_rules

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        from fem.rules.quadrature import Union

        return {"whole": Union(tuple(super().rules(edges, resolution).values()))}


_KEPT = {field.name: getattr(DOMAIN, field.name) for field in fields(DOMAIN)}
SOLID = SolidCube(**_KEPT | {"title": "the unit cube, also in training", "training_part": "whole"})
