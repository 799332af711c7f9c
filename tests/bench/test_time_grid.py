"""The learned τ as a time grid: local errors against closed forms, grids moved between depths."""

from __future__ import annotations

from math import gamma as Gamma

import numpy as np
import torch

from bench.cells.time_grid import Config, run
from bench.methods.open_questions import time_grids
from nets.module import build


def linear_net(net: str, tau: float, slope: float):
    """y' = slope · y (or its fractional relative) on one positive state: ReLU is linear there."""
    made = build(
        net=net, tau="fixed", tau0=tau, hidden=4, width=1, inputs=1, outputs=1,
        activation="relu", gamma=0.5,
    )  # fmt: skip
    with torch.no_grad():
        for weight, bias in zip(made.W, made.b, strict=False):
            weight.fill_(slope)
            bias.zero_()
        made.W[0].fill_(1.0 / float(made.architecture.coefficients(made.tau, 0.5)[1][0]))
    return made


def test_the_local_error_of_euler_is_that_of_compound_interest():
    h, slope = 0.2, 0.7
    found = time_grids.local_errors(
        linear_net("resnet", h, slope), torch.ones(1, 1, dtype=torch.float64)
    )
    m = time_grids.PARTS
    once, often = 1 + h * slope, (1 + h * slope / m) ** m
    expected = [(often - once) * once**k for k in range(3)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_fractional_step_is_divided_by_the_scheme_itself():
    """A naive second implementation of the L1 scheme on the divided grid."""
    h, slope, order = 0.3, 0.5, 0.5
    net = linear_net("fractional", h, slope)
    found = time_grids.local_errors(net, torch.ones(1, 1, dtype=torch.float64))

    def step(times, states):
        """The L1 scheme: D^γ y(t_k) = Σ (y_{j+1} − y_j)/(t_{j+1} − t_j) ∫ (t_k − s)^{−γ} ds."""
        t, new = times[-1], len(times) - 1
        memory = 0.0
        for j in range(new - 1):
            rate = (states[j + 1] - states[j]) / (times[j + 1] - times[j])
            memory += rate * ((t - times[j]) ** (1 - order) - (t - times[j + 1]) ** (1 - order))
        last = times[-1] - times[-2]
        right = Gamma(2 - order) * slope * states[-1] - memory
        return states[-1] + last**order * right

    times, states = [0.0, h], [0.0, 1.0]  # the input is not carried on: its projection is 0
    expected = []
    for _ in range(3):
        ends = {}
        for parts in (1, time_grids.PARTS):
            t, y = list(times), list(states)
            for _ in range(parts):
                t.append(t[-1] + h / parts)
                y.append(step(t, y))
            ends[parts] = y[-1]
        expected.append(abs(ends[1] - ends[time_grids.PARTS]))
        times.append(times[-1] + h)
        states.append(step(times, states))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_moved_grids_keep_the_time():
    tau = np.array([0.5, 0.1, 0.2, 0.4])
    same = time_grids.moved(tau, 4, "transferred")
    np.testing.assert_allclose(same, tau)
    np.testing.assert_allclose(time_grids.moved(tau, 4, "reversed"), [0.5, 0.4, 0.2, 0.1])
    finer = time_grids.moved(tau, 7, "transferred")
    np.testing.assert_allclose(finer, [0.5, 0.05, 0.05, 0.1, 0.1, 0.2, 0.2])
    np.testing.assert_allclose(time_grids.moved(tau, 8, "uniform"), [0.5, *[0.1] * 7])


def test_a_cell_examines_and_transfers():
    values = run(
        Config(hidden=5, deeper=7, width=6, samples=40, evaluations=30, seeds=(1000, 1001))
    ).values
    assert len(values["runs"]) == 2
    for one in values["runs"]:
        assert -1 <= one["correlation"] <= 1
        assert len(one["local_errors"]) == 4
        assert all(one[grid] > 0 for grid in time_grids.GRIDS)
