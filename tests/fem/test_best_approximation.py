"""The front door: values computed elsewhere, rates, and every kind of bad input."""

import numpy as np
import pytest

from base.errors import UserError
from bench import problems
from fem import best_approximation, l2_error, make_space, rates
from fem.choice import largest_fitting

# n: L² tet, H(curl) tet, L² hex, H(curl) hex, by another implementation. The L² error of one
# hexahedron is 2.00045e-2: 2.00039e-2 is what four Gauss points per direction give; see below.
TABLE = {
    1: (1.86716e-2, 1.0908e-1, 2.00045e-2, 1.17622e-1),
    2: (1.06567e-2, 6.0865e-2, 1.01116e-2, 6.49438e-2),
    4: (5.84255e-3, 3.1660e-2, 4.79811e-3, 3.31928e-2),
    8: (3.04451e-3, 1.60494e-2, 2.36177e-3, 1.66860e-2),
    16: (1.54523e-3, 8.06109e-3, 1.17608e-3, 8.35419e-3),
}
FIELDS = {  # problem: {n: L²}, and the rates in L² and H(curl) from n = 4 to 8
    "helix": ({1: 0.467056, 4: 0.179332}, 0.93, 0.97),
    "screen": ({4: 0.146733, 8: 0.09717}, 0.59, 0.61),
    "curlsing": ({}, 0.89, 0.51),
}


def solve(problem, n, **options):
    return best_approximation(
        problem.u, problem.curl_u, n, singular_edge=problem.singular_edge, **options
    )


@pytest.mark.parametrize("element", ["N0", "hexN0"])
def test_tabulated_errors(element):
    column = 2 * (element == "hexN0")
    for n, row in TABLE.items():
        solution = solve(problems.maxwell, n, element=element)
        assert solution.l2_error == pytest.approx(row[column], rel=1e-5)
        assert solution.hcurl_error == pytest.approx(row[column + 1], rel=1.2e-5)  # 5 digits given
        # float32 stops at a thousandth of the defect of the interpolant
        assert solution.residual <= (1e-5 if solution.solver == "kuhn32" else 1e-8)


def test_a_small_tolerance_is_met_and_changes_no_error():
    loose, tight = (solve(problems.maxwell, 16, tol=tol) for tol in (1e-8, 1e-10))
    assert (loose.solver, tight.solver) == ("kuhn32", "kuhn")
    assert tight.residual <= 1e-10
    assert loose.l2_error == pytest.approx(tight.l2_error, rel=1e-6)
    assert loose.hcurl_error == pytest.approx(tight.hcurl_error, rel=1e-6)


def test_one_hexahedron_needs_five_gauss_points(monkeypatch):
    """2.00039e-2 at n = 1, which four points give, is the rule's and not the element's."""
    import fem.spaces.assembled

    found = {}
    for points in (4, 5, 7, 10):
        monkeypatch.setattr(fem.spaces.assembled, "ERROR_POINTS", (points, points))
        found[points] = solve(problems.maxwell, 1, element="hexN0", solver="assembled").l2_error
    assert found[4] == pytest.approx(2.00039e-2, rel=1e-5)
    assert found[7] == pytest.approx(found[10], rel=1e-7)
    assert found[7] == pytest.approx(2.00045e-2, rel=5e-6)


@pytest.mark.parametrize("name", FIELDS)
def test_values_and_rates_of_the_other_fields(name):
    problem = problems.get(name)
    values, l2_rate, hcurl_rate = FIELDS[name]
    solutions = {n: solve(problem, n) for n in (1, 4, 8)}
    for n, value in values.items():
        assert solutions[n].l2_error == pytest.approx(value, rel=1e-5 if n < 8 else 5e-5)
    h = [solutions[n].h for n in (4, 8)]
    for key, expected in (("l2_error", l2_rate), ("hcurl_error", hcurl_rate)):
        _, rate = rates(h, [getattr(solutions[n], key) for n in (4, 8)])
        assert rate == pytest.approx(expected, abs=0.01)


