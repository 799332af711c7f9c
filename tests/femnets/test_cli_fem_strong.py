"""`femnets fem` with the strong baselines: orders, graded and read meshes, --solve, --vtu."""

import json
from itertools import pairwise

import meshlane
import numpy as np
import pytest

from fem import meshes
from femnets.cli import invoke


def rows(capsys, *arguments):
    assert invoke(["fem", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["rows"]


def test_the_p_version_by_order(capsys):
    found = rows(capsys, "--element", "hexP", "--n", "1", "--order", "4-6")
    assert [row["order"] for row in found] == [4, 5, 6]
    assert found[-1]["l2_error"] < 1e-7
    assert found[-1]["dofs"] == 882


def test_second_order_and_lowest_order_side_by_side(capsys):
    lowest, second = (
        rows(capsys, "--element", element, "--n", "2,4", "--problem", "helix")
        for element in ("N0", "N1")
    )
    assert second[-1]["l2_error"] < lowest[-1]["l2_error"] / 10
    assert second[-1]["l2_rate"] > 1.7


def test_the_boundary_value_problem_and_its_figures(capsys, tmp_path):
    path = tmp_path / "u.vtu"
    given = ("--solve", "--estimate", "--n", "3", "--element", "N1")
    (row,) = rows(capsys, *given, "--vtu", str(path))
    assert row["multiplier_norm"] < 1e-9
    assert row["divergence"] < 1e-9
    assert row["effectivity"] == pytest.approx(row["estimate"] / row["hcurl_error"])
    content = meshlane.read(path)
    assert {"u_h", "curl_u_h", "u", "curl_u"} <= set(content.point_data)
    difference = content.point_data["u_h"] - content.point_data["u"]
    assert 0 < abs(difference).max() < 0.01
    total = np.sqrt((content.cell_data["l2_error"][0] ** 2).sum())
    assert total == pytest.approx(row["l2_error"], rel=1e-3)


def test_a_mesh_from_a_file_and_a_graded_one(capsys, tmp_path):
    cube, path = meshes.cube(2), tmp_path / "cube.vtu"
    meshlane.Mesh(cube.p.T, [("tetra", cube.t.T)]).write(path)
    (read,) = rows(capsys, "--mesh", str(path))
    (made,) = rows(capsys, "--n", "2")
    assert read["mesh"] == "cube.vtu"
    assert read["n"] is None
    assert read["l2_error"] == pytest.approx(made["l2_error"], rel=1e-6)
    (graded,) = rows(capsys, "--n", "4", "--problem", "screen", "--grading", "2.5")
    assert graded["grading"] == 2.5
    assert graded["l2_error"] == pytest.approx(0.144912, rel=1e-4)
    (solved,) = rows(capsys, "--mesh", str(path), "--solve", "--problem", "helix")
    assert solved["divergence"] < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--element", "hexP", "--order", "0"], "--order must be at least 1, got '0'"),
        (["--element", "hexP"], "needs an order"),
        (["--element", "hexP", "--n", "1", "--order", "5000"], "GiB"),
        (["--element", "hexN0", "--solve", "--n", "2"], "take N0 or N1 or hexP"),
        (["--mesh", "nowhere.msh"], "no mesh file at nowhere.msh"),
        (["--mesh", "nowhere.msh", "--grading", "2"], "--grading"),
        (["--grading", "0.5", "--n", "2"], "grading exponent"),
        (["--vtu", "field.png", "--n", "1"], "end the name in .vtu"),
        (
            ["--vtu", "no/such/place/field.vtu", "--n", "1"],
            "no/such/place does not exist",
        ),
        (["--solve", "--n", "2000"], "GiB"),
        (["--layers", "3"], "use --element hexP"),
        (["--element", "hexP", "--layers", "3"], "no singular edge"),
        (["--adaptive"], "add --solve"),
        (["--estimate"], "add --solve"),
        (["--refine", "3", "--grading", "2"], "leave out --layers and --grading"),
        (["--adaptive", "--solve", "--element", "hexP", "--order", "2"], "use N0 or N1"),
        (["--element", "hexP", "--layers", "30", "--problem", "screen"], "use at most 24"),
        (["--element", "hexP", "--layers", "3", "--ratio", "2", "--problem", "screen"], "ratio"),
        (["--solve", "--solver", "cube", "--n", "4", "--grading", "2"], "uniform cube only"),
        (["--solve", "--element", "hexP", "--n", "40", "--order", "60"], "largest n that fits"),
        (["--element", "nodalP1"], "only the boundary-value problem"),
        (["--problem", "reentrant", "--solve", "--div-weight", "1", "--n", "2"], "for nodal"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, message):
    assert invoke(["fem", *arguments]) == 2
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert message in text


def test_the_p_version_solves_the_boundary_value_problem(capsys):
    """The row keeps the keys of the tetrahedral ones; the estimate follows the error."""
    (row,) = rows(capsys, "--solve", "--estimate", "--element", "hexP", "--order", "8", "--n", "1")
    assert row["l2_error"] < 1e-10
    assert row["divergence"] < 1e-14
    assert 0.9 < row["effectivity"] < 1.1
    (tets,) = rows(capsys, "--solve", "--n", "2")
    assert set(tets) <= set(row)


def test_estimates_are_computed_where_they_are_shown(capsys, monkeypatch):
    (row,) = rows(capsys, "--solve", "--n", "2", "--estimate")
    assert row["estimate"] > row["hcurl_error"]
    assert invoke(["fem", "--solve", "--n", "2", "--estimate"]) == 0
    out = capsys.readouterr().out
    assert f"{row['estimate']:.2e}" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    monkeypatch.setattr("fem.estimator.estimate", None)  # a call would fail
    (row,) = rows(capsys, "--solve", "--n", "2")
    assert row["estimate"] is row["effectivity"] is None


def test_rates_on_a_mesh_from_a_file_refer_to_its_halvings(capsys, tmp_path):
    """The largest diameter of a cell does not halve with its edges."""
    path = tmp_path / "cylinder.vtu"
    mesh = meshes.cylinder(1)
    meshlane.write(path, meshlane.Mesh(mesh.p.T, [("tetra", mesh.t.T)]))
    found = rows(capsys, "--mesh", str(path), "--refine", "2")
    assert [row["mesh_size"] for row in found] == [1.0, 0.5, 0.25]
    for coarse, fine in pairwise(found):
        assert fine["l2_rate"] == pytest.approx(np.log2(coarse["l2_error"] / fine["l2_error"]))
    assert 0.8 < found[-1]["l2_rate"] < 1.1
    twice = rows(capsys, "--mesh", str(path), "--mesh", str(path), "--refine", "1")
    assert twice[1]["mesh_size"] == 0.5  # one file, given twice


def test_layers_of_bricks_on_a_singular_field(capsys):
    asked = ("--element", "hexP", "--problem", "curlsing", "--layers", "2,4,6")
    found = rows(capsys, "--solve", *asked, "--ratio", "0.15")
    assert [row["layers"] for row in found] == [2, 4, 6]
    assert found[-1]["l2_error"] < 1e-5
    best = rows(capsys, *asked[:-1], "2,4")
    assert best[1]["hcurl_error"] < found[1]["hcurl_error"] < 0.2 * found[0]["hcurl_error"]


def test_adaptive_refinements_have_a_row_each(capsys):
    found = rows(capsys, "--solve", "--adaptive", "--refine", "3", "--problem", "screen")
    assert [row["refinement"] for row in found] == [0, 1, 2, 3]
    first, second = found[:2]
    expected = np.log(first["l2_error"] / second["l2_error"]) / np.log(
        (second["dofs"] / first["dofs"]) ** (1 / 3)
    )
    assert second["l2_rate"] == pytest.approx(expected)
    assert all(row["estimate"] > row["hcurl_error"] for row in found)


def test_the_reentrant_edge(capsys):
    """Right by Nédélec's elements, half wrong by nodal ones, which say what they minimised."""
    uniform = rows(capsys, "--problem", "reentrant", "--n", "2,4")
    assert uniform[-1]["l2_relative"] == pytest.approx(0.1192, rel=1e-3)
    (graded,) = rows(capsys, "--problem", "reentrant", "--n", "4", "--grading", "2.5", "--solve")
    assert graded["l2_relative"] < 0.12
    nodal = ("--problem", "reentrant", "--solve", "--element", "nodalP1", "--n", "4")
    (wrong,) = rows(capsys, *nodal)
    assert wrong["l2_relative"] == pytest.approx(0.5564, rel=1e-3)
    assert wrong["energy"] == pytest.approx(1.1667, rel=1e-3)
    assert wrong["estimate"] is None
    (cured,) = rows(capsys, *nodal, "--div-weight", "1")
    assert cured["l2_relative"] < 0.34


def test_layers_and_refinements_on_the_prism(capsys):
    layers = rows(
        capsys, "--problem", "reentrant", "--element", "hexP", "--order", "1", "--layers", "1,2"
    )
    assert layers[1]["l2_error"] < 0.4 * layers[0]["l2_error"]
    refined = rows(capsys, "--problem", "reentrant", "--solve", "--adaptive", "--refine", "2")
    assert [row["refinement"] for row in refined] == [0, 1, 2]
    assert refined[-1]["l2_error"] < refined[0]["l2_error"]
