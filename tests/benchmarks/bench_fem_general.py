"""The general tetrahedral path on meshes that it is handed: iterations, evaluation. One thread."""

import numpy as np
import pytest
from peers_fem import TOLERANCE, kuhn_mesh

from bench import problems
from fem import How, meshes
from fem.spaces.tets.lowest_order import TetSpace

GROUP = "fem"

PROBLEM = problems.maxwell


def load_and_solve(mesh, from_zero=False):
    """Edges, load, matrix, set-up of the preconditioner and CG, from a bare mesh."""
    space = TetSpace(mesh=mesh)
    load = space.load(PROBLEM.u, PROBLEM.curl_u)
    return space, space.solve(load.vector if from_zero else load, How(tol=TOLERANCE))


@pytest.mark.parametrize("sizes", [(8, 16, 32)], ids=["n8-n16-n32"])
def test_iterations_are_flat_and_fewer_from_a_guess(benchmark, sizes):
    mesh = kuhn_mesh(8)
    benchmark.pedantic(load_and_solve, (mesh,), rounds=2, warmup_rounds=1)
    counts = {n: load_and_solve(kuhn_mesh(n), from_zero=True)[1].iterations for n in sizes}
    guessed = {n: load_and_solve(kuhn_mesh(n))[1].iterations for n in sizes}
    cylinder = load_and_solve(meshes.cylinder(8))[1].iterations
    benchmark.extra_info.update(
        **{f"iterations_{n}": count for n, count in counts.items()},
        **{f"iterations_{n}_from_interpolant": count for n, count in guessed.items()},
        iterations_cylinder_8=cylinder,
    )
    assert max(counts.values()) - counts[8] <= 4
    assert all(guessed[n] < counts[n] for n in sizes)


@pytest.mark.parametrize("n", [32], ids=lambda n: f"n{n}")
def test_evaluation_at_a_million_points(benchmark, n):
    space = TetSpace(mesh=kuhn_mesh(n))
    x = space.interpolate(PROBLEM.u)
    points = np.random.Generator(np.random.Philox(0)).random((3, 1_000_000))
    benchmark.pedantic(space.evaluate, (x, points), rounds=2, warmup_rounds=1)
    benchmark.extra_info.update(points_per_second=points.shape[1] / benchmark.stats.stats.median)
