"""Peers on the same mesh and to the same tolerance: scikit-fem as it comes, NGSolve.

All of them solve for `maxwell` on Kuhn tetrahedra, one thread: the best approximation in H(curl),
or the boundary-value problem in Kikuchi's mixed form. The peers are general codes: they know
nothing of the uniform cube. Each is used as its documentation recommends.
"""

from __future__ import annotations

import importlib.metadata
import math
from dataclasses import dataclass
from functools import cache
from time import process_time

import numpy as np

from bench import problems

TOLERANCE = 1e-8


@dataclass(frozen=True)
class Solved:
    """What a peer took (CPU seconds, from a mesh in memory to the solution) and reached."""

    seconds: float
    iterations: int
    error: float


def kuhn_mesh(n):
    from skfem import MeshTet

    return MeshTet.init_tensor(*[np.linspace(0, 1, n + 1)] * 3)


# ---------------------------------------------------------------- scikit-fem as it comes


def stock_scikit_fem(n):
    """Assembly and Jacobi-preconditioned CG as in scikit-fem's examples."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import cg
    from skfem import Basis, BilinearForm, ElementTetN0, LinearForm
    from skfem.helpers import curl, dot

    problem, mesh, count = problems.maxwell, kuhn_mesh(n), [0]
    start = process_time()
    basis = Basis(mesh, ElementTetN0(), intorder=2)
    matrix = BilinearForm(lambda u, v, w: dot(curl(u), curl(v)) + dot(u, v)).assemble(basis).tocsr()
    form = LinearForm(lambda v, w: dot(problem.curl_u(w.x), curl(v)) + dot(problem.u(w.x), v))
    load = form.assemble(basis)

    def counted(_):
        count[0] += 1

    inverse = diags_array(1 / matrix.diagonal())
    x, failed = cg(matrix, load, rtol=TOLERANCE, M=inverse, callback=counted)
    seconds = process_time() - start
    assert not failed
    return Solved(seconds, count[0], _skfem_error(mesh, x))


def stock_boundary_value(n):
    """Kikuchi's mixed form by `asm`, `condense` and `solve`, as in scikit-fem's examples.

    Its tangential boundary values are those of the interpolant: ∫ u·t over an edge.
    """
    from scipy.sparse import bmat
    from skfem import Basis, BilinearForm, ElementTetN0, ElementTetP1, LinearForm, condense, solve
    from skfem.helpers import curl, dot, grad

    from fem.spaces.tets.lowest_order import TetSpace

    problem, mesh = problems.maxwell, kuhn_mesh(n)
    edges = TetSpace(mesh=mesh).interpolate(problem.u)
    start = process_time()
    basis = Basis(mesh, ElementTetN0(), intorder=4)
    multiplier = basis.with_element(ElementTetP1())
    stiffness = BilinearForm(
        lambda u, v, w: problem.phi(w.x) * dot(curl(u), curl(v)),
    ).assemble(basis)
    coupling = BilinearForm(lambda u, q, w: dot(u, grad(q))).assemble(basis, multiplier)
    load = LinearForm(lambda v, w: dot(problem.f(w.x), v)).assemble(basis)
    matrix = bmat([[stiffness, coupling.T], [coupling, None]], "csr")
    on = [basis.get_dofs().all(), basis.N + multiplier.get_dofs().all()]
    x = np.concatenate([edges, np.zeros(multiplier.N)])
    right = np.concatenate([load, np.zeros(multiplier.N)])
    x = solve(*condense(matrix, right, x=x, D=np.concatenate(on)))[: basis.N]
    seconds = process_time() - start
    return Solved(seconds, 0, _skfem_error(mesh, x))


def _skfem_error(mesh, x):
    from fem.spaces.tets.lowest_order import TetSpace

    space = TetSpace(mesh=mesh)
    return space.errors(x, problems.maxwell.u, problems.maxwell.curl_u)[0]


# ---------------------------------------------------------------- NGSolve


@cache
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


def bessel_factors(s, one):
    """I₁(r)/r and I₀(r) by their power series in s = r²/4, to rounding for r ≤ √2."""
    ratio, i0 = one * 0.0, one * 0.0
    for k in reversed(range(12)):  # Horner
        ratio = ratio * s + 1 / (2 * math.factorial(k) * math.factorial(k + 1))
        i0 = i0 * s + 1 / math.factorial(k) ** 2
    return ratio, i0


@cache
def maxwell_in_ngsolve():
    """u, curl u and f of `maxwell`, compiled, and φ."""
    import ngsolve as ng

    ratio, i0 = bessel_factors((ng.x * ng.x + ng.y * ng.y) / 4, ng.CF(1))
    phi = (ng.x * ng.x + ng.y * ng.y + 1) / 2
    factor = i0 + phi * ratio
    return (
        ng.CF((-ratio * ng.y, ratio * ng.x, 0)).Compile(),
        ng.CF((0, 0, i0)).Compile(),
        ng.CF((factor * ng.y, -factor * ng.x, 0)).Compile(),
        phi,
    )


def ngsolve(n, preconditioner, order=1):
    """NGSolve's CG with "local" (Jacobi), "hcurlamg", "bddc" or "multigrid".

    Its CG measures the residual in the preconditioned norm. Multigrid refines a mesh of n = 4 by
    its own bisections: the same number of cells per side and about as many unknowns.
    """
    import ngsolve as ng
    from ngsolve.krylovspace import CGSolver

    ng.SetNumThreads(1)
    u_exact, curl_exact, _, _ = maxwell_in_ngsolve()
    levels = preconditioner == "multigrid"
    mesh = ng.Mesh(ngsolve_mesh(4).ngmesh.Copy()) if levels else ngsolve_mesh(n)
    start = process_time()
    space = ng.HCurl(mesh, order=order, type1=True)  # of the first kind, as ours
    u, v = space.TnT()
    form = ng.BilinearForm(space, symmetric=True)
    form += ng.curl(u) * ng.curl(v) * ng.dx + u * v * ng.dx
    inverse = ng.Preconditioner(form, preconditioner)
    form.Assemble()
    for _ in range(round(math.log2(n / 4)) if levels else 0):
        mesh.Refine()
        space.Update()
        form.Assemble()
    load = ng.LinearForm(space)
    load += (u_exact * v + curl_exact * ng.curl(v)) * ng.dx(bonus_intorder=1)
    load.Assemble()
    solver = CGSolver(mat=form.mat, pre=inverse.mat, tol=TOLERANCE, maxiter=5000)
    solution = ng.GridFunction(space)
    solution.vec.data = solver * load.vec
    seconds = process_time() - start
    return Solved(seconds, solver.iterations, _ngsolve_error(solution, mesh))


def _ngsolve_error(solution, mesh):
    import ngsolve as ng

    difference = solution - maxwell_in_ngsolve()[0]
    return math.sqrt(ng.Integrate(ng.InnerProduct(difference, difference), mesh, order=8))


def ngsolve_boundary_value(n, order=1):
    """Kikuchi's mixed form, factorised by UMFPACK, which its wheel brings."""
    import ngsolve as ng

    ng.SetNumThreads(1)
    u_exact, _, f, phi = maxwell_in_ngsolve()
    mesh = ngsolve_mesh(n)
    start = process_time()
    space = ng.HCurl(mesh, order=order, type1=True, dirichlet=".*") * ng.H1(
        mesh, order=order, dirichlet=".*"
    )
    (u, p), (v, q) = space.TnT()
    form = ng.BilinearForm(space)
    form += (phi * ng.curl(u) * ng.curl(v) + ng.grad(p) * v + ng.grad(q) * u) * ng.dx
    form.Assemble()
    load = ng.LinearForm(space)
    load += f * v * ng.dx(bonus_intorder=2)
    load.Assemble()
    solution = ng.GridFunction(space)
    solution.components[0].Set(u_exact, ng.BND)
    residual = load.vec - form.mat * solution.vec
    solution.vec.data += form.mat.Inverse(space.FreeDofs(), inverse="umfpack") * residual
    seconds = process_time() - start
    return Solved(seconds, 0, _ngsolve_error(solution.components[0], mesh))


def version(package):
    return importlib.metadata.version(package)
