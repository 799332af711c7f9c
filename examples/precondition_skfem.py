"""Precondition your scikit-fem matrix.

A Nédélec matrix assembled by scikit-fem, with a coefficient that jumps by 1000 across the middle of
the cube. The picture compares conjugate gradients without a preconditioner, with the diagonal, and
with `fem.hcurl_preconditioner`, which is passed to SciPy as `M`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import cg
from skfem import Basis, BilinearForm, ElementTetN0, LinearForm, MeshTet
from skfem.helpers import curl, dot

from fem import hcurl_preconditioner

BETA, MOST = 1e-2, 300


def phi(x: np.ndarray) -> np.ndarray:
    return np.where(x[0] < 0.5, 1000.0, 1.0)


def figure() -> plt.Figure:
    mesh = MeshTet.init_tensor(*[np.linspace(0, 1, 9)] * 3)
    basis = Basis(mesh, ElementTetN0(), intorder=2)
    form = BilinearForm(lambda u, v, w: phi(w.x) * dot(curl(u), curl(v)) + BETA * dot(u, v))
    A, b = form.assemble(basis), LinearForm(lambda v, w: v[2]).assemble(basis)
    free = basis.complement_dofs(basis.get_dofs())  # u × n = 0 on the boundary
    A, b = A[free][:, free], b[free]
    choices = {
        "none": None,
        "diagonal": diags(1 / A.diagonal()),
        "hcurl_preconditioner": hcurl_preconditioner(A, mesh, phi=phi, beta=BETA, free=free),
    }
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    for name, M in choices.items():
        residuals = [1.0]

        def kept(x: np.ndarray, to: list[float] = residuals) -> None:
            to.append(float(np.linalg.norm(b - A @ x) / np.linalg.norm(b)))

        cg(A, b, rtol=1e-8, maxiter=MOST, M=M, callback=kept)
        axes.semilogy(residuals, label=name)
    axes.set(xlabel="iteration", ylabel="relative residual")
    axes.legend(title="preconditioner")
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
