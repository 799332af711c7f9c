"""Finite-element peers in one run with ours: the same mesh, tolerance and thread.

FEMNETS_BENCH_N adds a size to the best approximations of lowest order (64 takes minutes). Peers
that are not installed are skipped; `pip install 'femnets[peers]'` brings them.
"""

import importlib.util
import os

import peers_fem
import pytest

from bench import problems
from bench.boundary_value import data_of
from fem import best_approximation, solve_boundary_value

GROUP = "peers"
PROBLEM = problems.maxwell
SIZES = [8, 16, 32]
SIZES += [int(n) for n in os.environ.get("FEMNETS_BENCH_N", "").split(",") if n]
PACKAGES = {"scikit-fem": "skfem", "NGSolve": "ngsolve", "MFEM": "mfem"}
DISTRIBUTIONS = {"scikit-fem": "scikit-fem", "NGSolve": "ngsolve", "MFEM": "mfem"}
JACOBI_AMG_BDDC = ("local", "hcurlamg", "bddc", "multigrid")


def installed(name):
    return importlib.util.find_spec(PACKAGES[name]) is not None


def needs(name):
    return pytest.mark.skipif(not installed(name), reason="pip install 'femnets[peers]'")


def ours(n, **how):
    """From nothing to the solution: load, matrix where there is one, solve."""
    return best_approximation(PROBLEM.u, PROBLEM.curl_u, n, **how)


def race(measured, name, n, our_way, peers, rounds):
    """Peers take turns with ours; each peer's CPU seconds are its own, from a mesh in memory."""
    measured.benchmark.group = GROUP
    found = {}

    def run(peer):
        def call():
            found.setdefault(peer, []).append(peers[peer]())

        return call

    measured.in_turns(our_way, rounds, warm=n <= 32, **{peer: run(peer) for peer in peers})
    solution = measured.result
    seconds = solution.total_seconds
    measured.info["n"] = n
    measured.info["l2_error"] = solution.l2_error
    measured.info["peers"] = {
        f"{name} {peer}".strip(): {
            "version": peers_fem.version(DISTRIBUTIONS[name]),
            "seconds": min(entry.seconds for entry in entries),
            "iterations": entries[-1].iterations,
            "error": entries[-1].error,
            "ours_seconds": seconds,
            "ours_error": solution.l2_error,
        }
        for peer, entries in found.items()
    }
    return solution, {peer: entries[-1].error for peer, entries in found.items()}


def rounds_at(n):
    return 3 if n <= 16 else 1


OURS = {"structured": {"solver": "kuhn"}, "general": {"solver": "general"}}


@pytest.mark.parametrize("path", OURS)
@pytest.mark.parametrize("n", SIZES, ids=lambda n: f"n{n}")
def test_best_approximation_scikit_fem(measured, n, path):
    peers = {"CG, Jacobi": lambda: peers_fem.stock_scikit_fem(n)}
    solution, errors = race(
        measured, "scikit-fem", n, lambda: ours(n, **OURS[path]), peers, rounds_at(n)
    )
    assert errors["CG, Jacobi"] == pytest.approx(solution.l2_error, rel=1e-3)


@needs("NGSolve")
@pytest.mark.parametrize("path", OURS)
@pytest.mark.parametrize("n", SIZES, ids=lambda n: f"n{n}")
def test_best_approximation_ngsolve(measured, n, path):
    peers = {name: lambda name=name: peers_fem.ngsolve(n, name) for name in JACOBI_AMG_BDDC}
    solution, errors = race(
        measured, "NGSolve", n, lambda: ours(n, **OURS[path]), peers, rounds_at(n)
    )
    for name, error in errors.items():
        # multigrid refines by bisections of its own: other tetrahedra, a comparable error
        tolerance = 0.1 if name == "multigrid" else 1e-3
        assert error == pytest.approx(solution.l2_error, rel=tolerance)


@needs("MFEM")
@pytest.mark.parametrize("path", OURS)
@pytest.mark.parametrize("n", SIZES, ids=lambda n: f"n{n}")
def test_best_approximation_mfem(measured, n, path):
    peers = {"CG, Gauss–Seidel": lambda: peers_fem.mfem(n)}
    solution, errors = race(measured, "MFEM", n, lambda: ours(n, **OURS[path]), peers, rounds_at(n))
    assert errors["CG, Gauss–Seidel"] == pytest.approx(solution.l2_error, rel=1e-3)


@needs("NGSolve")
@pytest.mark.parametrize("n", [8, 16], ids=lambda n: f"n{n}")
def test_second_order_ngsolve(measured, n):
    peers = {
        name: lambda name=name: peers_fem.ngsolve(n, name, order=2) for name in ("local", "bddc")
    }
    solution, errors = race(measured, "NGSolve", n, lambda: ours(n, element="N1"), peers, 1)
    assert all(error == pytest.approx(solution.l2_error, rel=1e-3) for error in errors.values())


@needs("MFEM")
@pytest.mark.parametrize("n", [8], ids=lambda n: f"n{n}")
def test_second_order_mfem(measured, n):
    peers = {"CG, Gauss–Seidel": lambda: peers_fem.mfem(n, order=2)}
    solution, errors = race(measured, "MFEM", n, lambda: ours(n, element="N1"), peers, 1)
    assert errors["CG, Gauss–Seidel"] == pytest.approx(solution.l2_error, rel=1e-3)


@needs("NGSolve")
@pytest.mark.parametrize("order", [6], ids=lambda p: f"p{p}")
def test_high_order_ngsolve(measured, order):
    """One cube: one brick of ours, six tetrahedra of theirs, the same order."""
    peers = {"bddc": lambda: peers_fem.ngsolve(1, "bddc", order=order)}
    solution, errors = race(
        measured, "NGSolve", 1, lambda: ours(1, element="hexP", order=order), peers, 3
    )
    assert solution.l2_error < 1e-7
    assert errors["bddc"] < 1e-7


@needs("NGSolve")
@pytest.mark.parametrize(
    ("element", "n"),
    [("N0", 8), ("N0", 16), ("N1", 8)],
    ids=lambda value: f"n{value}" if isinstance(value, int) else value,
)
def test_boundary_value_problem_ngsolve(measured, element, n):
    data = data_of(PROBLEM)

    def solved():
        found = solve_boundary_value(data, n, element=element)
        return found.measure(PROBLEM.u, PROBLEM.curl_u)

    order = {"N0": 1, "N1": 2}[element]
    peers = {"mixed, UMFPACK": lambda: peers_fem.ngsolve_boundary_value(n, order=order)}
    solution, errors = race(measured, "NGSolve", n, solved, peers, 1)
    # the boundary values are interpolated here and projected there, so the errors differ somewhat
    assert errors["mixed, UMFPACK"] == pytest.approx(solution.l2_error, rel=0.5)
