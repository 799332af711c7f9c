"""`femnets fem` as users call it."""

from itertools import pairwise

import meshlane
import numpy as np
import pytest

from base.errors import UserError
from fem import meshes
from femnets.cli.fem import parse_sizes


def rows(cli, *arguments):
    return cli.json("fem", *arguments)["rows"]


def test_json_is_one_document_and_nothing_else(cli):
    document = cli.json("fem", "--n", "2,4")
    first, last = document["rows"]
    assert document["problem"] == "maxwell"
    assert (first["n"], last["n"]) == (2, 4)
    assert last["l2_error"] == pytest.approx(5.84255e-3, rel=1e-5)
    assert first["l2_rate"] is None
    assert 0.8 < last["l2_rate"] < 1
    assert {
        "h", "dofs", "hcurl_error", "l2_relative", "hcurl_relative", "hcurl_rate", "iterations",
        "residual", "seconds", "seconds_per_phase", "dofs_per_second", "peak_bytes", "element",
        "solver", "threads",
    } <= last.keys()  # fmt: skip


def test_the_table_fits_a_terminal(cli):
    out = cli("fem", "--n", "1-2", "--element", "hexN0", "--problem", "screen").out
    assert "screen, element hexN0" in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("1,2,4", [1, 2, 4]), ("1-4", [1, 2, 3, 4]), ("8, 2-3,2", [2, 3, 8])],
)
def test_sizes(text, sizes):
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "a", "2.5", "0", "4-2", "-3", "1,,2", "1-1000000000"])
def test_sizes_that_are_none(text):
    with pytest.raises(UserError, match=r"^--n (takes|has|must) "):
        parse_sizes(text)


def test_halvings_that_do_not_fit_are_refused_before_they_are_made(tmp_path, cli):
    path = tmp_path / "mesh.vtu"
    cli("fem", "--n", "1", "--vtu", path)
    cli.refuses("after 20 halvings needs", "fem", "--mesh", path, "--refine", "20")
    cli.refuses("less than or equal to 30", "fem", "--n", "1", "--refine", "2147483648")


def test_the_p_version_by_order(cli):
    found = rows(cli, "--element", "hexP", "--n", "1", "--order", "4-6")
    assert [row["order"] for row in found] == [4, 5, 6]
    assert found[-1]["l2_error"] < 1e-7
    assert found[-1]["dofs"] == 882


def test_second_order_and_lowest_order_side_by_side(cli):
    lowest, second = (
        rows(cli, "--element", element, "--n", "2,4", "--problem", "helix")
        for element in ("N0", "N1")
    )
    assert second[-1]["l2_error"] < lowest[-1]["l2_error"] / 10
    assert second[-1]["l2_rate"] > 1.7


def test_the_boundary_value_problem_and_its_figures(cli, tmp_path):
    path = tmp_path / "u.vtu"
    given = ("--solve", "--estimate", "--n", "3", "--element", "N1")
    (row,) = rows(cli, *given, "--vtu", str(path))
    assert row["multiplier_norm"] < 1e-9
    assert row["divergence"] < 1e-9
    assert row["effectivity"] == pytest.approx(row["estimate"] / row["hcurl_error"])
    content = meshlane.read(path)
    assert {"u_h", "curl_u_h", "u", "curl_u"} <= set(content.point_data)
    difference = content.point_data["u_h"] - content.point_data["u"]
    assert 0 < abs(difference).max() < 0.01
    total = np.sqrt((content.cell_data["l2_error"][0] ** 2).sum())
    assert total == pytest.approx(row["l2_error"], rel=1e-3)


def test_a_mesh_from_a_file_and_a_graded_one(cli, tmp_path):
    cube, path = meshes.cube(2), tmp_path / "cube.vtu"
    meshlane.Mesh(cube.p.T, [("tetra", cube.t.T)]).write(path)
    (read,) = rows(cli, "--mesh", str(path))
    (made,) = rows(cli, "--n", "2")
    assert read["mesh"] == "cube.vtu"
    assert read["n"] is None
    assert read["l2_error"] == pytest.approx(made["l2_error"], rel=1e-6)
    (graded,) = rows(cli, "--n", "4", "--problem", "screen", "--grading", "2.5")
    assert graded["grading"] == 2.5
    assert graded["l2_error"] == pytest.approx(0.144912, rel=1e-4)
    (solved,) = rows(cli, "--mesh", str(path), "--solve", "--problem", "helix")
    assert solved["divergence"] < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "0"], "--n must be at least 1, got '0'"),
        (["--n", "2", "--element", "N00"], "unknown element 'N00'"),
        (["--n", "2", "--solver", "none"], "unknown solver 'none'"),
        (["--n", "2", "--problem", "maxwel"], "did you mean 'maxwell'?"),
        (["--n", "9000"], "the largest n that fits is"),
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
def test_bad_input_is_one_line(cli, arguments, message):
    cli.refuses(message, "fem", *arguments)


