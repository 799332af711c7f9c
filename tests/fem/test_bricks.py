"""Nédélec elements of any order on bricks: the axes, the matrices, the solves, hp layers."""

from dataclasses import replace

import numpy as np
import pytest
import skfem
from skfem.helpers import curl, dot, grad

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import UserError
from fem.boundary_value import BoundaryValueProblem, trace_of
from fem.elements.hex_n0 import reference
from fem.rules.quadrature import gauss
from fem.spaces.bricks.assembled import assembled_bytes, curl_curl
from fem.spaces.bricks.axis import Axis
from fem.spaces.bricks.boundary_value import solve_on_bricks
from fem.spaces.bricks.box_solve import BoxSystem, Coefficient, Lift
from fem.spaces.bricks.mesh import BrickMesh, graded, layered, uniform
from fem.spaces.bricks.modes import Modes
from fem.spaces.bricks.space import BrickSpace
from fem.spaces.bricks.tensor import Grid
from fem.spaces.bricks.traces import trace_coefficients

UNEVEN = Axis.of(np.array([0.0, 0.2, 0.9, 1.0]), (2, 4, 1))


def l_prism(layers=1, order=2, natural=()):
    """((−1, 1)² ∖ [0, 1) × (−1, 0]) × (0, 1)."""
    across, along = layered(-1.0, 1.0, 0.0, layers, 0.3), Axis.of(np.array([0.0, 1.0]), order)
    active = np.ones((2 * layers + 2, 2 * layers + 2, 1), dtype=bool)
    active[layers + 1 :, : layers + 1] = False
    return BrickMesh.of((across, across, along), active, natural)


def test_slopes_of_V_lie_in_Q_and_interpolation_commutes():
    x = np.linspace(0.01, 0.99, 41)
    _, Q = UNEVEN.tables(x)
    step = 1e-6
    slopes = (UNEVEN.tables(x + step)[0] - UNEVEN.tables(x - step)[0]) / (2 * step)
    assert np.allclose(slopes, Q @ UNEVEN.derivative, atol=1e-7)
    for i, p in enumerate(UNEVEN.orders):
        points, onto_Q, onto_V = UNEVEN.sampling(i)
        v = onto_V @ np.exp(points)
        D = UNEVEN.derivative[np.ix_(UNEVEN.dofs_Q[i], UNEVEN.dofs_V[i])]
        assert np.allclose(D @ v, onto_Q @ np.exp(points), atol=1e-12)  # exp′ = exp
        assert v[:2] == pytest.approx(np.exp(UNEVEN.breaks[i : i + 2]))
        assert len(v) == p + 1


@pytest.mark.parametrize("held", [(True, True), (True, False), (False, True), (False, False)])
def test_modes_are_orthonormal_on_layers_of_1e_9(held):
    axis = layered(0.0, 1.0, 0.0, 11, 0.15)
    modes = Modes(axis, held)
    for gram, factors in ((axis.mass_V, modes.C), (np.eye(axis.size_Q), modes.S)):
        there = factors.any(axis=0)
        assert np.allclose(factors.T @ gram @ factors, np.diag(there * 1.0), atol=1e-13)
        assert there[1:].all()
    defect = axis.derivative @ modes.C - modes.S * modes.kappa
    assert abs(defect / np.maximum(modes.kappa, 1.0)).max() < 1e-8
    exact = {2: np.arange(4) * np.pi, 1: (np.arange(4) + 0.5) * np.pi, 0: np.arange(4) * np.pi}
    assert np.allclose(modes.kappa[:4], exact[sum(held)], rtol=1e-6)  # sines and cosines


