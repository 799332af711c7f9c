"""How far a solution on a box is from that of two orders more, with a bound that has no constant.

Conjugate gradients go from u_h towards the finer solution u⁺ until their own bound η (`box_solve`)
is a twentieth of its first value, which takes one to six iterations:

    ‖φ^½ curl(u⁺ − u_h)‖ ≤ ‖φ^½ curl(u* − u_h)‖ + η   for the last iterate u*.

Two orders, because with one more a field that is even about the middle may gain nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fem.spaces import Array
from fem.spaces.bricks.box_solve import BoxSystem, Coefficient, Lift
from fem.spaces.bricks.mesh import BrickMesh
from fem.spaces.bricks.space import BrickSpace
from fem.spaces.bricks.tensor import curl, values
from fem.spaces.bricks.traces import trace_coefficients

if TYPE_CHECKING:
    from fem.boundary_value import BoundaryValueProblem

ORDERS = 2
FRACTION = 0.05  # of the first bound, which the iteration leaves


class Distance(NamedTuple):
    """Bounds of the distance to the solution of two orders more."""

    energy: float  # ‖φ^½ curl(u⁺ − u_h)‖
    hcurl: float


def distance(mesh: BrickMesh, x: Array, problem: BoundaryValueProblem) -> Distance:
    """Bounds for the solution with coefficients x on a box, from the data alone."""
    for _ in range(ORDERS):
        mesh, x = mesh.raised(), mesh.embedded(x)
    system = BoxSystem.on(mesh)
    boundary = trace_coefficients(system.mesh, problem.g, problem.potential, problem.singular_edge)
    lift, phi = Lift.of(system, problem, boundary), Coefficient(system, problem.phi)
    load = phi.load(lift.curls)
    start = system.scale * system.box.without_gradients(system.box.project(mesh.split(x - lift.x)))
    bound = FRACTION * phi.bound(load - phi.apply(start))
    found = phi.solve(load, bound, start)
    difference = lift.coefficients(found.y) - x
    spin = curl(mesh.split(difference), [axis.derivative for axis in mesh.axes])
    slabs = [values(spin, system.grid.curls.cut(slab)) for slab, _, _ in system.grid.slabs()]
    slowest = float(system.scale[system.box.present.any(axis=0)].min())
    rest = found.bound / phi.smallest**0.5 * np.sqrt(1.0 + slowest**-2)
    return Distance(
        phi.energy(slabs) + found.bound, BrickSpace(system.mesh).norm(difference) + float(rest)
    )
