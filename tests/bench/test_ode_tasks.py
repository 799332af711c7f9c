"""Tasks of Dupont et al.: what a homeomorphism cannot do, and what nets with long steps can."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from base.errors import UserError
from bench.cells.ode_task import Config, run
from bench.methods.open_questions import ode_tasks
from nets.module import build


def net_with_small_steps(seed: int, size: int, scale: float = 3.0):
    """A ResNet with random weights, shortened until every layer can be inverted."""
    net = build(
        net="resnet", tau="fixed", tau0="uniform", hidden=8, width=size, inputs=size, outputs=1,
        activation="tanh", carry_input=True, scale=scale, seed=seed,
    )  # fmt: skip
    ode_tasks.shorten_steps(net)
    return net


@pytest.mark.parametrize("seed", range(20))
def test_small_steps_keep_the_order_on_the_line(seed):
    net = net_with_small_steps(seed, 1)
    ode_tasks.prepare(net, "crossing")
    line = torch.linspace(-2, 2, 101, dtype=torch.float64)[:, None]
    with torch.no_grad():
        answers = ode_tasks.score(net, line)
    assert bool((answers.diff() > 0).all())
    data = ode_tasks.points("crossing", 40, seed)
    assert ode_tasks.accuracy(net, data) <= 0.5
    with torch.no_grad():
        loss = float(ode_tasks.cross_entropy(ode_tasks.score(net, data.x), data.label))
    assert loss >= math.log(2)


@pytest.mark.parametrize("seed", range(20))
def test_small_steps_cannot_separate_a_disc_from_the_ring_around_it(seed):
    net = net_with_small_steps(seed, 2)
    angle = torch.linspace(0, 2 * math.pi, 2001, dtype=torch.float64)
    ring = torch.stack([angle.cos(), angle.sin()], dim=1)
    with torch.no_grad():
        around = ode_tasks.score(net, ring)
        centre = float(ode_tasks.score(net, torch.zeros(1, 2, dtype=torch.float64))[0])
    assert float(around.min()) < centre < float(around.max())


def test_long_steps_do_cross():
    """One step of length 4 with the weight −1 sends −1 to 1 − …: the order is lost."""
    net = build(
        net="resnet", tau="fixed", tau0=4.0, hidden=1, width=1, inputs=1, outputs=1,
        activation="tanh", carry_input=True,
    )  # fmt: skip
    with torch.no_grad():
        net.W[0].fill_(-1.0)
        net.b[0].zero_()
    ode_tasks.prepare(net, "crossing")
    assert ode_tasks.accuracy(net, ode_tasks.points("crossing", 40, 0)) == 1.0


def test_cross_entropy_is_that_of_torch():
    data = ode_tasks.points("annuli", 30, 3)
    scores = torch.linspace(-3, 3, 30, dtype=torch.float64)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(scores, (data.label + 1) / 2)
    assert float(ode_tasks.cross_entropy(scores, data.label)) == pytest.approx(float(expected))


def test_points_lie_where_they_should():
    x, label = ode_tasks.points("annuli", 500, 1, extra=2)
    radius = x[:, :2].norm(dim=1)
    assert x.shape == (500, 4)
    assert bool((x[:, 2:] == 0).all())
    assert float(label.sum()) == 0
    assert float(radius[label < 0].max()) <= 0.5
    assert 1.0 <= float(radius[label > 0].min()) <= float(radius.max()) <= 1.5
    # uniform in area: half of the disc lies within its radius over √2
    inside = (radius[label < 0] < 0.5 / math.sqrt(2)).double().mean()
    assert float(inside) == pytest.approx(0.5, abs=0.1)
    with pytest.raises(UserError, match="crossing"):
        ode_tasks.points("crosing", 2, 0)


def test_an_arm_is_tuned_then_judged_and_repeats():
    config = Config(
        task="crossing", net="resnet", tau="learned", hidden=3, steps=60, count=20,
        rates=(1e-6, 0.1), tau0s=("1",), seeds=(1000, 1001),
    )  # fmt: skip
    first, again = run(config), run(config)
    assert first.values == again.values
    assert first.values["chosen"]["rate"] == 0.1
    assert [one["seed"] for one in first.values["runs"]] == [1000, 1001]
    assert first.arrays["trajectories"].shape == (4, 20, 1)


def test_a_trained_net_with_small_steps_has_small_steps():
    values = run(
        Config(task="crossing", tau="learned", small_steps=True, hidden=3, steps=40, rates=(0.1,))
    ).values
    assert values["accuracy"] <= 0.5
    assert values["cross_entropy"] >= math.log(2) - 1e-12
    assert np.isfinite(values["runs"][0]["tau"]).all()
