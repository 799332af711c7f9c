"""A finer mesh, or a higher order?

The boundary-value problem curl(φ curl u) = f for the smooth field `maxwell`, solved from f, φ and
the boundary values only. On a smooth field a higher order (`hexP` on one hexahedron) gains far more
per unknown than finer meshes of the two lowest orders on tetrahedra (N₀, N₁).
"""

import matplotlib.pyplot as plt

import femnets

FAMILIES = {
    "N₀, n = 2 … 8": [{"element": "N0", "n": n} for n in (2, 4, 8)],
    "N₁, n = 1 … 4": [{"element": "N1", "n": n} for n in (1, 2, 4)],
    "hexP, n = 1, order 1 … 6": [{"element": "hexP", "n": 1, "order": p} for p in range(1, 7)],
}


def figure() -> plt.Figure:
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    for name, family in FAMILIES.items():
        found = [femnets.solve("maxwell", **choice) for choice in family]
        axes.loglog([s.dofs for s in found], [s.l2_error for s in found], "o-", label=name)
    axes.set(xlabel="unknowns", ylabel="L² error on the cube")
    axes.legend(fontsize=8)
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
