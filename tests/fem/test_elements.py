"""The contract of every element: its order, conformity, polynomials, and edge integrals as dofs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from second_opinions import renumbered

from base.errors import UserError
from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import best_approximation, elements, fit, meshes, solve_boundary_value
from fem.elements import Element, Solver, per_cell
from fem.spaces.assembled import AssembledSpace

ROOT = Path(__file__).parent.parent.parent
WITH_REFERENCE = [e for e in elements.elements().values() if e.reference is not None]
LOWEST = [e for e in WITH_REFERENCE if e.order == 1]


def generator(seed=0):
    return np.random.Generator(np.random.Philox(seed))


def meshed(element, n, seed=0):
    """A cube with its nodes renumbered at random and moved a little."""
    mesh = renumbered(meshes.cube(n, element.cell), generator(seed))
    inner = (mesh.p > 0) & (mesh.p < 1)
    return type(mesh)(mesh.p + inner * generator(seed).uniform(-0.1, 0.1, mesh.p.shape) / n, mesh.t)


@pytest.mark.parametrize("element", WITH_REFERENCE, ids=lambda e: e.name)
def test_the_declared_order_is_the_measured_one(element):
    """Pre-asymptotic (maths 6), so the band is 0.1 below the order and 0.15 above."""
    problem = problems.maxwell
    coarse, fine = (
        best_approximation(problem.u, problem.curl_u, n, element=element.name) for n in (3, 6)
    )
    for name in ("l2_error", "hcurl_error"):
        rate = np.log2(getattr(coarse, name) / getattr(fine, name))
        assert element.order - 0.1 < rate < element.order + 0.15, name


@pytest.mark.parametrize("element", WITH_REFERENCE, ids=lambda e: e.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_tangential_continuity_after_random_renumbering(element, seed):
    from skfem import Dofs, InteriorFacetBasis

    mesh = meshed(element, 2, seed)
    x = generator(seed).standard_normal(Dofs(mesh, element.reference()).N)
    sides = []
    for side in (0, 1):
        basis = InteriorFacetBasis(mesh, element.reference(), side=side, intorder=3)
        sides.append((basis.interpolate(x).value, basis.normals, basis.global_coordinates().value))
    (left, normal, points), (right, _, same_points) = sides
    np.testing.assert_allclose(points, same_points, atol=1e-12)
    jump = np.cross(left - right, np.asarray(normal), axis=0)
    normal_jump = np.einsum("dfq,dfq->fq", left - right, np.asarray(normal))
    assert abs(jump).max() < 1e-11
    assert abs(normal_jump).max() > 0.1  # the normal component is free to jump: not nodal


@pytest.mark.parametrize("element", WITH_REFERENCE, ids=lambda e: e.name)
def test_reproduces_its_polynomials(element):
    """R_k ⊃ P_{k−1}³ + x × P_{k−1}³: a + b × x, and for second order linears times x too."""
    a, b = generator(3).standard_normal((2, 3, 1))
    c = generator(4).standard_normal((3, 3)) if element.order > 1 else np.zeros((3, 3))

    def u(x):
        flat = x.reshape(3, -1)
        return (a + np.cross(b + c @ flat, flat, axis=0)).reshape(x.shape)

    def curl_u(x):
        """curl (q × x) = 3 q... for q = b + C x: q div x − x div q + (x·∇) q − (q·∇) x."""
        flat = x.reshape(3, -1)
        q = b + c @ flat
        return (3 * q - np.trace(c) * flat + c @ flat - q).reshape(x.shape)

    affine = element.cell == "tet" or meshes.cube(2, "hex")
    mesh = meshed(element, 2) if affine is True else affine
    solution = best_approximation(u, curl_u, mesh=mesh, element=element.name, solver="assembled")
    assert solution.hcurl_error < 1e-11


@pytest.mark.parametrize("element", LOWEST, ids=lambda e: e.name)
def test_dofs_are_edge_integrals(element):
    """Σ x_i v_i has the edge integrals x, from lower to higher vertex number."""
    mesh = meshed(element, 2) if element.cell == "tet" else meshes.cube(2, "hex")
    space = AssembledSpace(element=element.name, mesh=mesh)
    x = generator(5).standard_normal(space.dofs)

    def nudged(points):  # a hair off the edges, into the cube: the tangential part stays
        return space.evaluate(x, 0.5 + (points - 0.5) * (1 - 1e-9))

    np.testing.assert_allclose(space.interpolate(nudged), x, atol=1e-6)


def test_names_and_solvers_are_found_or_explained():
    assert {"N0", "hexN0"} <= elements.elements().keys()
    with pytest.raises(UserError, match="did you mean 'N0'"):
        elements.get("N00")
    element = elements.get("hexN0")
    with pytest.raises(UserError, match="unknown solver 'assembld'; did you mean 'assembled'"):
        elements.candidates(element, "assembld", 8, on_mesh=False)
    with pytest.raises(UserError, match="does not go with element hexN0"):
        elements.candidates(element, "general", 8, on_mesh=False)
    with pytest.raises(UserError, match="works on the uniform cube only"):
        elements.candidates(elements.get("N0"), "kuhn", 8, on_mesh=True)


def test_auto_takes_the_first_that_fits():
    small, large = (
        Solver(AssembledSpace, per_cell(1), any_mesh=True, auto_cells=(0, 10)),
        Solver(AssembledSpace, per_cell(1)),
    )
    element = Element(
        name="x",
        title="",
        short="",
        about="",
        cell="tet",
        order=1,
        solvers={"small": small, "large": large},
    )
    assert list(elements.candidates(element, "auto", 10, on_mesh=False)) == ["small", "large"]
    assert list(elements.candidates(element, "auto", 11, on_mesh=False)) == ["large"]
    with pytest.raises(UserError, match="has no solver for a mesh"):
        elements.candidates(element, "auto", 11, on_mesh=True)


@pytest.mark.parametrize("element", elements.elements().values(), ids=lambda e: e.name)
def test_declared_memory_is_that_of_the_spaces(element):
    """Planning asks the declaration, `make_space` the space: on many cells they say the same."""
    order = {} if element.order else {"order": 5}
    for name, solver in element.solvers.items():
        n = 24
        predicted = solver.build(n=n, **order).predicted_bytes()
        declared = solver.needs(element.cells(n), order.get("order", 0))
        assert predicted == pytest.approx(declared, rel=0.15, abs=7e8), name
    cells = element.cells(64)
    task = "best" if element.solvers else "solve"
    assert element.planned_bytes(cells, order=order.get("order"), task=task) > 0


@pytest.mark.parametrize("element", elements.elements().values(), ids=lambda e: e.name)
def test_an_element_does_what_it_declares_and_says_who_does_the_rest(element):
    problem, order = problems.helix, {} if element.order else {"order": 2}
    data = boundary_value_data(problem)
    if element.boundary_value is not None:
        solution = solve_boundary_value(data, 2, element=element.name, **order)
        with pytest.raises(UserError, match="measure"):
            solution.l2_error  # noqa: B018
        measured = solution.measure(problem.u, problem.curl_u)
        assert measured.l2_error == solution.errors(problem.u, problem.curl_u)[0]
        assert 0 < measured.l2_error < measured.hcurl_error
        assert measured.l2_error / measured.l2_relative == pytest.approx(1.45999621, rel=1e-7)
        assert set(measured.seconds) == {"assemble", "solve", "error"}
    else:
        with pytest.raises(UserError, match="does not do boundary-value problems; take"):
            solve_boundary_value(data, 2, element=element.name, **order)
    points, mesh = generator().random((3, 400)), meshes.cube(1, element.cell)
    if element.fit is not None:
        found = fit(points, problem.u(points), mesh, element=element.name, **order)
        again = found.measure(problem.u, problem.curl_u)
        assert 0 < again.l2_relative < 1
        assert again.total_seconds == found.total_seconds > 0
    else:
        with pytest.raises(UserError, match="does not do fits to samples; take"):
            fit(points, problem.u(points), mesh, element=element.name, **order)


def test_asking_an_element_loads_no_engine():
    """Planning, listing and the memory of cells, in a fresh process."""
    code = """
import sys
from bench.cells import Cell, needs_bytes
from fem import elements
for element in elements.elements().values():
    order = None if element.order else 3
    config = {"n": 8, "element": element.name, "order": order, "solve": not element.solvers}
    needs_bytes(Cell("fem", config))
    print(element.title, element.any_mesh)
loaded = {"skfem", "torch", "numba", "pyamg", "meshlane"} & set(sys.modules)
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
