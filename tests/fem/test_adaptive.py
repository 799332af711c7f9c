"""Adaptive tetrahedra: marking, conforming bisection of bounded shapes, rates against unknowns."""

import numpy as np
import pytest

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import UserError, meshes
from fem.adaptive import marked, refined, refinements
from fem.boundary_value import solve_boundary_value
from fem.meshes import checks


def radius_ratios(mesh):
    """3 r/R-like quality: 2√6 · inradius / longest edge, 1 for the regular tetrahedron."""
    corners = mesh.p[:, mesh.t]
    volume = abs(np.linalg.det(np.moveaxis(corners[:, 1:] - corners[:, :1], -1, 0))) / 6
    longest, area = np.zeros((2, mesh.t.shape[1]))
    for a in range(4):
        for b in range(a):
            length = np.linalg.norm(corners[:, a] - corners[:, b], axis=0)
            longest = np.maximum(longest, length)
        x, y, z = (corners[:, v] for v in range(4) if v != a)
        area += np.linalg.norm(np.cross(y - x, z - x, axis=0), axis=0) / 2
    return 2 * np.sqrt(6) * 3 * volume / area / longest, volume


def test_marking_takes_the_fewest_cells_of_the_share():
    eta = np.sqrt([1.0, 4.0, 2.0, 3.0])
    assert marked(eta, 0.5).tolist() == [1, 3]
    assert marked(eta, 0.39).tolist() == [1]
    assert sorted(marked(eta, 0.99).tolist()) == [0, 1, 2, 3]


def test_bisection_towards_an_edge_conforms_and_keeps_its_shapes():
    """Twelve times the cells at {x₁ = 1, x₂ = 0}: volumes add up, no face has three cells or hangs
    inside, and shapes stay those of Kuhn's bisections."""
    mesh = meshes.cube(2)
    for _ in range(12):
        near = np.hypot(mesh.p[0] - 1, mesh.p[1]) < 1e-9
        mesh = refined(mesh, np.flatnonzero(near[mesh.t].any(axis=0)))
        checks.check(mesh)
    quality, volume = radius_ratios(mesh)
    assert quality.min() > 0.5
    assert volume.sum() == pytest.approx(1.0)
    boundary = mesh.p[:, mesh.facets[:, mesh.boundary_facets()]]
    on_a_side = [(boundary == side).all(axis=1).any(axis=0) for side in (0.0, 1.0)]
    assert np.logical_or(*on_a_side).all()  # a hanging node would leave a boundary face inside
    assert volume.min() < 1e-3 * volume.max()


@pytest.mark.parametrize(("element", "rate"), [("N0", 0.75), ("N1", 1.1)])
def test_refinement_beats_the_rate_of_uniform_meshes(element, rate):
    """`screen`: uniform meshes give 0.5 against unknowns^{1/3} whatever the order."""
    field = problems.screen
    data = boundary_value_data(field)
    found = list(refinements(data, meshes.cube(2), 9, element=element))
    errors = [s.errors(field.u, field.curl_u, field.singular_edge)[1] for s in found]
    sizes = np.array([s.dofs for s in found]) ** (1 / 3)
    slope = -np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert slope > rate
    indices = np.array([s.estimated for s in found]) / errors
    assert indices.min() > 1.5
    assert indices.max() < 1.4 * indices.min()
    assert found[-1].estimate(data) == found[-1].estimated
    assert set(found[0].seconds) == {"assemble", "solve", "estimate", "refine"}
    uniform = solve_boundary_value(data, {"N0": 7, "N1": 4}[element], element=element)
    assert uniform.dofs > found[-1].dofs
    assert uniform.errors(field.u, field.curl_u, field.singular_edge)[1] > errors[-1]


def test_what_adaptivity_refuses():
    data = boundary_value_data(problems.screen)
    with pytest.raises(UserError, match="at least 1"):
        next(refinements(data, meshes.cube(1), 0))
    with pytest.raises(UserError, match="share"):
        next(refinements(data, meshes.cube(1), 2, share=1.0))
