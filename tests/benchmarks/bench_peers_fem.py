"""Finite-element peers in one run with ours: the same mesh, tolerance and thread.

FEMNETS_BENCH_N adds sizes to the best approximations of lowest order (64 takes ten minutes):

    FEMNETS_BENCH_N=64 pytest --benchmark tests/benchmarks/bench_peers_fem.py -k n64

Without NGSolve its benchmarks are skipped; `pip install 'femnets[peers]'` brings it.
"""

import importlib.util
import os
from time import process_time

import numpy as np
import peers_fem
import pytest
from peers_fem import Solved
from turns import Turns

from bench import problems
from bench.methods.boundary_value import boundary_value_data
from fem import solve_boundary_value
from fem.choice import make_space
from fem.spaces import How

GROUP = "peers"
PROBLEM = problems.maxwell
SIZES = [4, 16, 32]
SIZES += [int(n) for n in os.environ.get("FEMNETS_BENCH_N", "").split(",") if n]
PRECONDITIONERS = ("local", "hcurlamg", "bddc", "multigrid")
# At lowest order BDDC has nothing to condense and factorises the whole matrix: 1.5 CPU seconds at
# n = 16, 92 at n = 32.
LARGEST_FOR_BDDC = 16


needs_ngsolve = pytest.mark.skipif(
    importlib.util.find_spec("ngsolve") is None, reason="pip install 'femnets[peers]'"
)


def ours(n, element="N0", solver="auto", order=None):
    """From nothing to the solution: mesh, load, matrix where there is one, solve."""
    start = process_time()
    space = make_space(n, element=element, solver=solver, order=order)[1]
    found = space.solve(space.load(PROBLEM.u, PROBLEM.curl_u), How(tol=peers_fem.TOLERANCE))
    seconds = process_time() - start
    return Solved(seconds, found.iterations, space.errors(found.x, PROBLEM.u, PROBLEM.curl_u)[0])


def race(measured, name, n, ways, peers, rounds):
    """Peers take turns with each of our ways; CPU seconds of each are its own, without errors."""
    found = {}

    def run(who, call):
        def kept():
            found.setdefault(who, []).append(call())

        return kept

    first, *rest = ways
    others = {who: run(who, call) for who, call in {**peers, **{w: ways[w] for w in rest}}.items()}
    measured.in_turns(run(first, ways[first]), rounds, warm=n <= 16, **others)
    last = {who: entries[-rounds:] for who, entries in found.items()}  # without the warm-up
    turns = Turns({who: np.array([e.seconds for e in entries]) for who, entries in last.items()})
    errors = {who: entries[-1].error for who, entries in last.items()}
    measured.info.update(n=n, l2_error=errors[first], iterations=last[first][-1].iterations)
    measured.info["peers"] = {
        f"{name} {peer}, ours {way}": {
            "peer": f"{name} {peer}",
            "version": peers_fem.version(name.lower()),
            "seconds": turns.median(peer),
            "iterations": last[peer][-1].iterations,
            "error": errors[peer],
            "ours": way,
            "ours_seconds": turns.median(way),
            "ours_error": errors[way],
            "ratio": vars(turns.ratio(peer, way)),
        }
        for peer in peers
        for way in ways
    }
    return errors[first], {peer: errors[peer] for peer in peers}


def rounds_at(n):
    return 3 if n <= 16 else 1


def both(n):
    """The path for uniform cubes, and the one that takes any mesh of tetrahedra."""
    return {
        "structured": lambda: ours(n, solver="kuhn"),
        "general": lambda: ours(n, solver="general"),
    }


@pytest.mark.parametrize("n", SIZES, ids=lambda n: f"n{n}")
def test_best_approximation(measured, n):
    peers = {"CG, Jacobi": lambda: peers_fem.stock_scikit_fem(n)}
    error, errors = race(measured, "scikit-fem", n, both(n), peers, rounds_at(n))
    assert errors["CG, Jacobi"] == pytest.approx(error, rel=1e-3)


@needs_ngsolve
@pytest.mark.parametrize("n", SIZES, ids=lambda n: f"n{n}")
def test_best_approximation_ngsolve(measured, n):
    names = [name for name in PRECONDITIONERS if name != "bddc" or n <= LARGEST_FOR_BDDC]
    peers = {name: lambda name=name: peers_fem.ngsolve(n, name) for name in names}
    error, errors = race(measured, "NGSolve", n, both(n), peers, rounds_at(n))
    for name, found in errors.items():
        # multigrid refines by bisections of its own: other tetrahedra, a comparable error
        tolerance = 0.1 if name == "multigrid" else 1e-3
        assert found == pytest.approx(error, rel=tolerance)


@needs_ngsolve
@pytest.mark.parametrize("n", [8, 16], ids=lambda n: f"n{n}")
def test_second_order_ngsolve(measured, n):
    peers = {
        name: lambda name=name: peers_fem.ngsolve(n, name, order=2) for name in ("local", "bddc")
    }
    error, errors = race(measured, "NGSolve", n, {"N1": lambda: ours(n, "N1")}, peers, 1)
    assert all(found == pytest.approx(error, rel=1e-3) for found in errors.values())


@needs_ngsolve
@pytest.mark.parametrize("order", [6], ids=lambda p: f"p{p}")
def test_high_order_ngsolve(measured, order):
    """One cube: one brick of ours, six tetrahedra of theirs, the same order."""
    peers = {"bddc": lambda: peers_fem.ngsolve(1, "bddc", order=order)}
    ways = {"hexP": lambda: ours(1, "hexP", order=order)}
    error, errors = race(measured, "NGSolve", 1, ways, peers, 3)
    assert error < 1e-7
    assert errors["bddc"] < 1e-7


def solved_ours(n, element):
    data = boundary_value_data(PROBLEM)
    start = process_time()
    solution = solve_boundary_value(data, n, element=element)
    seconds = process_time() - start
    return Solved(seconds, solution.iterations, solution.errors(PROBLEM.u, PROBLEM.curl_u)[0])


CASES = [
    pytest.param("scikit-fem", "N0", 4),
    pytest.param("scikit-fem", "N0", 8),
    pytest.param("NGSolve", "N0", 8, marks=needs_ngsolve),
    pytest.param("NGSolve", "N0", 16, marks=needs_ngsolve),
    pytest.param("NGSolve", "N1", 8, marks=needs_ngsolve),
]


@pytest.mark.parametrize(
    ("name", "element", "n"),
    CASES,
    ids=lambda value: f"n{value}" if isinstance(value, int) else value,
)
def test_boundary_value_problem(measured, name, element, n):
    order = {"N0": 1, "N1": 2}[element]
    direct = {
        "scikit-fem": {"mixed, SuperLU": lambda: peers_fem.stock_boundary_value(n)},
        "NGSolve": {"mixed, UMFPACK": lambda: peers_fem.ngsolve_boundary_value(n, order=order)},
    }
    ways = {element: lambda: solved_ours(n, element)}
    error, errors = race(measured, name, n, ways, direct[name], 1)
    # boundary values are interpolated here and projected by NGSolve: the errors differ somewhat
    near = 0.5 if name == "NGSolve" else 1e-2
    assert all(found == pytest.approx(error, rel=near) for found in errors.values())
