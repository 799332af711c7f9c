"""Second opinions that only tests ask for: matrices as scipy holds them, meshes with their numbers
shuffled."""

import numpy as np
from scipy.sparse import csr_array, diags_array


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


def holed_box(n, jitter=0.15):
    """An unstructured mesh such as Gmsh makes of the box (0, 3)² × (0, 1) with a square hole
    through it: n cells per unit length, nodes inside moved at random, everything renumbered."""
    from skfem import MeshTet

    x, z = np.linspace(0, 3, 3 * n + 1), np.linspace(0, 1, n + 1)
    box = MeshTet.init_tensor(x, x, z)
    centre = box.p[:, box.t].mean(axis=1)
    mesh = box.restrict(np.flatnonzero((abs(centre[:2] - 1.5) > 0.5).any(axis=0)))
    generator = np.random.Generator(np.random.Philox(0))
    inner = np.setdiff1d(np.arange(mesh.p.shape[1]), mesh.boundary_nodes())
    p = mesh.p.copy()
    p[:, inner] += generator.uniform(-jitter, jitter, (3, len(inner))) / n
    return renumbered(MeshTet(p, mesh.t), generator)
