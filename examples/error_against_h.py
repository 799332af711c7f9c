"""Error against h in five lines.

The best approximation of the field `maxwell` by the lowest-order Nédélec element (N₀) on finer and
finer meshes of the unit cube. The L² error falls like h, the diameter of a cell: the dotted line.
"""

import matplotlib.pyplot as plt

import femnets


def figure() -> plt.Figure:
    found = [femnets.best_approximation("maxwell", n=n) for n in (1, 2, 4, 8, 16)]
    h, error = [s.h for s in found], [s.l2_error for s in found]
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axes.loglog(h, error, "o-", label="N₀, given the field")
    axes.loglog(h, [error[-1] * x / h[-1] for x in h], ":", color="gray", label="slope 1")
    axes.set(xlabel="h", ylabel="L² error on the cube")
    axes.legend()
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
