"""What a training step costs and how soon an accuracy is reached, beside plain torch."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
import torch

from bench.training import TrainConfig, rel_test_error
from nets import train
from nets.fast.kernel import FastObjective
from nets.optimizers._inverse_hessian import InverseHessian

SIZES = {"2-50": 2, "6-50": 6}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def median_seconds(run: Callable[[], object], rounds: int = 5) -> float:
    run()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def plain_torch_step(net, x, y, optimizer) -> None:
    """The loop that everyone writes: forward, mean square, backward, step."""
    optimizer.zero_grad()
    loss = (net(x) - y).square().sum() / (2 * len(y))
    loss.backward()
    optimizer.step()


@pytest.mark.parametrize(
    ("size", "optimizer"),
    [("2-50", name) for name in ("adam", "steepest", "lbfgs", "ssbfgs", "lssbfgs")]
    + [("6-50", name) for name in ("adam", "steepest", "lbfgs", "lssbfgs")],
)
def test_step(benchmark, size, optimizer):
    """Five steps of each optimiser on 12 000 rows, history included; ratio to torch's Adam."""
    benchmark.group = "training step"
    config = TrainConfig(hidden=SIZES[size], width=50)
    data, net = config.data(), config.build()
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y)
    adam = torch.optim.Adam(net.parameters())
    torch_seconds = median_seconds(lambda: plain_torch_step(net, x, y, adam), rounds=3)

    def five_steps():
        return train(config.build(), data.x, data.y, optimizer=optimizer, steps=5)

    five_steps()
    training = benchmark.pedantic(five_steps, rounds=2)
    per_evaluation = training.seconds / training.evaluations
    benchmark.extra_info.update(
        seconds_per_step=training.seconds / training.steps,
        seconds_per_evaluation=per_evaluation,
        torch_adam_seconds_per_step=torch_seconds,
        torch_over_femnets_per_evaluation=torch_seconds / per_evaluation,
    )


def test_history_overhead(benchmark):
    """A row of the history costs less than 5 % of the cheapest evaluation it describes."""
    from nets.loss import Loss
    from nets.training.history import History

    benchmark.group = "training step"
    config = TrainConfig(hidden=5, width=10, bias_ordering=True)
    data, net, loss = config.data(), config.build(), Loss(beta=10.0)
    objective, theta = FastObjective(net, data.x, data.y, loss), net.pack()
    J, gradient = objective(theta)
    evaluation = median_seconds(lambda: objective(theta))
    history = History(net, loss)
    benchmark(lambda: history.record(1, 1.0, 1.0, theta, J, gradient))
    share = benchmark.stats.stats.median / evaluation
    benchmark.extra_info.update(share_of_an_evaluation=share)
    assert share < 0.05


def test_dense_update(benchmark):
    """One pass over half of H at 2-50 (P = 3102), against BLAS's symv and syr2."""
    from scipy.linalg.blas import dsymv, dsyr2

    benchmark.group = "training step"
    random, size = np.random.default_rng(0), 3102
    s, g = random.standard_normal(size), random.standard_normal(size)
    H = InverseHessian(size)
    for _ in range(2):
        H.update(s, s, 1.0, -g, g)
    square = np.asfortranarray(np.eye(size))

    def blas():
        dsymv(1.0, square, g, lower=1)
        dsyr2(1e-9, s, g, lower=1, a=square, overwrite_a=1)

    blas_seconds = median_seconds(blas)
    benchmark.pedantic(lambda: H.update(s, s, 1.0, -g, g), rounds=10)
    ratio = blas_seconds / benchmark.stats.stats.median
    benchmark.extra_info.update(blas_seconds=blas_seconds, blas_over_femnets=ratio)


@pytest.mark.parametrize("target", [1e-2, 1e-3])
def test_time_to_accuracy(benchmark, target):
    """Self-scaled BFGS on a 2-50 ResNet + tau until the relative test error is reached, and what
    torch's Adam has reached after the same time."""
    benchmark.group = "time to accuracy"
    config = TrainConfig(hidden=2, width=50)
    data = config.data()
    probes = {"rel_test_error": lambda net: rel_test_error(net, data)}

    def reach():
        return train(
            config.build(), data.x, data.y, optimizer="ssbfgs", seconds=30, target=target,
            probes=probes,
        )  # fmt: skip

    training = benchmark.pedantic(reach, rounds=1)
    assert training.reason == "target"
    net, x, y = config.build(), torch.from_numpy(data.x), torch.from_numpy(data.y)
    adam = torch.optim.Adam(net.parameters(), lr=1e-2)
    start = time.perf_counter()
    while time.perf_counter() - start < training.seconds:
        plain_torch_step(net, x, y, adam)
    benchmark.extra_info.update(
        seconds=training.seconds,
        evaluations=training.evaluations,
        rel_test_error=rel_test_error(training.net, data),
        rel_test_error_of_torch_adam_after_the_same_time=rel_test_error(net, data),
    )
