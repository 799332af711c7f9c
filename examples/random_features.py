"""Solve an equation with untrained hidden weights.

The boundary-value problem of the smooth field `maxwell`, solved by a net of one hidden layer whose
weights are drawn at random and never trained. Only the output weights are computed, by least
squares on the equation and the boundary values. The error falls with the number of random features.
The dotted line is the lowest-order element N₀ on 8 × 8 × 8 cells, given the same equation.

femnets train --track solve --net random-features --problem maxwell
"""

import matplotlib.pyplot as plt

import femnets
from bench.methods.untrained.configuration import UntrainedConfig
from bench.methods.untrained.solving import solve_untrained

FEATURES = (25, 50, 100, 200)


def figure() -> plt.Figure:
    found = [solve_untrained(UntrainedConfig(features=count)).values for count in FEATURES]
    element = femnets.solve("maxwell", n=8).l2_error
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axes.loglog(FEATURES, [values["l2_error"] for values in found], "o-", label="random features")
    axes.axhline(element, ls=":", color="gray", label="N₀, n = 8")
    axes.set(xlabel="random features", ylabel="L² error on the cube")
    axes.legend()
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
