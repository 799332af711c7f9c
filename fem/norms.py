"""The L² distance of two fields on the unit cube: callables, nets or solutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fem import meshes
from fem.fields import Checked
from fem.solutions import Solution
from fem.spaces import Array, Field, Line

if TYPE_CHECKING:  # the rules load scipy, which takes a second
    from fem.rules.quadrature import Quadrature

CELLS = 4  # per side, for fields that bring no mesh of their own
POINTS = 6  # Gauss points per direction and tetrahedron


def l2_error(
    field: Field | Solution,
    u: Field,
    *,
    rule: Quadrature | None = None,
    singular_edge: Line | None = None,
) -> float:
    """‖u − field‖ in L² of the unit cube.

    Without a `rule` it is Gauss on the Kuhn tetrahedra of the field's own mesh (a `Solution` on the
    cube), else of n = 4 cells per side, collapsed onto the `singular_edge` if there is one.
    """
    from fem.rules.quadrature import integrate

    if rule is None:
        n = getattr(field, "n", None) or CELLS
        rule = cube_rule(n, singular_edge)
    first, second = Checked(field, "field"), Checked(u, "u")

    def square(points: Array) -> Array:
        return ((second(points) - first(points)) ** 2).sum(axis=0)

    return integrate(square, rule) ** 0.5


def cube_rule(n: int, singular_edge: Line | None = None) -> Quadrature:
    """Gauss on the Kuhn tetrahedra of the cube with n cells per side."""
    from fem.rules.on_mesh import on_mesh
    from fem.rules.quadrature import kuhn_cube, on_cells

    if singular_edge is None:
        return on_cells(kuhn_cube(2 * POINTS - 1), n)
    return on_mesh(meshes.cube(n, "tet"), POINTS, singular_edge)
