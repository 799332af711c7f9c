"""A domain is one file: a made-up one, dropped in, goes through fem, run, ledger and report."""

import json
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from base.errors import UserError
from bench import domains
from bench.store.folder import Store
from femnets.cli import invoke
from reports.compile import build_document
from reports.context import Run
from reports.html import render_html

SLAB = '''
    """`slab`: two unit cubes side by side, (0, 2) × (0, 1) × (0, 1)."""

    import numpy as np

    from bench.domains import Domain, Face, components
    from base.errors import UserError

    SIZE = np.array([2.0, 1.0, 1.0])


    class Slab(Domain):
        def contains(self, x):
            x = components(x)
            return ((x.T >= 0) & (x.T <= SIZE)).all(axis=-1).T

        def place(self, uniform):
            return SIZE[:, None] * uniform

        def place_on_face(self, face, uniform):
            axis, side = divmod(face, 2)
            return SIZE[:, None] * np.insert(uniform, axis, float(side), axis=0)

        def rules(self, edges=(), resolution=None):
            if edges:
                raise UserError(f"slab has no rule for singular edges, got {edges}")
            return {"whole": self.gauss_rule(3, "hex", 8)}

        def mesh_rules(self, n, cell="tet", degree=6, edges=()):
            self.rules(edges)
            return super().mesh_rules(n, cell, degree)

        def mesh(self, n, cell="tet", grading=None, edge=None):
            from skfem import MeshHex, MeshTet

            if grading is not None:
                raise UserError("slab is not graded; leave out --grading")
            lines = [np.linspace(0, size, round(size * n) + 1) for size in SIZE]
            return {"tet": MeshTet, "hex": MeshHex}[cell].init_tensor(*lines)


    def face(axis, side):
        normal = np.zeros(3)
        normal[axis] = 2.0 * side - 1
        offset = SIZE[axis] * side
        return Face(f"x{axis + 1}={offset:g}", normal, float(offset), 2.0 / SIZE[axis])


    DOMAIN = Slab(
        name="slab", title="two cubes side by side", volume=2.0,
        faces=tuple(face(axis, side) for axis in range(3) for side in range(2)),
    )
'''
PROBLEM = '''
"""The paper's field on a longer domain."""

from dataclasses import replace

from bench import domains, problems

PROBLEM = replace(
    problems.maxwell, name="longer", title="The paper's field on a slab", domain=domains.get("slab")
)
'''


@pytest.fixture
def slab(dropped_in, monkeypatch, tmp_path):
    dropped_in("bench.domains", "slab", SLAB)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "longer.py").write_text(PROBLEM)
    return domains.get("slab")


def test_it_keeps_the_contract_of_domains(slab):
    place = Path(__file__).parents[1] / "bench" / "test_domains.py"
    test_domains = SourceFileLoader("contract_of_domains", str(place)).load_module()
    contract = test_domains.TestContract()
    for name in dir(contract):
        check = getattr(contract, name)
        if name.startswith("test_") and not hasattr(check, "pytestmark"):
            check(slab)
    for how in ("random", "quasi"):
        contract.test_samples_are_inside_and_uniform(slab, how)
        contract.test_boundary_points_lie_on_their_faces(slab, how)


def test_the_command_lists_and_solves_on_it(slab, capsys):
    assert invoke(["list", "--json"]) == 0
    assert "slab" in json.loads(capsys.readouterr().out)["domains"]
    assert invoke(["fem", "--problem", "./longer.py", "--n", "1,2,4", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[0]["h"] == pytest.approx(3**0.5)
    assert rows[0]["dofs"] == 33  # two cubes of Kuhn cells: 19 edges each, 5 shared
    assert 0.8 < rows[-1]["l2_rate"] < 1.1
    assert invoke(["fem", "--problem", "./longer.py", "--n", "2", "--grading", "2"]) == 2
    assert "slab is not graded" in capsys.readouterr().err


def test_a_run_measures_on_it_and_the_report_shows_it(slab, capsys, tmp_path):
    chosen = ["--set", "problems=./longer.py", "--jobs", "0", "--no-report", "--run", "x"]
    small = ["--set", "n=1,2", "--set", "methods=linear", "--set", "features=x,f,phi"]
    studies = (("convergence", small[:2]), ("baselines", [*small[2:], "--set", "samples=500"]))
    for study, options in studies:
        assert invoke(["run", study, *chosen, *options]) == 0, capsys.readouterr().err
    found = list(Store(tmp_path / "runs" / "x").records())
    assert {record.kind for record in found} == {"fem", "baseline"}
    for record in found:
        assert record.values["l2_error"] > 0
        assert "l2_error_inside" not in record.values  # the slab has one part
    page = render_html(build_document(Run.read(tmp_path / "runs" / "x")))
    assert "longer" in page


def test_a_file_without_a_domain_says_what_is_missing(dropped_in):
    dropped_in("bench.domains", "empty", '"""Nothing."""')
    with pytest.raises(UserError, match=r"empty declares no DOMAIN"):
        domains.get("empty")
