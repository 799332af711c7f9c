"""Loss and gradient: the fast path beside plain eager autograd and beside its matrix products.

One thread, float64, CPU seconds, best of several rounds taken in turn: ratios within one run.
"""

import subprocess
import sys
from collections.abc import Callable
from math import gamma as Gamma
from time import process_time

import numpy as np
import pytest
import torch

from nets import build
from nets.fast.kernel import FastObjective, predict, predicted_bytes


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def data(rows):
    random = np.random.Generator(np.random.Philox(0))
    x, y = random.standard_normal((rows, 7)), random.standard_normal((rows, 3))
    return torch.from_numpy(x), torch.from_numpy(y)


def best_seconds(rounds: int, **calls: Callable[[], object]) -> dict[str, float]:
    """The least CPU seconds of each call, after one to warm up.

    The calls take turns; those under 0.3 s are called three times in each, because a neighbour
    on the machine spoils a short call whole and a long one in part.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(3):
                start = process_time()
                call()
                seconds[name].append(process_time() - start)
                if seconds[name][-1] > 0.3:
                    break
    return {name: min(values) for name, values in seconds.items()}


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


@pytest.mark.parametrize(
    ("architecture", "hidden", "rows", "at_least"),
    [
        ("resnet", 2, 12_000, 3),
        ("resnet", 6, 12_000, 3),
        ("fractional", 2, 12_000, 3),
        ("fractional", 6, 12_000, 3),
        ("fractional", 50, 2_000, 8),
    ],
)
def test_loss_and_gradient(benchmark, architecture, hidden, rows, at_least):
    """Times faster than eager autograd, with the same gradient."""
    benchmark.group = "training step"
    net = build(net=architecture, hidden=hidden, width=50)
    x, y = data(rows)
    objective, theta, plain = FastObjective(net, x, y), net.pack(), eager(net, x, y)
    single = FastObjective(net, x, y, dtype="float32")
    seconds = best_seconds(
        4,
        fast=lambda: objective(theta),
        single=lambda: single(theta),
        eager=plain,
        products=products(net, rows),
    )
    benchmark.pedantic(objective, args=(theta,), rounds=3)
    _, expected = plain()
    _, gradient = objective(theta)
    difference = np.abs(gradient[-hidden:] - expected[-1].numpy()).max()
    ratio = seconds["eager"] / seconds["fast"]
    benchmark.extra_info.update(
        times_faster_than_eager=ratio,
        times_faster_than_eager_float32=seconds["eager"] / seconds["single"],
        over_matrix_products=seconds["fast"] / seconds["products"],
        milliseconds={name: 1e3 * value for name, value in seconds.items()},
        tau_gradient_error=difference / np.abs(gradient[-hidden:]).max(),
    )
    assert difference < 1e-9 * np.abs(gradient[-hidden:]).max()
    assert ratio >= at_least
    if (architecture, hidden) == ("resnet", 6):
        assert seconds["fast"] <= 2.5 * seconds["products"]


def test_norms_cost_little(benchmark):
    """Per-layer norms of the last gradient, beside the evaluation they describe."""
    benchmark.group = "training step"
    net = build(hidden=2, width=50)
    x, y = data(12_000)
    objective, theta = FastObjective(net, x, y), net.pack()
    seconds = best_seconds(8, evaluation=lambda: objective(theta), norms=objective.norms)
    benchmark.pedantic(objective.norms, rounds=5)
    overhead = seconds["norms"] / seconds["evaluation"]
    benchmark.extra_info.update(overhead=overhead)
    assert overhead < 0.05


def test_prediction(benchmark):
    """Values alone: the fast path beside the module without gradients."""
    benchmark.group = "training step"
    net = build(hidden=6, width=50)
    x, _ = data(50_000)

    def module():
        with torch.no_grad():
            return net(x)

    seconds = best_seconds(4, fast=lambda: predict(net, x), module=module)
    benchmark.pedantic(predict, args=(net, x), rounds=2)
    benchmark.extra_info.update(times_faster_than_module=seconds["module"] / seconds["fast"])
    assert seconds["fast"] < seconds["module"]


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
def test_memory_of_a_deep_fractional_net(benchmark):
    """50-50 on 12 000 rows: the whole process, torch and numba included, stays under 2 GB."""
    benchmark.group = "training step"
    run = [sys.executable, "-c", DEEP]
    done = benchmark.pedantic(
        subprocess.run,
        args=(run,),
        kwargs={"capture_output": True, "text": True, "check": True},
        rounds=1,
    )
    peak = 1024 * int(done.stdout)
    predicted = predicted_bytes(build(net="fractional", hidden=50, width=50), 12_000)
    benchmark.extra_info.update(peak_bytes=peak, predicted_bytes=predicted)
    assert peak < 2e9
