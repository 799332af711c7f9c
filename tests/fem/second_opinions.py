"""Second opinions that only tests ask for: matrices as scipy holds them, dofs as scikit-fem counts
them, meshes with their numbers shuffled."""

import numpy as np
from scipy.sparse import csr_array, diags_array

from fem.spaces.cube.cells import DIRECTIONS, shapes


def to_scipy(matrix):
    """The whole of a `Symmetric` matrix as a csr_array."""
    n = matrix.diagonal.size
    lower = csr_array((matrix.value, matrix.column, matrix.start), shape=(n, n))
    return csr_array(lower + lower.T + diags_array(matrix.diagonal))


def discrete_gradient(tets):
    """Edge dofs of ∇q from nodal values: −1 at the lower, +1 at the higher vertex; csr_array."""
    edges = len(tets.edges)
    signs = np.tile([-1.0, 1.0], edges)
    start = np.arange(0, 2 * edges + 1, 2)
    return csr_array((signs, tets.edges.ravel(), start), shape=(edges, tets.p.shape[1]))


def mesh_dofs(mesh, n, classes):
    """Where a scikit-fem mesh of the same cube keeps our dofs, and with which signs (±1).

    x_mesh[numbers] * signs is the vector in the numbering of `fem.spaces.cube.cells`; scikit-fem
    orients an edge from its lower to its higher vertex number.
    """
    number = np.empty((n + 1,) * 3, np.int64)
    number[tuple(np.rint(mesh.p * n).astype(int))] = np.arange(mesh.p.shape[1])
    ends = []
    for d, shape in zip(DIRECTIONS, shapes(n, classes), strict=False):
        base = np.indices(shape).reshape(3, -1)
        ends.append(np.stack([number[tuple(base)], number[tuple(base + d[:, None])]]))
    start, end = np.concatenate(ends, axis=1)
    edges = np.sort(mesh.edges, axis=0)
    codes = edges[0] * mesh.p.shape[1] + edges[1]
    wanted = np.minimum(start, end) * mesh.p.shape[1] + np.maximum(start, end)
    order = np.argsort(codes)
    return order[np.searchsorted(codes, wanted, sorter=order)], np.where(start < end, 1, -1)


def renumbered(mesh, generator):
    """The same mesh with its nodes and cells numbered at random and cell vertices shuffled.

    Hexahedra keep the order of their vertices, which is their shape.
    """
    nodes = generator.permutation(mesh.p.shape[1])
    p = np.empty_like(mesh.p)
    p[:, nodes] = mesh.p
    t = nodes[mesh.t][:, generator.permutation(mesh.t.shape[1])]
    if len(t) == 4:
        t = generator.permuted(t, axis=0)
    return type(mesh)(p, np.ascontiguousarray(t))