def test_the_matrix_of_a_brick_against_plain_sums():
    """Every function evaluated at every Gauss point, its curl by differences."""
    mesh = BrickMesh.of((UNEVEN, Axis.of(np.array([0.0, 0.5]), 2), Axis.of(np.array([1.0, 3]), 3)))
    brick, phi = (1, 0, 0), problems.helix.phi
    ends = [axis.breaks[i : i + 2] for axis, i in zip(mesh.axes, brick, strict=True)]
    x, w = gauss(9)
    lines = [a + (b - a) * x for a, b in ends]
    points = np.stack(np.meshgrid(*lines, indexing="ij")).reshape(3, -1)
    weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * np.prod([b - a for a, b in ends])

    def functions(points):
        tables = [
            axis.local_tables(i, c) for axis, i, c in zip(mesh.axes, brick, points, strict=True)
        ]
        found = []
        for d in range(3):
            a, b, c = (tables[k][k == d] for k in range(3))
            value = np.einsum("qi,qj,qk->qijk", a, b, c).reshape(points.shape[1], -1)
            found.append(np.stack([value * (k == d) for k in range(3)]))
        return np.concatenate(found, axis=2)  # (3, points, functions)

    step = 1e-5
    slopes = [
        (functions(points + step * e[:, None]) - functions(points - step * e[:, None])) / (2 * step)
        for e in np.eye(3)
    ]
    curls = np.stack(
        [slopes[(c + 1) % 3][(c + 2) % 3] - slopes[(c + 2) % 3][(c + 1) % 3] for c in range(3)]
    )
    plain = np.einsum("cqi,cqj,q->ij", curls, curls, weights * phi(points), optimize=True)
    assert np.allclose(curl_curl(mesh, brick, phi), plain, rtol=1e-6, atol=1e-6 * abs(plain).max())


def test_evaluation_against_the_sum_over_all_functions():
    """Bricks of different orders and sizes, more points than one block, u_h and its curl."""
    axes = (UNEVEN, Axis.of(np.array([-1.0, 0.5, 1.0]), (3, 2)), Axis.of(np.array([0.0, 2.0]), 3))
    space = BrickSpace(BrickMesh.of(axes))
    rng = np.random.default_rng(3)
    x = rng.standard_normal(space.dofs)
    points = np.array([[0.0], [-1.0], [0.0]]) + np.array([[1.0], [2.0], [2.0]]) * rng.random(
        (3, 700)
    )
    tables = [axis.tables(c) for axis, c in zip(axes, points, strict=True)]
    slopes = [Q @ axis.derivative for axis, (_, Q) in zip(axes, tables, strict=True)]

    def summed(d, slope=None):
        """Component d, or its derivative along an axis."""
        picked = [Q if k == d else V for k, (V, Q) in enumerate(tables)]
        if slope is not None:
            picked[slope] = slopes[slope]
        return np.einsum("qi,qj,qk,ijk->q", *picked, space.mesh.split(x)[d], optimize=True)

    assert np.allclose(space.evaluate(x, points), [summed(d) for d in range(3)], atol=1e-12)
    curls = [summed((d + 2) % 3, (d + 1) % 3) - summed((d + 1) % 3, (d + 2) % 3) for d in range(3)]
    assert np.allclose(space.evaluate_curl(x, points), curls, atol=1e-11)
    with pytest.raises(UserError, match="1 of 2 points lie outside"):
        space.evaluate(x, np.array([[0.5, np.nan], [0.5, 0.5], [0.5, 0.5]]))


@pytest.mark.parametrize("solver", ["modes", "direct"])
def test_order_one_against_scikit_fem_on_uneven_bricks(solver):
    """The saddle point assembled by scikit-fem's forms with the hexahedral edge element."""
    field = problems.helix
    cuts = [np.array(c) for c in ([0.0, 0.3, 1.0], [0.0, 0.6, 1.0], [0.0, 0.1, 0.5, 1.0])]
    mesh = BrickMesh.of(tuple(Axis.of(c, 1) for c in cuts))
    ours = solve_on_bricks(boundary_value_data(field), mesh=mesh, solver=solver)
    hexes = skfem.MeshHex.init_tensor(*cuts)
    edge = skfem.Basis(hexes, reference(), intorder=10)
    node = skfem.Basis(hexes, skfem.ElementHex1(), intorder=10)
    K = skfem.BilinearForm(lambda u, v, w: field.phi(w.x) * dot(curl(u), curl(v))).assemble(edge)
    B = skfem.BilinearForm(lambda p, v, w: dot(grad(p), v)).assemble(node, edge)
    load = skfem.LinearForm(lambda v, w: dot(field.f(w.x), v)).assemble(edge)
    start, end = hexes.p[:, hexes.edges[0]], hexes.p[:, hexes.edges[1]]
    t, w = gauss(9)
    along = start[:, :, None] + (end - start)[:, :, None] * t
    tangent = np.where(hexes.edges[0] < hexes.edges[1], 1.0, -1.0) * (end - start)
    x = np.zeros(edge.N + node.N)
    x[: edge.N] = np.einsum("deq,de,q->e", field.u(along), tangent, w)
    fixed = hexes.boundary_edges()
    held = np.concatenate([fixed, edge.N + hexes.boundary_nodes()])
    matrix = skfem.bmat([[K, B], [B.T, None]], "csr")
    b = np.concatenate([load, np.zeros(node.N)])
    solution = skfem.solve(*skfem.condense(matrix, b, x=x, D=held))
    centres = hexes.p[:, hexes.t].mean(axis=1)
    probes = edge.probes(centres) @ solution[: edge.N]
    assert np.allclose(probes.reshape(3, -1), ours(centres), atol=1e-9)


