"""A re-entrant edge: grade the mesh.

The field `reentrant` is singular at an edge of the domain, an L-shaped prism, with the angle 3π/2.
On uniform meshes the error falls slowly; on meshes graded towards the edge (coordinates t^β for a
uniform t) the full rate of the element returns.
"""

import matplotlib.pyplot as plt

import femnets


def figure() -> plt.Figure:
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    for grading, label in ((None, "uniform"), (2.5, "graded, β = 2.5")):
        found = [femnets.solve("reentrant", n=n, grading=grading) for n in (1, 2, 4, 8)]
        axes.loglog([s.dofs for s in found], [s.l2_error for s in found], "o-", label=label)
    axes.set(xlabel="unknowns", ylabel="L² error on the prism")
    axes.legend()
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
