"""A problem without a closed form: sizes, estimates, groups of a mesh, distances of nets, VTU."""

import dataclasses
import json
import math

import meshlane
import numpy as np
import pytest
from skfem import MeshTet

import femnets
from base.errors import UserError
from bench import problems
from bench.measure.norms import l2_norm
from bench.methods.coarse_solves import distance_to_elements
from bench.methods.finite_elements import Discretisation, approximate, own_measures
from femnets.cli import invoke

COIL = """
import numpy as np
from femnets import Problem, mesh_domain

DOMAIN = mesh_domain("part.msh")

def f(x):
    return np.stack([np.sin(np.pi * x[1]) * np.sin(np.pi * x[2]), 0 * x[0], 0 * x[0]])

PROBLEM = Problem(
    name="coil", title="a current in iron and air", f=f, g=lambda x, n: 0 * x, domain=DOMAIN,
    phi=DOMAIN.by_group({"iron": 0.1, "air": 1.0}),
)
"""
OPEN = """
import numpy as np
from femnets import Problem

def f(x):
    return np.stack([np.sin(np.pi * x[1]) * np.sin(np.pi * x[2]), 0 * x[0], 0 * x[0]])

PROBLEM = Problem(
    name="open", title="a current in the cube", f=f, g=lambda x, n: 0 * x,
    phi=lambda x: 1 + x[0] / 2, grad_phi=lambda x: np.stack([0.5 + 0 * x[0], 0 * x[0], 0 * x[0]]),
    phi_min=1.0, phi_slope=0.5, training="cube",
)
"""


def write_part(path):
    """The unit cube as a Gmsh file: iron on the left, air on the right."""
    x = np.linspace(0, 1, 3)
    box = MeshTet.init_tensor(x, x, x)
    tag = np.where(box.p[0, box.t].mean(axis=0) < 0.5, 7, 8)
    mesh = meshlane.Mesh(
        box.p.T,
        [("tetra", box.t.T)],
        cell_data={"gmsh:physical": [tag], "gmsh:geometrical": [tag]},
        field_data={"iron": np.array([7, 3]), "air": np.array([8, 3])},
    )
    meshlane.write(path, mesh, file_format="gmsh22")


@pytest.fixture
def coil(mine):
    write_part(mine.with_name("part.msh"))
    mine.write_text(COIL, encoding="utf-8")
    return mine


def hidden(name):
    """A problem of the package without its u, but with its trace."""
    known = problems.get(name)
    data = {"f": known.f, "phi": known.phi, "grad_phi": known.grad_phi}
    trace = lambda x, n: np.cross(known.u(x), n, axis=0)  # noqa: E731
    return problems.Problem(name=f"hidden {name}", title="hidden", g=trace, **data), known


def test_sizes_are_those_of_the_field():
    problem, known = hidden("helix")
    found = own_measures(
        problem, approximate(problem, Discretisation(element="N1", n=4, solve=True))
    )
    assert found["l2_norm"] == pytest.approx(1.45999621, rel=2e-3)  # of u, docs/mathematics
    rules = known.domain.rules().values()
    curl = math.hypot(*(l2_norm(known.curl_u, rule) for rule in rules))
    assert found["hcurl_norm"] == pytest.approx(math.hypot(1.45999621, curl), rel=5e-3)
    assert found["relative_estimate"] == pytest.approx(found["estimate"] / found["hcurl_norm"])


def test_the_distance_of_a_field_to_elements_is_nearly_its_error(monkeypatch):
    problem, known = hidden("helix")
    monkeypatch.setattr(problems, "get", lambda name: problem)
    found = distance_to_elements(lambda x: 1.1 * known.u(x), problem)
    assert found["relative_distance"] == pytest.approx(0.1, rel=0.05)
    assert found["compared_with"].startswith("N1, n = 4")


