"""Variable projection: its derivatives by automatic differentiation, its gain over plain steps."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nets import build, train
from nets.optimizers._projected import Projected
from nets.residuals.objective import ResidualObjective
from nets.residuals.terms import Residuals


@pytest.fixture
def term():
    random = np.random.default_rng(0)
    x = random.uniform(-1, 1, (40, 3))
    return Residuals(
        x=x, order="value", A=np.ones((1, 1, 1, 40)), b=np.exp(x[:, :1]).T, labels=("fit",)
    )


@pytest.fixture
def net():
    return build(
        net="feedforward", tau="fixed", hidden=1, width=6, inputs=3, outputs=1,
        activation="tanh", seed=1,
    )  # fmt: skip


def test_the_reduced_functional_and_its_gradient(net, term):
    """J(θ) = min over c of ½ ‖A(θ) c − b‖², by torch's least squares and autograd."""
    run = Projected(ResidualObjective(net, [term]), net.pack(), 1e-2)
    W, b = (p.detach().clone().requires_grad_() for p in (net.W[0], net.b[0]))
    A = torch.tanh(torch.from_numpy(term.x) @ W.T + b)
    right = torch.from_numpy(term.b[0])
    c = torch.linalg.lstsq(A, right[:, None]).solution[:, 0]
    J = ((A @ c - right) ** 2).sum() / 2
    J.backward()
    assert J.item() == pytest.approx(run.J, rel=1e-10)
    assert run.theta[run.linear] == pytest.approx(c.detach().numpy(), rel=1e-8)
    expected = torch.cat([W.grad.ravel(), b.grad]).numpy()
    assert run.slope == pytest.approx(expected, rel=1e-8, abs=1e-10 * abs(expected).max())
    assert run.gradient[~run.linear] == pytest.approx(run.slope, rel=1e-7, abs=1e-12)
    assert run.gradient[run.linear] == pytest.approx(np.zeros(6), abs=1e-12)


def test_every_step_lowers_the_functional(net, term):
    run = Projected(ResidualObjective(net, [term]), net.pack(), 1e-2)
    reached = [run.J]
    for _ in range(12):
        assert run.step()
        reached.append(run.J)
    assert all(np.diff(reached) < 0)
    assert reached[-1] < 1e-3 * reached[0]


def test_it_fits_samples_better_than_levenberg_marquardt_in_as_many_steps(net):
    x = np.random.default_rng(1).uniform(-1, 1, (200, 3))
    y = np.sin(2 * x[:, :1]) * x[:, 1:2]
    reached = {}
    for optimizer in ("lm", "varpro"):
        chosen = build(
            net="feedforward", tau="fixed", hidden=1, width=10, inputs=3, outputs=1,
            activation="tanh", seed=1,
        )  # fmt: skip
        reached[optimizer] = train(chosen, x, y, optimizer=optimizer, steps=25).J
    assert reached["varpro"] < 0.5 * reached["lm"]
