"""Train a net on samples, and compare it with least squares.

A ResNet with learned step sizes τ is given 300 samples of the field `maxwell`, with f and φ at the
points. Its training loss falls; the dotted line is linear least squares on the same samples and
inputs. The task is nearly linear, so that a comparison without this line would mislead.
"""

import matplotlib.pyplot as plt
import numpy as np

import femnets


def figure() -> plt.Figure:
    x, y = femnets.samples("maxwell", 300)
    net = femnets.build(net="resnet", tau="learned", hidden=2, width=20, seed=0)
    trained = femnets.train(net, x, y, optimizer="ssbfgs", steps=150)
    rows = np.column_stack([x, np.ones(len(x))])
    linear = rows @ np.linalg.lstsq(rows, y, rcond=None)[0]
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axes.semilogy(trained.history["J"], label="ResNet 2-20")
    axes.axhline(((linear - y) ** 2).sum() / (2 * len(x)), ls=":", color="gray", label="linear")
    axes.set(xlabel="step", ylabel="J on the training samples")
    axes.legend()
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