def test_phi_per_group_is_phi_by_a_formula(coil, capsys):
    assert invoke(["check", "./mine.py"]) == 0
    ours = femnets.problem("./mine.py")
    formula = dataclasses.replace(ours, phi=lambda x: np.where(x[0] < 0.5, 0.1, 1.0))
    chosen = Discretisation(element="N0", n=2, solve=True)
    x = ours.domain.sample(50, 0)
    np.testing.assert_allclose(
        approximate(ours, chosen)(x), approximate(formula, chosen)(x), atol=1e-12
    )
    assert float(ours.phi(np.array([-0.1, 0.5, 0.5]))) == 0.1  # the nearest cell
    with pytest.raises(UserError, match="part has iron, air; give each a value, not iron"):
        ours.domain.by_group({"iron": 1.0})
    assert invoke(["train", "--track", "solve", "--problem", "./mine.py", "--steps", "1"]) == 2
    assert "jumps between groups" in capsys.readouterr().err


def test_the_estimate_falls_with_h_where_phi_jumps(coil):
    """[n × φ curl u_h] with the φ of each side; with one φ for both it falls like h^½ only."""
    ours = femnets.problem("./mine.py")
    eta = [
        own_measures(ours, approximate(ours, Discretisation(element="N1", n=n, solve=True)))
        for n in (1, 2)
    ]
    assert eta[0]["estimate"] / eta[1]["estimate"] > 2.0


def test_a_run_on_a_gmsh_file_ends_in_a_report_and_readable_files(coil, capsys):
    settings = ["elements.n0=1,2", "elements.n1=1", "width=4", "evaluations=20"]
    words = [word for setting in settings for word in ("--set", setting)]
    run = ["run", "elements", "tournament", "--problem", "./mine.py", *words]
    assert invoke([*run, "--jobs", "0", "--run", "r", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    nets = [cell["values"] for cell in cells if cell["kind"] == "solved_net"]
    assert all(values["relative_distance"] > 0 for values in nets)
    assert len(nets) == 2
    page = coil.with_name("runs").joinpath("r/report.html").read_text(encoding="utf-8")
    for words in ("a current in iron and air", "{&#39;iron&#39;: 0.1", "0 * x", "share of ‖u_h‖"):
        assert words in page, words
    assert "no results of elements" not in page  # they are shown, without exact errors
    assert invoke(["export", "r", "--to", "vtu", "--out", "out"]) == 0
    files = json.loads(coil.with_name("out").joinpath("manifest.json").read_text())
    name = next(name for name in files if name.startswith("mine-N0-n2-solve"))
    assert files[name]["arrays"] == ["u_h", "estimate"]
    read = meshlane.read(coil.with_name("out") / name)
    estimate = read.cell_data["estimate"][0]
    stored = next(c for c in cells if c["key"] == files[name]["key"])["values"]["estimated_error"]
    assert np.sqrt((estimate**2).sum()) == pytest.approx(stored)


def test_errors_are_bounded_where_the_domain_has_constants(mine, capsys):
    mine.write_text(OPEN, encoding="utf-8")
    sizes = ["--set", "n0=2", "--set", "n1=", "--set", "orders=2,6"]
    run = ["run", "elements", "--problem", "./mine.py", *sizes, "--jobs", "0", "--run", "r"]
    assert invoke([*run, "--json"]) == 0
    values = {
        cell["config"]["order"]: cell["values"]
        for cell in json.loads(capsys.readouterr().out)["cells"]
    }
    assert not values[None]["certified"]  # too coarse
    assert values[6]["certified"]
    found, finer = (femnets.solve("./mine.py", 1, element="hexP", order=p) for p in (2, 8))
    x = np.random.default_rng(0).uniform(0, 1, (3, 20_000))
    distance = math.sqrt(np.square(found(x) - finer(x)).sum(axis=0).mean())
    assert distance < values[2]["l2_bound"] < 20 * distance
    page = mine.with_name("runs").joinpath("r/report.html").read_text(encoding="utf-8")
    assert "relative L² bound" in page
    assert ">yes<" in page
