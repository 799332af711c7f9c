"""SSBFGS, SSBroyden and LM as torch classes: against SciPy, and through state_dict."""

import copy
import io

import numpy as np
import pytest
import torch
from scipy.optimize import least_squares, minimize, rosen, rosen_der

from base.errors import UserError
from nets import optimizers
from nets.optimizers import LM, SSBFGS, SSBroyden

QUASI_NEWTON = [SSBFGS, SSBroyden]
START = np.tile([1.3, 0.7, 0.8, 1.9, 1.2], 2)  # from which SciPy finds the global minimum


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def rosenbrock_residuals(x):
    return torch.cat([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])


class Pinn:
    """−u″ = π² sin πx on (0, 1), u(0) = u(1) = 0, as a stranger would write it."""

    def __init__(self):
        torch.manual_seed(0)
        layers = torch.nn.Linear(1, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1)
        self.net = torch.nn.Sequential(*layers).double()
        self.x = torch.linspace(0, 1, 30, dtype=torch.float64)[:, None].requires_grad_()

    def residuals(self):
        u = self.net(self.x)
        (du,) = torch.autograd.grad(u.sum(), self.x, create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), self.x, create_graph=True)
        inside = ddu + torch.pi**2 * torch.sin(torch.pi * self.x)
        return torch.cat([inside[:, 0] / 30**0.5, 10 * u[[0, -1], 0]])

    def closure(self):
        for p in self.net.parameters():
            p.grad = None
        loss = self.residuals().square().sum()
        loss.backward()
        return loss

    def flat(self, theta):
        torch.nn.utils.vector_to_parameters(torch.from_numpy(theta), self.net.parameters())
        loss = self.closure()
        return float(loss.detach()), np.concatenate(
            [p.grad.reshape(-1) for p in self.net.parameters()]
        )


def closure_of(x):
    def closure():
        x.grad = None
        loss = rosenbrock(x)
        loss.backward()
        return loss

    return closure


@pytest.mark.parametrize("method", QUASI_NEWTON)
def test_the_minimum_of_scipy_on_rosenbrock_in_ten_dimensions(method):
    expected = minimize(rosen, START, jac=rosen_der, method="BFGS", options={"gtol": 1e-10}).x
    x = torch.tensor(START, requires_grad=True)
    optimizer = method([x])
    first = optimizer.step(closure_of(x))
    assert float(first) == pytest.approx(rosen(START))
    for _ in range(30):
        optimizer.step(closure_of(x))
    np.testing.assert_allclose(x.detach().numpy(), expected, atol=1e-6)
    assert optimizer.reason


@pytest.mark.parametrize("method", QUASI_NEWTON)
def test_the_minimum_of_scipy_on_a_strangers_pinn(method):
    """As deep as SciPy's BFGS within twice its evaluations."""
    theirs, ours, count = Pinn(), Pinn(), [0]
    start = torch.nn.utils.parameters_to_vector(theirs.net.parameters()).detach().numpy()
    options = {"maxiter": 400, "gtol": 0}
    found = minimize(theirs.flat, start, jac=True, method="BFGS", options=options)

    def closure():
        count[0] += 1
        return ours.closure()

    optimizer = method(ours.net.parameters(), max_iter=5)
    while count[0] < 2 * found.nfev and not optimizer.reason:
        optimizer.step(closure)
    assert float(ours.closure().detach()) <= found.fun
    u = ours.net(ours.x)[:, 0]
    assert float((u - torch.sin(torch.pi * ours.x[:, 0])).detach().abs().max()) < 1e-3


def test_lm_reaches_the_minimum_of_scipy():
    x = torch.tensor(START, requires_grad=True)
    optimizer = LM([x], max_iter=50)
    assert float(optimizer.step(lambda: rosenbrock_residuals(x))) == pytest.approx(rosen(START) / 2)
    residuals = lambda t: rosenbrock_residuals(torch.from_numpy(t)).numpy()  # noqa: E731
    np.testing.assert_allclose(x.detach(), least_squares(residuals, START).x, atol=1e-7)
    pinn = Pinn()
    LM(pinn.net.parameters(), max_iter=150).step(pinn.residuals)
    assert float(pinn.closure().detach()) < 1e-5  # 56 at the start
    with pytest.raises(UserError, match=r"must return the vector of residuals.*got \(\)"):
        LM([x]).step(lambda: rosenbrock(x))


@pytest.mark.parametrize("method", [*QUASI_NEWTON, LM])
def test_a_state_dict_continues_exactly(method):
    """Through a file, in the middle of the way: the same parameters as without a break."""

    def steps(x, optimizer, number):
        of = (lambda: rosenbrock_residuals(x)) if method is LM else closure_of(x)
        for _ in range(number):
            optimizer.step(of)

    x = torch.tensor([-1.2, 1.0, -1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = method([x], max_iter=2)
    steps(x, optimizer, 3)
    y, buffer = x.detach().clone().requires_grad_(), io.BytesIO()
    torch.save(optimizer.state_dict(), buffer)
    buffer.seek(0)
    again = method([y], max_iter=1)
    again.load_state_dict(torch.load(buffer, weights_only=True))
    steps(x, optimizer, 3)
    steps(y, again, 3)
    assert torch.equal(x, y)
    fresh = y.detach().clone().requires_grad_()
    steps(fresh, method([fresh], max_iter=2), 2)
    steps(x, optimizer, 2)
    assert not torch.equal(x, fresh), "the state matters"


def test_what_it_refuses():
    x = torch.tensor(START, requires_grad=True)
    with pytest.raises(UserError, match="needs a closure"):
        SSBFGS([x]).step()
    with pytest.raises(UserError, match="one group"):
        SSBFGS([{"params": [x]}, {"params": [torch.zeros(1, requires_grad=True)]}])
    with pytest.raises(UserError, match="not finite at the start"):
        SSBFGS([x]).step(lambda: x.sum() * float("nan"))
    with pytest.raises(AttributeError, match="no attribute 'SSB'"):
        _ = optimizers.SSB
    assert isinstance(copy.deepcopy(SSBFGS([x])), torch.optim.Optimizer)
