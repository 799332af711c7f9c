"""Loss and gradient: the fast path, plain eager autograd and its matrix products alone.

One thread, float64, CPU seconds, medians of rounds taken in turn: ratios within one run.
"""

import subprocess
import sys
from math import gamma as Gamma

import numpy as np
import pytest
import torch

from nets import build
from nets.fast.kernel import FastObjective, predict

GROUP = "training step"


def data(rows):
    random = np.random.Generator(np.random.Philox(0))
    x, y = random.standard_normal((rows, 7)), random.standard_normal((rows, 3))
    return torch.from_numpy(x), torch.from_numpy(y)


def eager(net, x, y):
    """Loss and gradient as a user writes them: the paper's formulas and torch.autograd."""
    W = [w.detach().clone().requires_grad_() for w in net.W]
    b = [v.detach().clone().requires_grad_() for v in net.b]
    tau = net.tau.detach().clone().requires_grad_()
    eta, gamma, fractional = net.config.eta, net.config.gamma, net.config.net == "fractional"

    def sigma(z):
        parabola = z**2 / (4 * eta) + z / 2 + eta / 4
        return torch.where(z.abs() > eta, torch.relu(z), parabola)

    def A(l, j):
        long, short = tau[j : l + 1].sum(), tau[j + 1 : l + 1].sum()
        return tau[l] ** gamma / tau[j] * (long ** (1 - gamma) - short ** (1 - gamma))

    def call():
        states = [x]
        for l in range(len(b)):
            a = sigma(states[l] @ W[l].T + b[l])
            step = tau[l] ** gamma * Gamma(2 - gamma) if fractional else tau[l]
            state = step * a if l == 0 else states[l] + step * a
            if fractional:
                for j in range(l):
                    increment = states[j + 1] - states[j] if j else states[1]
                    state = state - A(l, j) * increment
            states.append(state)
        J = (states[-1] @ W[-1].T - y).square().sum() / (2 * len(x))
        return J, torch.autograd.grad(J, [*W, *b, tau])

    return call


def products(net, rows, chunk=1000):
    """The matrix products of forward and backward alone: z = W y, dW = g yᵀ, φ = Wᵀ g."""
    W = [w.detach() for w in net.W]
    y = [torch.full((width, chunk), 0.5, dtype=torch.float64) for width in net.widths]
    out, dW = [torch.empty_like(v) for v in y], [torch.empty_like(w) for w in W]

    def call():
        for _ in range(rows // chunk):
            for l, weight in enumerate(W):
                torch.mm(weight, y[l], out=out[l + 1])
                torch.mm(y[l + 1], y[l].T, out=dW[l])
                if l:
                    torch.mm(weight.T, y[l + 1], out=out[l])

    return call


CASES = {
    "resnet-2-50": 3,
    "resnet-6-50": 3,
    "fractional-2-50": 3,
    "fractional-6-50": 3,
    "fractional-50-50": 8,
}


@pytest.mark.parametrize("case", CASES)
def test_loss_and_gradient(measured, case):
    """Times faster than eager autograd, with the same gradient."""
    architecture, hidden, width = case.split("-")
    net = build(net=architecture, hidden=int(hidden), width=int(width))
    rows = 12_000 if net.config.hidden < 50 else 2_000
    x, y = data(rows)
    objective, theta, plain = FastObjective(net, x, y), net.pack(), eager(net, x, y)
    single = FastObjective(net, x, y, dtype="float32")
    turns = measured.in_turns(
        lambda: objective(theta),
        rounds=7 if net.config.hidden < 50 else 3,
        single=lambda: single(theta),
        eager=plain,
        products=products(net, rows),
    )
    steps = slice(-net.config.hidden, None)
    (_, expected), (_, gradient) = plain(), objective(theta)
    difference = np.abs(gradient[steps] - expected[-1].numpy()).max()
    scale = np.abs(gradient[steps]).max()
    measured.info.update(rows=rows, tau_gradient_error=difference / scale)
    measured.target("eager over ours", turns.ratio("eager", "ours"), at_least=CASES[case])
    measured.target("eager over ours in float32", turns.ratio("eager", "single"), at_least=3)
    measured.target("ours over its products", turns.ratio("ours", "products"), at_most=2.5)
    assert difference < 1e-9 * scale


@pytest.mark.parametrize("size", ["2-50"])
def test_norms_cost_little(measured, size):
    """Per-layer norms of the last gradient, with the evaluation they describe."""
    hidden, width = map(int, size.split("-"))
    net = build(hidden=hidden, width=width)
    x, y = data(12_000)
    objective, theta = FastObjective(net, x, y), net.pack()
    objective(theta)
    turns = measured.in_turns(objective.norms, 9, evaluation=lambda: objective(theta))
    measured.target("norms over an evaluation", turns.ratio("ours", "evaluation"), at_most=0.05)


@pytest.mark.parametrize("size", ["6-50"])
def test_prediction(measured, size):
    """Values alone: the fast path and the module without gradients."""
    hidden, width = map(int, size.split("-"))
    net = build(hidden=hidden, width=width)
    x, _ = data(50_000)

    def module():
        with torch.no_grad():
            return net(x)

    turns = measured.in_turns(lambda: predict(net, x), 5, module=module)
    measured.target("module over ours", turns.ratio("module", "ours"), at_least=1)
    assert torch.allclose(predict(net, x), module(), rtol=1e-12, atol=1e-12)


# VmHWM and not ru_maxrss, which a child inherits from its parent's peak.
DEEP = """
import re, numpy as np, torch
from nets import build
from nets.fast.kernel import FastObjective
torch.set_num_threads(1)
random = np.random.Generator(np.random.Philox(0))
net = build(net="fractional", hidden=50, width=50)
FastObjective(net, random.random((12_000, 7)), random.random((12_000, 3)))(net.pack())
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("size", ["50-50"])
def test_memory_of_a_deep_fractional_net(benchmark, size):
    """50-50 on 12 000 rows: the whole process, torch and numba included, stays under 2 GB."""
    run = [sys.executable, "-c", DEEP]
    done = benchmark.pedantic(
        subprocess.run,
        args=(run,),
        kwargs={"capture_output": True, "text": True, "check": True},
        rounds=1,
    )
    peak = 1024 * int(done.stdout)
    benchmark.extra_info.update(peak_bytes=peak)
    assert peak < 2e9
