"""Certify your PINN: an error bound without the exact solution.

A physics-informed net in plain torch for curl(φ curl u) = f, div u = 0 on the unit cube, given the
tangential part of u on its faces. `femnets.certify` takes the module as it is and bounds ‖u − v‖
from the equation and the boundary values alone. The error, which is known for this field, stays
below the bound throughout the training.

femnets train --track solve --until-certified 0.1
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import Tensor, nn

import femnets
from nets.optimizers import SSBroyden

ROUNDS, EVALUATIONS = 6, 60  # a certificate after every round of so many evaluations
FIELD = femnets.problem("maxwell")


def curl_and_div(v: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    d = [torch.autograd.grad(v[:, i].sum(), x, create_graph=True)[0] for i in range(3)]
    curl = [d[2][:, 1] - d[1][:, 2], d[0][:, 2] - d[2][:, 0], d[1][:, 0] - d[0][:, 1]]
    return torch.stack(curl, 1), d[0][:, 0] + d[1][:, 1] + d[2][:, 2]


class Loss:
    """Residuals of the equation, the divergence and the boundary values, at random points."""

    def __init__(self, count: int = 400) -> None:
        random = np.random.default_rng(0)
        inside, rim = random.random((2, count, 3))
        normal = np.eye(3, dtype=bool)[random.integers(3, size=count)]
        rim[normal] = random.integers(2, size=count)
        self.f, self.g = (torch.from_numpy(v.T) for v in (FIELD.f(inside.T), FIELD.u(rim.T)))
        self.x = torch.from_numpy(inside).requires_grad_()
        self.rim, self.tangential = torch.from_numpy(rim), torch.from_numpy(~normal)

    def __call__(self, net: nn.Module) -> Tensor:
        phi = (self.x[:, :2].square().sum(1, keepdim=True) + 1) / 2
        curl, div = curl_and_div(net(self.x), self.x)
        residual = curl_and_div(phi * curl, self.x)[0] - self.f
        jump = (net(self.rim) - self.g)[self.tangential]
        return residual.square().mean() + div.square().mean() + 10 * jump.square().mean()


def l2_error(net: nn.Module) -> float:
    """By the midpoint rule; only for the picture."""
    middle = (np.arange(20) + 0.5) / 20
    x = np.stack(np.meshgrid(middle, middle, middle)).reshape(3, -1)
    with torch.no_grad():
        v = net(torch.from_numpy(x.T)).numpy().T
    return float(np.sqrt(np.square(v - FIELD.u(x)).sum(0).mean()))


def figure() -> plt.Figure:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3))
    net.double()
    loss, optimizer = Loss(), SSBroyden(net.parameters())
    spent, rows = 0, []

    def closure() -> Tensor:
        nonlocal spent
        spent += 1
        optimizer.zero_grad()
        value = loss(net)
        value.backward()
        return value

    for k in range(1, ROUNDS + 1):
        while spent < k * EVALUATIONS:
            optimizer.step(closure)
        found = femnets.certify(net, "maxwell", method="own")
        rows.append((spent, found.l2_bound, l2_error(net)))
    drawn, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    evaluations, bounds, errors = zip(*rows, strict=True)
    axes.semilogy(evaluations, bounds, "v-", label="certified bound, without u")
    axes.semilogy(evaluations, errors, "o-", label="error")
    axes.set(xlabel="evaluations of loss and gradient", ylabel="L² error on the cube")
    axes.legend()
    return drawn


if __name__ == "__main__":
    figure()
    plt.show()
