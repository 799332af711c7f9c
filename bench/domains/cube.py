"""`cube`: the unit cube, on which errors are measured; samples are drawn in a cylinder around it.

The training part is the cylinder {r ≤ 1, 0 ≤ x₃ ≤ 1} about the cube's edge r = 0. Errors are
reported on the cube's parts inside and outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from base.errors import UserError, nearest
from bench.domains import Array, Domain, Edge, components
from bench.domains.parts.box_faces import faces_of
from bench.domains.parts.points import Mask
from bench.domains.parts.sampling import generator, uniform

if TYPE_CHECKING:
    from fem.certificates.geometry import Geometry
    from fem.rules.polar import Resolution
    from fem.rules.quadrature import Quadrature

CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
EDGE = (1.0, 0.0)  # meshes are graded towards it by default

# 46 656 points. The rule's own error is 5e-9 of ‖u‖ for the smooth closed forms and 2e-7 for the
# singular ones; for nets of kinked activations (2-50, 6-50 and 5-10, trained on each of the four
# problems) at most 7e-4 of an L² error, median 9e-5, and 5e-3 of a curl or divergence, median 1e-3.
DEFAULT = {"order": 3, "angle": 12, "radius": 8, "height": 6}


class Cube(Domain):
    """The unit cube, with the cylinder as its training part."""

    def contains(self, x: ArrayLike) -> Mask:
        x1, x2, x3 = components(x)
        least = np.minimum(np.minimum(x1, x2), x3)
        return (least >= 0) & (np.maximum(np.maximum(x1, x2), x3) <= 1)

    def place(self, uniform: Array) -> Array:
        return uniform

    def place_on_face(self, face: int, uniform: Array) -> Array:
        axis, side = divmod(face, 2)
        return np.insert(uniform, axis, float(side), axis=0)

    def geometry(self, natural: Sequence[str] = ()) -> Geometry:
        """Return constants that are exact: the smallest eigenvalues are 2π² and 3π²."""
        from fem.certificates.geometry import EXACT, Constant, Geometry
        from fem.certificates.rules import prism_rules

        if natural:
            return super().geometry(natural)
        return Geometry(
            maxwell=Constant(1 / (np.pi * np.sqrt(2)), EXACT),
            friedrichs=Constant(1 / (np.pi * np.sqrt(3)), EXACT),
            centre=(0.5, 0.5, 0.5),
            reach=np.sqrt(3) / 2,
            rules=lambda level, edge: prism_rules(((0, 0),), level, edge),
            unit_cube=True,
        )

    # ------------------------------------------------------------ the cylinder

    def trained_on(self, part: str) -> Domain:
        from bench.domains.parts.solid_cube import SOLID

        parts: dict[str, Domain] = {"cylinder": DOMAIN, "cube": SOLID}
        if part not in parts:
            raise UserError(f"the cube has no training part {part!r}; {nearest(part, [*parts])}")
        return parts[part]

    def in_training(self, x: ArrayLike) -> Mask:
        """Return whether r ≤ 1 and 0 ≤ x₃ ≤ 1."""
        x1, x2, x3 = components(x)
        return (np.hypot(x1, x2) <= 1) & (x3 >= 0) & (x3 <= 1)

    def sample_training(self, N: int, seed: int, test: bool = False) -> Array:
        """Return points uniform in the cylinder's volume: r = √U, θ and x₃ uniform."""
        u = uniform(N, seed, (1,) if test else ())
        return _in_polar(u, 2 * np.pi)

    def narrowed(self, x: Array, radius: float) -> Array:
        return x * np.array([[radius], [radius], [1.0]])

    def beyond(self, x: Array, radius: float) -> Mask:
        return np.hypot(x[0], x[1]) > radius

    def training_mesh(self, n: int) -> Any:
        """Return tetrahedra that cover the whole cylinder."""
        from fem.least_squares import covering_cylinder

        return covering_cylinder(n)

    def training_cells(self, n: int) -> int:
        return 24 * n**3  # four quarters of six tetrahedra per brick

    def query_points(self, N: int) -> Array:
        """Return points of the cube inside the cylinder, where fits to samples are defined too; a
        finite element has to find the cell of each, as it would for a user."""
        return _in_polar(generator(0).random((3, N)), np.pi / 2)

    # ------------------------------------------------------------ quadrature

    def rules(
        self, edges: Sequence[Edge] = (), resolution: Resolution | None = None
    ) -> dict[str, Quadrature]:
        from fem.rules.polar import inside_cylinder, outside_cylinder

        fine, edge = _resolution(resolution), self.only_edge(edges)
        return {"inside": inside_cylinder(fine, edge), "outside": outside_cylinder(fine, edge)}

    def mesh_rules(
        self, n: int, cell: str = "tet", degree: int = 6, edges: Sequence[Edge] = ()
    ) -> dict[str, Quadrature]:
        """Return rules that cut the cells at r = 1. For finite elements their error is below 1e-7
        (n = 1..8); that of the polar `rules` is up to 7 % (N0, `maxwell`, n = 8)."""
        from fem.rules.cut_cells import split_mesh

        return split_mesh(n, degree, tets=cell == "tet", edge=self.only_edge(edges))

    def gauss_rule(
        self, n: int, cell: str = "tet", degree: int = 4, edges: Sequence[Edge] = ()
    ) -> Quadrature:
        from fem.rules import quadrature

        if edges:
            return super().gauss_rule(n, cell, degree, edges)
        kuhn = cell == "tet"
        reference = quadrature.kuhn_cube(degree) if kuhn else quadrature.cube(degree // 2 + 1)
        return quadrature.on_cells(reference, n)

    def only_edge(self, edges: Sequence[Edge]) -> Edge | None:
        edge = super().only_edge(edges)
        if edge is not None and edge not in CORNERS:
            raise UserError(
                f"the cube has no quadrature graded towards x₁, x₂ = {edge[0]:g}, {edge[1]:g}; a "
                "singular edge must be one of its vertical edges, x₁ and x₂ 0 or 1"
            )
        return edge

    # ------------------------------------------------------------ meshes

    def mesh(
        self, n: int, cell: str = "tet", grading: float | None = None, edge: Edge | None = None
    ) -> Any:
        """Return Kuhn's tetrahedra or hexahedra; with `grading` β tetrahedra with x = t^β."""
        from fem import meshes
        from fem.meshes.grading import graded_cube

        if grading is None:
            return meshes.cube(n, cell)
        if cell != "tet":
            raise UserError("--grading makes tetrahedra; use --element N0 or N1")
        return graded_cube(n, grading, towards=edge or EDGE)

    def bricks(self, n: int, order: int, grading: float | None = None) -> Any:
        from fem.spaces.bricks.mesh import uniform

        if grading is not None:
            raise UserError("--grading makes tetrahedra; for bricks on the cube use --layers")
        return uniform(n, order)

    def layered(
        self, layers: int, ratio: float, order: int, n: int = 1, edge: Edge | None = None
    ) -> Any:
        from fem.spaces.bricks.mesh import graded

        return graded(layers, ratio, order, edge or EDGE, n=n)


def _in_polar(u: Array, angle: float) -> Array:
    """Map uniform numbers to uniform points of a sector of the cylinder."""
    r, theta = np.sqrt(u[0]), angle * u[1]
    return np.stack([r * np.cos(theta), r * np.sin(theta), u[2]])


def _resolution(given: Resolution | None) -> Resolution:
    from fem.rules.polar import Resolution

    return given or Resolution(**DEFAULT)


DOMAIN = Cube(
    name="cube",
    title="the unit cube, its training part the cylinder",
    volume=1.0,
    faces=faces_of(np.zeros((1, 3), dtype=int))[0],
    structured=True,
    training_part="inside",
)