def test_rates_climb_towards_one():
    solutions = [solve(problems.maxwell, n) for n in (1, 2, 4, 8, 16)]
    climbing = rates([s.h for s in solutions], [s.l2_error for s in solutions])
    assert climbing[0] is None
    assert climbing[1:] == sorted(climbing[1:])
    assert 0.97 < climbing[-1] < 1


def test_relative_errors_and_dofs():
    solution = solve(problems.helix, 2)
    assert solution.l2_error / solution.l2_relative == pytest.approx(1.45999621, rel=1e-7)
    assert solution.dofs == 7 * 8 + 9 * 4 + 3 * 2 == solution.x.size
    assert solution.h == pytest.approx(3**0.5 / 2)
    assert set(solution.seconds) == {"load", "solve", "error"}
    assert solution.peak_bytes > 1 << 20


def test_l2_error_of_any_callable():
    for name in ("maxwell", "screen"):
        problem = problems.get(name)
        solution = solve(problem, 3)
        measured = l2_error(solution, problem.u, singular_edge=problem.singular_edge)
        assert measured == pytest.approx(solution.l2_error, rel=1e-6)
    assert l2_error(np.zeros_like, problems.helix.u) == pytest.approx(1.45999621, rel=1e-8)


def test_progress_reaches_its_end():
    seen = {}

    def progress(phase, done, total):
        seen[phase] = done / total

    solve(problems.maxwell, 6, solver="general", progress=progress)
    assert seen == pytest.approx({"load": 1, "solve": 1, "error": 1})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be at least 1"),
        ({"n": 2.0}, "n must be an integer"),
        ({"n": True}, "n must be an integer"),
        ({"n": None}, "either n .* or a mesh"),
        ({"n": 2, "element": "N3"}, "unknown element 'N3'"),
        ({"n": 2, "solver": "magic"}, "unknown solver 'magic'"),
        ({"n": 2, "element": "hexN0", "solver": "general"}, "does not go with element hexN0"),
        ({"n": 2, "order": 3}, "has order 1, not 3"),
        ({"n": 2, "tol": 0.0}, "tol must lie between 0 and 1"),
        ({"n": 2, "threads": 0}, "threads must be an integer of at least 1"),
        ({"n": 2, "x0": np.zeros(3)}, "x0 must have one entry per dof, 98, got shape"),
        ({"n": 2, "x0": np.full(98, np.nan)}, "x0 is not finite at dof 0"),
    ],
)
def test_bad_arguments_are_explained(options, message):
    with pytest.raises(UserError, match=message):
        best_approximation(problems.maxwell.u, problems.maxwell.curl_u, **options)


@pytest.mark.parametrize("solver", ["assembled", "general"])
def test_bad_fields_are_explained(solver):
    u, curl_u = problems.maxwell.u, problems.maxwell.curl_u

    def with_nan(x):
        values = u(x)
        values[1][x[0] > 0.5] = np.nan
        return values

    with pytest.raises(UserError, match=r"u is not finite at x = \(0\.\d+.*component 1 is nan"):
        best_approximation(with_nan, curl_u, 2, solver=solver)
    with pytest.raises(UserError, match="curl_u must map points of shape"):
        best_approximation(u, lambda x: curl_u(x)[:2], 2, solver=solver)


def test_a_mesh_of_the_wrong_cells_is_refused():
    from fem import meshes

    with pytest.raises(UserError, match="needs cells of 4 vertices, the mesh has cells of 8"):
        best_approximation(problems.maxwell.u, problems.maxwell.curl_u, mesh=meshes.cube(1, "hex"))


@pytest.mark.parametrize("solver", ["assembled", "general"])
def test_what_does_not_fit_is_refused_with_what_would(solver):
    with pytest.raises(UserError, match=r"largest n that fits is \d+") as refused:
        make_space(4000, solver=solver, max_bytes=2 << 30)
    fits = int(str(refused.value).rsplit(" ", 1)[1])
    make_space(fits, solver=solver, max_bytes=2 << 30)
    with pytest.raises(UserError):
        make_space(fits + 1, solver=solver, max_bytes=2 << 30)


def test_largest_fitting_by_bisection():
    assert largest_fitting(lambda n: n**3, 1000, 5000) == 10
    assert largest_fitting(lambda n: n**3, 0, 50) == 0