@pytest.mark.parametrize("natural", [(), ((2, 0), (2, 1)), ((0, 1),), ((1, 0), (2, 1))])
def test_two_solvers_agree_on_a_box_with_uneven_orders(natural):
    """Variable φ, a source ρ; the modes never see the matrix that the factorisation is of."""
    axes = (UNEVEN, Axis.of(np.array([-1.0, 0.5, 1.0]), (3, 2)), Axis.of(np.array([0.0, 2.0]), 3))
    mesh = BrickMesh.of(axes, natural=natural)
    problem = replace(boundary_value_data(problems.helix), rho=lambda x: 1.0 + x[0] * x[1])
    modes, direct = (solve_on_bricks(problem, mesh=mesh, solver=s) for s in ("modes", "direct"))
    assert np.allclose(modes.x, direct.x, atol=1e-9)
    assert modes.multiplier_norm == pytest.approx(direct.multiplier_norm, abs=1e-9)
    assert max(modes.divergence, direct.divergence) < 1e-13
    assert modes.iterations > 0 == direct.iterations


@pytest.mark.parametrize("natural", [(), ((2, 0), (2, 1))])
def test_exact_for_fields_of_the_space_on_an_l_shaped_prism(natural):
    """u = (x₁, 2x₂, 0) + e_z × x; on the caps u·n = 0 and φ curl u × n = 0."""
    u = lambda x: np.stack([x[0] - x[1], 2 * x[1] + x[0], 0 * x[0]])  # noqa: E731
    spin = lambda x: np.stack([0 * x[0], 0 * x[0], 2 + 0 * x[0]])  # noqa: E731
    field = problems.maxwell
    problem = BoundaryValueProblem(
        f=lambda x: np.cross(field.grad_phi(x), spin(x), axis=0),
        phi=field.phi,
        g=trace_of(u),
        rho=lambda x: 3.0 + 0 * x[0],
    )
    two = Axis.of(np.array([-1.0, 0.0, 1.0]), 2)
    active = np.array([[[True], [True]], [[False], [True]]])
    mesh = BrickMesh.of((two, two, Axis.of(np.array([0.0, 1.0]), 2)), active, natural)
    solution = solve_on_bricks(problem, mesh=mesh)
    assert max(solution.errors(u, spin)) < 1e-11
    assert solution.divergence < 1e-12


def test_p_version_of_the_smooth_fields():
    for name, order, bound in (("maxwell", 8, 1e-10), ("helix", 12, 1e-8)):
        field = problems.get(name)
        solution = solve_on_bricks(boundary_value_data(field), n=1, order=order)
        assert solution.errors(field.u, field.curl_u)[0] < bound
        assert solution.divergence < 1e-14
        assert solution.multiplier_norm < 1e-11
        points = np.random.default_rng(0).random((3, 5, 4))
        assert np.allclose(solution(points), field.u(points), atol=100 * bound)
        assert np.allclose(solution.curl(points), field.curl_u(points), atol=1000 * bound)


def test_iterations_depend_on_phi_alone():
    """max φ / min φ = 3 on `maxwell`, hence condition 4/3 at most: 12 steps to 1e-13, whatever the
    mesh; φ is smooth, which saves half of them."""
    data = boundary_value_data(problems.maxwell)
    meshes = [uniform(1, 8), uniform(6, 2), graded(8, 0.15, 2, (1.0, 0.0))]
    counts = [solve_on_bricks(data, mesh=mesh).iterations for mesh in meshes]
    assert 4 <= min(counts) <= max(counts) <= 7


