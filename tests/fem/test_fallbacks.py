"""What happens where a solver does not converge: the next one, one line, the finished rows."""

import json

import numpy as np
import pytest

from base.errors import NotConverged
from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import UserError, best_approximation, solve_boundary_value
from fem.meshes import cube
from fem.solvers.cg import MatrixSystem, conjugate_gradients
from fem.spaces.cube import boundary_value as on_cube
from fem.spaces.cube.tets import CubeTets
from fem.spaces.tets import mixed
from fem.spaces.tets.lowest_order import TetSpace
from femnets.cli import invoke

PROBLEM = problems.maxwell


def fails(*given, **options):
    raise NotConverged("stopped after 7 iterations")


def test_auto_tries_the_next_solver_for_a_best_approximation(monkeypatch):
    expected = best_approximation(PROBLEM.u, PROBLEM.curl_u, 9).l2_error
    monkeypatch.setattr(CubeTets, "solve", fails)
    found = best_approximation(PROBLEM.u, PROBLEM.curl_u, 9)
    assert found.solver == "general"
    assert found.l2_error == pytest.approx(expected, rel=1e-6)
    monkeypatch.setattr(TetSpace, "solve", fails)
    found = best_approximation(PROBLEM.u, PROBLEM.curl_u, 9)
    assert (found.solver, found.iterations) == ("direct", 0)
    with pytest.raises(NotConverged, match="stopped after 7"):
        best_approximation(PROBLEM.u, PROBLEM.curl_u, 5, solver="kuhn")


def test_auto_tries_the_next_solver_for_a_boundary_value_problem(monkeypatch):
    data = boundary_value_data(PROBLEM)
    monkeypatch.setattr(on_cube, "_curl_curl", fails)
    assert solve_boundary_value(data, 4).solver == "direct"
    monkeypatch.setitem(mixed.SOLVERS, "direct", fails)
    assert solve_boundary_value(data, mesh=cube(4)).solver == "spd"
    monkeypatch.setitem(mixed.SOLVERS, "spd", fails)
    with pytest.raises(NotConverged, match="7 iterations; next solver: stopped"):
        solve_boundary_value(data, mesh=cube(4))


def test_a_factorisation_beyond_memory_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr("fem.memory.limit_bytes", lambda: 20 * 2**20)
    data = boundary_value_data(PROBLEM)
    with pytest.raises(UserError, match="factors of 4184 unknowns need about"):
        solve_boundary_value(data, mesh=cube(8), solver="direct")


@pytest.mark.parametrize("entry", [-1.0, 0.0])
def test_matrices_that_are_not_positive_end_in_one_line(entry):
    """0.2.0 divided by zero or went on until the residual was nan."""
    diagonal = np.array([1.0, entry])
    system = MatrixSystem(lambda p: diagonal * p, lambda r: r)
    with pytest.raises(NotConverged, match=r"relative residual of 1\.0e"):
        conjugate_gradients(system, np.array([0.0, 1.0]), np.zeros(2))


def test_finished_rows_are_kept(monkeypatch, capsys):
    solve = CubeTets.solve
    monkeypatch.setattr(CubeTets, "solve", lambda s, *a: fails() if s.n > 5 else solve(s, *a))
    arguments = ["fem", "--n", "4,5,6", "--solver", "kuhn"]
    assert invoke([*arguments, "--json"]) == invoke(arguments) == 2
    out, err = capsys.readouterr()
    assert err.count("stopped after 7 iterations") == 2
    assert "Traceback" not in err
    document, end = json.JSONDecoder().raw_decode(out)
    assert [row["n"] for row in document["rows"]] == [4, 5]
    assert document["stopped"] == "stopped after 7 iterations"
    assert len([line for line in out[end:].splitlines() if "e-0" in line]) == 2