def test_the_p_version_solves_the_boundary_value_problem(cli):
    """The row keeps the keys of the tetrahedral ones; the estimate follows the error."""
    (row,) = rows(cli, "--solve", "--estimate", "--element", "hexP", "--order", "8", "--n", "1")
    assert row["l2_error"] < 1e-10
    assert row["divergence"] < 1e-14
    assert 0.9 < row["effectivity"] < 1.1
    (tets,) = rows(cli, "--solve", "--n", "2")
    assert set(tets) <= set(row)


def test_estimates_are_computed_where_they_are_shown(cli, monkeypatch):
    (row,) = rows(cli, "--solve", "--n", "2", "--estimate")
    assert row["estimate"] > row["hcurl_error"]
    out = cli("fem", "--solve", "--n", "2", "--estimate").out
    assert f"{row['estimate']:.2e}" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    monkeypatch.setattr("fem.estimator.estimate", None)  # a call would fail
    (row,) = rows(cli, "--solve", "--n", "2")
    assert row["estimate"] is row["effectivity"] is None


def test_rates_on_a_mesh_from_a_file_refer_to_its_halvings(cli, tmp_path):
    """The largest diameter of a cell does not halve with its edges."""
    path = tmp_path / "cylinder.vtu"
    mesh = meshes.cylinder(1)
    meshlane.write(path, meshlane.Mesh(mesh.p.T, [("tetra", mesh.t.T)]))
    found = rows(cli, "--mesh", str(path), "--refine", "2")
    assert [row["mesh_size"] for row in found] == [1.0, 0.5, 0.25]
    for coarse, fine in pairwise(found):
        assert fine["l2_rate"] == pytest.approx(np.log2(coarse["l2_error"] / fine["l2_error"]))
    assert 0.8 < found[-1]["l2_rate"] < 1.1
    twice = rows(cli, "--mesh", str(path), "--mesh", str(path), "--refine", "1")
    assert twice[1]["mesh_size"] == 0.5  # one file, given twice


def test_layers_of_bricks_on_a_singular_field(cli):
    asked = ("--element", "hexP", "--problem", "curlsing", "--layers", "2,4,6")
    found = rows(cli, "--solve", *asked, "--ratio", "0.15")
    assert [row["layers"] for row in found] == [2, 4, 6]
    assert found[-1]["l2_error"] < 1e-5
    best = rows(cli, *asked[:-1], "2,4")
    assert best[1]["hcurl_error"] < found[1]["hcurl_error"] < 0.2 * found[0]["hcurl_error"]


def test_adaptive_refinements_have_a_row_each(cli):
    found = rows(cli, "--solve", "--adaptive", "--refine", "3", "--problem", "screen")
    assert [row["refinement"] for row in found] == [0, 1, 2, 3]
    first, second = found[:2]
    expected = np.log(first["l2_error"] / second["l2_error"]) / np.log(
        (second["dofs"] / first["dofs"]) ** (1 / 3)
    )
    assert second["l2_rate"] == pytest.approx(expected)
    assert all(row["estimate"] > row["hcurl_error"] for row in found)


def test_the_reentrant_edge(cli):
    """Right by Nédélec's elements, half wrong by nodal ones, which say what they minimised."""
    uniform = rows(cli, "--problem", "reentrant", "--n", "2,4")
    assert uniform[-1]["l2_relative"] == pytest.approx(0.1192, rel=1e-3)
    (graded,) = rows(cli, "--problem", "reentrant", "--n", "4", "--grading", "2.5", "--solve")
    assert graded["l2_relative"] < 0.12
    nodal = ("--problem", "reentrant", "--solve", "--element", "nodalP1", "--n", "4")
    (wrong,) = rows(cli, *nodal)
    assert wrong["l2_relative"] == pytest.approx(0.5564, rel=1e-3)
    assert wrong["energy"] == pytest.approx(1.1667, rel=1e-3)
    assert wrong["estimate"] is None
    (cured,) = rows(cli, *nodal, "--div-weight", "1")
    assert cured["l2_relative"] < 0.34


def test_layers_and_refinements_on_the_prism(cli):
    layers = rows(
        cli, "--problem", "reentrant", "--element", "hexP", "--order", "1", "--layers", "1,2"
    )
    assert layers[1]["l2_error"] < 0.4 * layers[0]["l2_error"]
    refined = rows(cli, "--problem", "reentrant", "--solve", "--adaptive", "--refine", "2")
    assert [row["refinement"] for row in refined] == [0, 1, 2]
    assert refined[-1]["l2_error"] < refined[0]["l2_error"]