def bump(amplitude):
    """1 + a exp(−|x − c|²/2w²), w = 0.2, and the data that make `helix` its solution."""
    field, centre = problems.helix, np.array([0.3, 0.62, 0.4])

    def hill(x):
        away = x - centre.reshape(3, *[1] * (x.ndim - 1))
        return amplitude * np.exp(-(away**2).sum(axis=0) / 0.08), away

    def f(x):
        value, away = hill(x)
        spin = field.curl_u(x)
        twice = (field.f(x) - np.cross(field.grad_phi(x), spin, axis=0)) / field.phi(x)
        return (1.0 + value) * twice - np.cross(value * away / 0.04, spin, axis=0)

    return BoundaryValueProblem(f=f, phi=lambda x: 1.0 + hill(x)[0], g=trace_of(field.u))


def on_box(problem, order):
    system = BoxSystem.on(uniform(1, order))
    boundary = trace_coefficients(system.mesh, problem.g)
    return Lift.of(system, problem, boundary), Coefficient(system, problem.phi)


@pytest.mark.parametrize(("contrast", "most"), [(10.0, 8), (1000.0, 30)])
def test_iterations_with_a_bump(contrast, most):
    """To 1e-7 in energy, at every order."""
    problem = replace(bump(contrast), f=problems.helix.f)  # another f: u is not helix
    for order in (4, 9, 16, 24):
        lift, phi = on_box(problem, order)
        load = phi.load(lift.curls)
        found = phi.solve(load, 1e-7 * phi.energy(lift.curls))
        assert found.iterations <= most
    assert np.linalg.norm(phi.apply(found.y) - load) < 1e-6 * np.linalg.norm(load)


@pytest.mark.parametrize("contrast", [10.0, 1000.0])
def test_eta_bounds_the_energy_error_without_a_constant(contrast):
    """For any y, against the converged solve: 1 ≤ η/‖φ^½ curl e‖ ≤ (a + b)/2√ab (Kantorovich)."""
    lift, phi = on_box(bump(contrast), 6)
    load = phi.load(lift.curls)
    exact = phi.solve(load, 1e-12 * phi.energy(lift.curls)).y
    early = phi.solve(load, 1e-2 * phi.energy(lift.curls)).y
    others = np.random.default_rng(0).standard_normal((2, *exact.shape))
    others = [phi.system.box.without_gradients(y) for y in others]
    for y in (0 * exact, early, *others):
        error = phi.energy(phi.system.curls(y - exact))
        ratio = phi.bound(load - phi.apply(y)) / error
        assert 1.0 - 1e-9 <= ratio <= (2.0 + contrast) / 2 / np.sqrt(1.0 + contrast)


@pytest.mark.parametrize(("contrast", "least"), [(0.0, 0.99), (10.0, 1.0), (1000.0, 1.0)])
def test_the_energy_estimate_against_the_true_error(contrast, least):
    """For φ = 1 the iteration is exact and leaves the distance to two orders more alone."""
    field, problem = problems.helix, bump(contrast)
    for order in (2, 5, 8):
        solution = solve_on_bricks(problem, n=1, order=order)
        grid = Grid.on(uniform(1, 24))
        ((_, points, weights),) = grid.slabs()
        rest = ((field.curl_u(points) - solution.curl(points)) ** 2).sum(axis=0)
        true = np.sqrt((problem.phi(points) * rest * weights).sum())
        assert least < solution.energy_estimate(problem) / true < 1.4
        assert least < solution.estimate(problem) / solution.errors(field.u, field.curl_u)[1] < 2.5


def test_what_a_small_box_needs_is_kept_between_calls():
    assert BoxSystem.on(uniform(1, 5)) is BoxSystem.on(uniform(1, 5))
    assert BoxSystem.on(uniform(1, 5)) is not BoxSystem.on(uniform(2, 5))
    natural = BrickMesh.of(uniform(1, 5).axes, natural=[(2, 0)])
    assert BoxSystem.on(natural).mesh.held[2] == (False, True)
    with pytest.raises(UserError, match="whole box"):
        solve_on_bricks(bump(1.0), n=1, order=1, solver="direct").energy_estimate(bump(1.0))


def fitted(unknowns, errors, root):
    """log error = a − b N^{1/root}: b, and the largest distance from the line."""
    x, y = np.asarray(unknowns, float) ** (1 / root), np.log(errors)
    slope, at_zero = np.polyfit(x, y, 1)
    return -slope, abs(y - at_zero - slope * x).max()


