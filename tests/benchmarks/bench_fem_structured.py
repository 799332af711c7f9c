"""The paths for lowest order: time, dofs per second, bytes per dof and error. One thread."""

import numpy as np
import pytest

from bench import problems
from fem import best_approximation

GROUP = "fem"

PROBLEM = problems.maxwell
PATHS = {"kuhn": "N0", "kuhn32": "N0", "transforms": "hexN0"}  # of uniform cubes
L2 = {  # `maxwell`, from two independent codes
    (4, "N0"): 5.84255e-3,
    (4, "hexN0"): 4.79811e-3,
    (32, "N0"): 7.76433e-4,
    (32, "hexN0"): 5.87433e-4,
    (64, "N0"): 3.88813e-4,
    (64, "hexN0"): 2.93640e-4,
}


def space_of(solver, n):
    from fem.spaces.cube.hexes import CubeHexes
    from fem.spaces.cube.tets import CubeTets

    if solver == "transforms":
        return CubeHexes(n)
    return CubeTets(n, single=solver == "kuhn32")


def structured(space):
    """Load and solve to the tolerance of the peers; there is no set-up."""
    return space.solve(space.load(PROBLEM.u, PROBLEM.curl_u))


@pytest.mark.parametrize("solver", [*PATHS, "general"])
@pytest.mark.parametrize("n", [4, 32], ids=lambda n: f"n{n}")
def test_best_approximation(benchmark, n, solver):
    element = PATHS.get(solver, "N0")

    def run():
        return best_approximation(PROBLEM.u, PROBLEM.curl_u, n, element=element, solver=solver)

    solution = benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    benchmark.extra_info.update(
        n=solution.n,
        dofs=solution.dofs,
        iterations=solution.iterations,
        l2_error=solution.l2_error,
        hcurl_error=solution.hcurl_error,
        dofs_per_second=solution.dofs / (solution.seconds["load"] + solution.seconds["solve"]),
        bytes_per_dof=solution.space.predicted_bytes() / solution.dofs,
        **{f"{phase}_seconds": seconds for phase, seconds in solution.seconds.items()},
    )
    assert solution.l2_error == pytest.approx(L2[n, element], rel=1e-5)


@pytest.mark.parametrize("solver", PATHS)
@pytest.mark.parametrize("n", [64], ids=lambda n: f"n{n}")
def test_load_and_solve(benchmark, share_of_limit, n, solver):
    structured(space_of(solver, 2))  # compiles
    space = space_of(solver, n)
    solution = benchmark.pedantic(structured, (space,), rounds=2)
    l2_error, _ = space.errors(solution.x, PROBLEM.u, PROBLEM.curl_u)
    benchmark.extra_info.update(
        n=n,
        dofs=space.dofs,
        iterations=solution.iterations,
        l2_error=l2_error,
        dofs_per_second=space.dofs / benchmark.stats.stats.median,
        bytes_per_dof=space.predicted_bytes() / space.dofs,
    )
    share_of_limit(benchmark.stats.stats.median, traffic=traffic(space, solution.iterations))
    assert l2_error == pytest.approx(L2[n, PATHS[solver]], rel=1e-5)


def traffic(space, iterations):
    """Bytes that load and solve move at least. A transform solve: seven passes over the hexahedral
    vector. An iteration on tetrahedra: r is read three times, p and q for A p, all four vectors and
    two of them back for the step, p for the direction; the coarse vector is written and read twice.
    """
    from fem.spaces.cube.cells import HEX_CLASSES, size

    transforms = 14 * size(space.n, HEX_CLASSES)
    if space.cell.classes == HEX_CLASSES:
        return 8 * (2 * space.dofs + transforms)
    itemsize = 4 if space.single else 8
    vectors = 13 * space.dofs + 3 * size(space.n, HEX_CLASSES) + transforms
    return itemsize * (2 * space.dofs + iterations * vectors) + 8 * space.dofs


@pytest.mark.parametrize("n", [64], ids=lambda n: f"n{n}")
def test_evaluation_at_a_million_points(measured, n):
    """O(1) per point: as long on a mesh of n³ cubes as on one of 8³, but for the cache."""
    points = np.random.Generator(np.random.Philox(0)).random((3, 1_000_000))
    random = np.random.Generator(np.random.Philox(1))
    spaces = {size: space_of("kuhn", size) for size in (8, n)}
    x = {size: random.standard_normal(space.dofs) for size, space in spaces.items()}
    turns = measured.in_turns(
        lambda: spaces[n].evaluate(x[n], points),
        rounds=3,
        on_a_small_mesh=lambda: spaces[8].evaluate(x[8], points),
    )
    measured.info.update(n=n, points_per_second=points.shape[1] / turns.median("ours"))
    measured.target("over a mesh of 8³", turns.ratio("ours", "on_a_small_mesh"), at_most=4)
