"""Multigrid on graded meshes, and what it does where coarsening does not get on."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_matrix, diags_array

from fem.meshes.grading import graded_cube
from fem.meshes.tets import Tets
from fem.meshes.unions import prism
from fem.solvers.auxiliary_space import solve
from fem.solvers.multigrid import MAX_COARSE, MAX_DENSE, Multigrid
from fem.spaces.tets.local_matrices import nodal


def iterations(matrix, cycle):
    b = np.random.Generator(np.random.Philox(0)).standard_normal(matrix.shape[0])
    return solve(matrix, b, lambda r: cycle(r[:, None])[:, 0]).iterations


@pytest.mark.parametrize(
    ("mesh", "most"),
    [(graded_cube(24, 2.5), 15), (graded_cube(16, 3.0), 15), (prism(12, "tet", 3.0), 15)],
    ids=["cube 2.5", "cube 3", "prism 3"],
)
def test_thin_cells_keep_their_coarsening(mesh, most):
    """0.2.0 ended in nan here: rows without strong connections were divided by zero."""
    tets = Tets.of(mesh)
    matrix = csr_matrix(nodal(tets, 1.0, 1.0))
    cycle = Multigrid(matrix, thin=True)
    sizes = [level.matrix.diagonal.size for level in cycle.levels]
    assert all(fine > 1.5 * coarse for fine, coarse in pairwise(sizes))
    assert len(sizes) < 9
    assert iterations(matrix, cycle) <= most


@pytest.mark.parametrize("size", [MAX_COARSE + 50, MAX_DENSE + 50])
@pytest.mark.parametrize("thin", [False, True])
def test_coarsening_that_stalls_ends_in_a_direct_solve(size, thin):
    """No connections at all: there is nothing to aggregate."""
    matrix = csr_matrix(diags_array(np.linspace(1.0, 1e6, size)))
    cycle = Multigrid(matrix, thin)
    assert not cycle.levels
    b = np.ones((size, 2))
    np.testing.assert_allclose(cycle(b), b / matrix.diagonal()[:, None], rtol=1e-9)
