"""A domain from a mesh file against integrals, counts and a problem that is solved on it."""

import json

import meshlane
import numpy as np
import pytest
from skfem import MeshTet

from base.errors import UserError
from bench import problems
from bench.cells import Cell
from bench.core import plugins
from bench.domains.parts.mesh_file import MeshDomain, mesh_domain
from bench.measure.norms import l2_norm
from femnets.cli import invoke

SHEAR = """
import numpy as np
from femnets import Problem, mesh_domain

def u(x):
    return np.stack([np.sin(x[1]), 0 * x[0], 0 * x[0]])

def curl_u(x):
    return np.stack([0 * x[0], 0 * x[0], -np.cos(x[1])])

PROBLEM = Problem(name="s", title="shear", u=u, curl_u=curl_u, f=u, domain=mesh_domain("l.vtu"))
"""
OPEN = """
import numpy as np
from femnets import Problem, mesh_domain

def f(x):
    return np.stack([np.sin(x[1]), 0 * x[0], 0 * x[0]])

PROBLEM = Problem(name="o", title="open", f=f, g=lambda x, n: 0 * x, domain=mesh_domain("l.vtu"))
"""


def l_shape():
    """(0, 2) × (0, 1) × (0, 1) without the box (1, 2) × (½, 1) × (0, 1): volume 3/2."""
    half = np.linspace(0, 1, 3)
    box = MeshTet.init_tensor(np.linspace(0, 2, 5), half, half)
    middle = box.p[:, box.t].mean(axis=1)
    return box.restrict(np.flatnonzero(~((middle[0] > 1) & (middle[1] > 0.5))))


@pytest.fixture
def folder(mine):
    mesh = l_shape()
    meshlane.write("l.vtu", meshlane.Mesh(mesh.p.T, [("tetra", mesh.t.T)]))
    mine.with_name("shear.py").write_text(SHEAR, encoding="utf-8")
    mine.with_name("open.py").write_text(OPEN, encoding="utf-8")
    return mine.parent


@pytest.fixture(scope="module")
def domain():
    return MeshDomain.of(l_shape(), "l", "an L")


def inside(x):
    box = ((x >= 0) & (x <= np.array([[2], [1], [1]]))).all(axis=0)
    return box & ~((x[0] > 1) & (x[1] > 0.5))


def test_points_are_uniform_and_inside(domain):
    assert domain.volume == pytest.approx(1.5)
    x = domain.sample(20_000, seed=0)
    assert domain.contains(x).all()
    assert inside(x).all()
    for part, share in (((x[0] < 1), 2 / 3), ((x[1] < 0.25), 1 / 3), ((x[2] < 0.5), 1 / 2)):
        assert part.mean() == pytest.approx(share, abs=0.012)
    everywhere = np.random.default_rng(0).uniform(-0.5, 2.5, (3, 5000))
    np.testing.assert_array_equal(domain.contains(everywhere), inside(everywhere))


def test_faces_are_planes_with_outward_normals(domain):
    assert len(domain.faces) == 8
    assert sum(face.area for face in domain.faces) == pytest.approx(2 * 1.5 + 6)
    points = domain.sample_boundary(4000, seed=0)
    assert domain.contains(points.x - 1e-6 * points.normal).all()
    assert not domain.contains(points.x + 1e-6 * points.normal).any()
    areas = np.array([face.area for face in domain.faces])
    shares = np.bincount(points.face, minlength=8) / 4000
    np.testing.assert_allclose(shares, areas / areas.sum(), atol=0.03)


def test_rules_integrate_polynomials(domain):
    (rule,) = domain.rules().values()
    square = l2_norm(lambda x: x[0] * x[1], rule) ** 2  # ∫ x₁² x₂² = 8/3·1/24 + 1/3·7/24
    assert square == pytest.approx(8 / 3 / 24 + 1 / 3 * 7 / 24, rel=1e-12)


def test_meshes_are_halved(domain):
    assert [domain.mesh(n).nelements for n in (1, 2)] == [72, 576]
    assert domain.cells(2) == 576
    with pytest.raises(UserError, match="n = 1, 2, 4"):
        domain.mesh(3)
    with pytest.raises(UserError, match="use --element N0 or N1"):
        domain.mesh(1, "hex")


def test_it_is_part_of_the_hash_and_travels(folder, seen_elsewhere):
    name = plugins.use("./shear.py")
    volume = seen_elsewhere(Cell("fem", {"problem": name, "n": 1}), "domain.volume")
    assert float(volume) == pytest.approx(1.5)
    other = MeshTet().refined()
    meshlane.write("l.vtu", meshlane.Mesh(other.p.T, [("tetra", other.t.T)]))
    assert plugins.use("./shear.py") != name
    assert problems.get(plugins.use("./shear.py")).domain.volume == pytest.approx(1.0)


def test_solved_with_the_order_of_the_element(folder, capsys):
    words = ["fem", "--problem", "./shear.py", "--solve", "--element", "N1", "--n", "1,2", "--json"]
    assert invoke(words) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    # scikit-fem's refinement cuts other diagonals than the file: hence against the unknowns
    rate = (
        3
        * np.log(rows[0]["l2_error"] / rows[1]["l2_error"])
        / np.log(rows[1]["dofs"] / rows[0]["dofs"])
    )
    assert 1.6 < rate < 2.6


def test_without_a_closed_form_errors_are_called_what_they_are(folder, capsys):
    assert invoke(["fem", "--problem", "./open.py", "--solve", "--n", "1,2,4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["compared_with"].startswith("the finest solution")
    first, second, last = document["rows"]
    assert first["l2_error"] is None
    assert first["l2_distance"] > 1.4 * second["l2_distance"] > 0
    assert last["l2_distance"] is None
    assert first["estimate"] > second["estimate"] > last["estimate"] > 0
    assert invoke(["fem", "--problem", "./open.py"]) == 2
    assert "add --solve" in capsys.readouterr().err
    assert invoke(["fem", "--problem", "./open.py", "--solve", "--n", "1"]) == 0
    assert "apart: distance to the finest solution" in capsys.readouterr().out


def test_refine_halves_files_and_cubes(folder, capsys):
    words = ["fem", "--problem", "./shear.py", "--mesh", "l.vtu", "--refine", "1", "--json"]
    assert invoke(words) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[1]["l2_rate"] > 0.5
    assert rows[1]["halvings"] == 1
    assert invoke(["fem", "--n", "2", "--refine", "2", "--json"]) == 0
    assert [row["n"] for row in json.loads(capsys.readouterr().out)["rows"]] == [2, 4, 8]
    assert invoke(["fem", "--mesh", "l.vtu", "--mesh", "l.vtu", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 2


def test_a_missing_file_is_one_line(mine):
    with pytest.raises(UserError, match="does not exist"):
        mesh_domain("nothing.msh")
