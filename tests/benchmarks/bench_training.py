"""What a training step costs and how soon an accuracy is reached, compared with plain torch."""

from __future__ import annotations

import time

import pytest
import torch

from bench.methods.configurations import TrainingConfig
from bench.methods.training import rel_test_error, starting_net, training_data
from nets import train
from nets.fast.kernel import FastObjective

GROUP = "training step"

SIZES = {"2-50": 2, "6-50": 6}


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
def test_step(measured, size, optimizer):
    """Five steps of each optimiser on 12 000 rows, history included; ratio to torch's Adam."""
    config = TrainingConfig(hidden=SIZES[size], width=50)
    data, net = training_data(config), starting_net(config)
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y)
    adam = torch.optim.Adam(net.parameters())

    def five_steps():
        return train(starting_net(config), data.x, data.y, optimizer=optimizer, steps=5)

    turns = measured.in_turns(five_steps, 3, torch_adam=lambda: plain_torch_step(net, x, y, adam))
    training = measured.result
    measured.info.update(
        seconds_per_step=training.seconds / training.steps,
        evaluations_per_step=training.evaluations / training.steps,
        torch_over_ours_per_evaluation=turns.ratio("torch_adam", "ours").value
        * training.evaluations,
    )


@pytest.mark.parametrize("size", ["5-10"])
def test_history_overhead(measured, size):
    """A row of the history costs less than 5 % of the cheapest evaluation it describes."""
    from nets.loss import Loss
    from nets.training.history import History

    hidden, width = map(int, size.split("-"))
    config = TrainingConfig(hidden=hidden, width=width, bias_ordering=True)
    data, net, loss = training_data(config), starting_net(config), Loss(beta=10.0)
    objective, theta = FastObjective(net, data.x, data.y, loss), net.pack()
    J, gradient = objective(theta)
    history = History(net, loss)

    def ten_rows():
        for _ in range(10):
            history.record(1, 1.0, 1.0, theta, J, gradient)

    turns = measured.in_turns(
        ten_rows, 15, ten_evaluations=lambda: [objective(theta) for _ in range(10)]
    )
    measured.target(
        "a row over an evaluation", turns.ratio("ours", "ten_evaluations"), at_most=0.05
    )


@pytest.mark.parametrize("target", [1e-2, 1e-3])
def test_time_to_accuracy(benchmark, target):
    """Self-scaled BFGS on a 2-50 ResNet + tau until the relative test error is reached, and what
    torch's Adam has reached after the same time."""
    benchmark.group = "time to accuracy"
    config = TrainingConfig(hidden=2, width=50)
    data = training_data(config)
    probes = {"rel_test_error": lambda net: rel_test_error(net, data)}

    def reach():
        return train(
            starting_net(config), data.x, data.y, optimizer="ssbfgs", seconds=30, target=target,
            probes=probes,
        )  # fmt: skip

    training = benchmark.pedantic(reach, rounds=1)
    assert training.reason == "target"
    net, x, y = starting_net(config), torch.from_numpy(data.x), torch.from_numpy(data.y)
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