@pytest.mark.parametrize(("name", "bound"), [("curlsing", 1e-5), ("screen", 2e-3)])
def test_errors_fall_exponentially_in_geometric_layers(name, bound):
    """The H(curl) error in N^{1/4} with the order along the edge fixed, in N^{1/5} where it grows
    with the layers; a power of N, a line in log N, is further away."""
    field = problems.get(name)
    for root, order in ((4, lambda layers: 6), (5, lambda layers: layers + 1)):
        dofs, errors = [], []
        for layers in (1, 2, 4, 6):
            mesh = graded(layers, 0.15, order(layers), field.singular_edge)
            solution = solve_on_bricks(boundary_value_data(field), mesh=mesh)
            dofs.append(solution.dofs)
            errors.append(solution.errors(field.u, field.curl_u, field.singular_edge))
        hcurl = [error[1] for error in errors]
        rate, distance = fitted(dofs, hcurl, root)
        assert rate > 0.35
        power = np.polyfit(np.log(dofs), np.log(hcurl), 1)
        bent = abs(np.log(hcurl) - np.polyval(power, np.log(dofs))).max()
        assert distance < min(0.1, bent / 2)
    assert errors[-1][0] < bound


def test_a_singular_gradient_on_the_l_shape_by_its_potential_alone():
    """u = ∇(r^{2/3} sin 2θ/3) on the prism: f = 0, g by ψ; the error falls with every layer."""

    def polar(x):
        angle = np.arctan2(x[1], x[0])
        return np.maximum(np.hypot(x[0], x[1]), 1e-300), angle + 2 * np.pi * (angle < 0)

    def u(x):
        r, theta = polar(x)
        size = 2 / 3 * r ** (-1 / 3)
        return np.stack([-size * np.sin(theta / 3), size * np.cos(theta / 3), 0 * r])

    nothing = np.zeros_like
    problem = BoundaryValueProblem(
        f=nothing,
        phi=lambda x: 1 + 0 * x[0],
        g=lambda x, n: nothing(x),
        potential=lambda x: polar(x)[0] ** (2 / 3) * np.sin(2 / 3 * polar(x)[1]),
        singular_edge=(0.0, 0.0),
    )
    caps = ((2, 0), (2, 1))
    errors = [
        solve_on_bricks(problem, mesh=l_prism(layers, 1, caps)).errors(u, nothing, (0.0, 0.0))[0]
        for layers in (1, 2)
    ]
    assert errors[1] < 0.5 * errors[0]  # 0.3^{2/3} = 0.45 per layer


def test_what_bricks_refuse():
    data = boundary_value_data(problems.maxwell)
    with pytest.raises(UserError, match="ascend"):
        Axis.of(np.array([0.0, 0.0, 1.0]), 2)
    with pytest.raises(UserError, match="as many orders"):
        Axis.of(np.array([0.0, 0.5, 1.0]), (1, 2, 3))
    with pytest.raises(UserError, match="order must be at least 1"):
        uniform(1, 0)
    with pytest.raises(UserError, match="at most 6"):
        graded(20, 0.01, 2, (1.0, 0.0))
    with pytest.raises(UserError, match="shape of the grid"):
        BrickMesh.of(uniform(2, 1).axes, np.ones((1, 2, 2), dtype=bool))
    with pytest.raises(UserError, match="natural sides"):
        BrickMesh.of(uniform(2, 1).axes, natural=((3, 0),))
    ends = BrickMesh.of(uniform(1, 2).axes, natural=((0, 0), (0, 1), (1, 0), (1, 1)))
    with pytest.raises(UserError, match="two opposite faces"):
        solve_on_bricks(data, mesh=ends)
    with pytest.raises(UserError, match="whole box"):
        solve_on_bricks(data, mesh=l_prism(), solver="modes")
    with pytest.raises(UserError, match="solver must be"):
        solve_on_bricks(data, n=1, order=2, solver="magic")
    with pytest.raises(UserError, match="phi must be positive"):
        solve_on_bricks(replace(data, phi=lambda x: x[0] - 0.5), n=1, order=2)
    with pytest.raises(UserError, match="GiB"):
        solve_on_bricks(data, n=40, order=40)
    with pytest.raises(UserError, match="outside the mesh"):
        solve_on_bricks(data, n=1, order=2)(np.full((3, 1), 1.5))
    assert assembled_bytes(uniform(1, 8)) > 8 * assembled_bytes(uniform(1, 4))
