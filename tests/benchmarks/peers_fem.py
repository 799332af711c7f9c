"""Peers on the same mesh and to the same tolerance: stock scikit-fem, and NGSolve where installed.

All of them solve for the best approximation of `maxwell` in H(curl) on Kuhn tetrahedra, lowest
order, one thread. The peers are general codes: they know nothing of the uniform cube.
"""

import math
import time

import numpy as np

from bench import problems

TOLERANCE = 1e-8


class Clock(dict):
    """Seconds per phase."""

    def __init__(self):
        super().__init__()
        self._last = time.perf_counter()

    def lap(self, phase):
        now = time.perf_counter()
        self[phase], self._last = now - self._last, now

    @property
    def total(self):
        return sum(self.values())


def kuhn_mesh(n):
    from skfem import MeshTet

    return MeshTet.init_tensor(*[np.linspace(0, 1, n + 1)] * 3)


def stock_scikit_fem(n):
    """Assembly and Jacobi-preconditioned CG as in scikit-fem's examples; (clock, ‖u_h‖)."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg
    from skfem import Basis, BilinearForm, ElementTetN0, LinearForm
    from skfem.helpers import curl, dot

    problem, mesh = problems.maxwell, kuhn_mesh(n)
    clock = Clock()
    basis = Basis(mesh, ElementTetN0(), intorder=2)
    matrix = BilinearForm(lambda u, v, w: dot(curl(u), curl(v)) + dot(u, v)).assemble(basis).tocsr()
    clock.lap("matrix")
    form = LinearForm(lambda v, w: dot(problem.curl_u(w.x), curl(v)) + dot(problem.u(w.x), v))
    load = form.assemble(basis)
    clock.lap("load")
    x, failed = cg(matrix, load, rtol=TOLERANCE, M=diags_array(1 / matrix.diagonal()))
    clock.lap("solve")
    assert not failed
    return clock, math.sqrt(x @ load)


def ngsolve_mesh(n):
    """The same Kuhn mesh; NGSolve wants the boundary as triangles of their own."""
    import netgen.meshing as netgen
    import ngsolve

    mesh, target = kuhn_mesh(n), netgen.Mesh(dim=3)
    outer = mesh.facets[:, mesh.boundary_facets()]
    target.AddPoints(np.ascontiguousarray(mesh.p.T))
    face = target.Add(netgen.FaceDescriptor(surfnr=1, domin=1, bc=1))
    target.AddElements(dim=2, index=face, data=np.ascontiguousarray(outer.T, np.int32), base=0)
    positive = oriented(mesh.p, mesh.t)
    target.AddElements(dim=3, index=1, data=np.ascontiguousarray(positive.T, np.int32), base=0)
    return ngsolve.Mesh(target)


def oriented(p, t):
    """Tetrahedra renumbered to have positive volume in NGSolve's sense."""
    edges = p[:, t[1:]] - p[:, t[:1]]
    inverted = np.einsum("ic,ic->c", edges[:, 0], np.cross(edges[:, 1], edges[:, 2], axis=0)) > 0
    result = t.copy()
    result[2:, inverted] = t[[3, 2]][:, inverted]
    return result


def maxwell_in_ngsolve():
    """u and curl u by the power series of I₁(r)/r and I₀(r) in s = r²/4, to rounding for r ≤ √2."""
    import ngsolve as ng

    s = (ng.x * ng.x + ng.y * ng.y) / 4
    ratio, i0 = ng.CF(0), ng.CF(0)
    for k in reversed(range(12)):  # Horner
        ratio = ratio * s + 1 / (2 * math.factorial(k) * math.factorial(k + 1))
        i0 = i0 * s + 1 / math.factorial(k) ** 2
    return ng.CF((-ratio * ng.y, ratio * ng.x, 0)).Compile(), ng.CF((0, 0, i0)).Compile()


def ngsolve(n, preconditioner, mesh=None):
    """One solve by NGSolve's CG with its preconditioner "local" (Jacobi) or "hcurlamg".

    Returns (clock, iterations, L² error). Its CG measures the residual in the preconditioned norm.
    """
    import ngsolve as ng
    from ngsolve.krylovspace import CGSolver

    ng.SetNumThreads(1)
    mesh = ngsolve_mesh(n) if mesh is None else mesh
    u_exact, curl_exact = maxwell_in_ngsolve()
    clock = Clock()
    space = ng.HCurl(mesh, order=0)
    u, v = space.TnT()
    form = ng.BilinearForm(space, symmetric=True)
    form += ng.curl(u) * ng.curl(v) * ng.dx + u * v * ng.dx
    inverse = ng.Preconditioner(form, preconditioner)
    form.Assemble()
    clock.lap("matrix")
    load = ng.LinearForm(space)
    load += (u_exact * v + curl_exact * ng.curl(v)) * ng.dx(bonus_intorder=1)
    load.Assemble()
    clock.lap("load")
    solver = CGSolver(mat=form.mat, pre=inverse.mat, tol=TOLERANCE, maxiter=5000)
    solution = ng.GridFunction(space)
    solution.vec.data = solver * load.vec
    clock.lap("solve")
    error = math.sqrt(ng.Integrate(ng.InnerProduct(solution - u_exact, solution - u_exact), mesh))
    return clock, solver.iterations, error
