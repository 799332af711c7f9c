"""Trainings that are watched: the norms are those of the gradient at each recorded step."""

import numpy as np
import pytest
import torch

from nets.gradients.norms import log10_norms
from nets.gradients.watched import train_with_norms
from nets.module import build


def data():
    random = np.random.Generator(np.random.Philox(0))
    return (torch.from_numpy(random.normal(size=(20, n))) for n in (7, 3))


@pytest.mark.parametrize("optimizer", ["adam", "steepest"])
@pytest.mark.parametrize("net", ["resnet", "fractional"])
def test_first_and_last_rows_are_the_norms_there(net, optimizer):
    model = build(net=net, tau="learned", tau0="1/H", hidden=4, width=5, seed=1)
    x, y = data()
    start = log10_norms(model, x, y)
    history = train_with_norms(model, x, y, optimizer=optimizer, evaluations=15, every=4)
    end = log10_norms(model, x, y)
    for row, norms in ((0, start), (-1, end)):
        np.testing.assert_allclose(history["log10_W"][row], norms["W"], atol=1e-8)
        np.testing.assert_allclose(history["log10_b"][row], norms["b"], atol=1e-8)
        np.testing.assert_allclose(history["log10_y"][row], norms["y"][1:-1], atol=1e-8)
        np.testing.assert_allclose(history["log10_tau"][row], norms["tau"], atol=1e-6)
    np.testing.assert_allclose(history["tau"][-1], model.tau.detach())
    assert history["J"][-1] < history["J"][0]
    assert history["step"][0] == 0


def test_arms_start_alike():
    """Paired: fixed and learned τ share weights, data, and the first row."""
    rows = []
    for tau in ("fixed", "learned"):
        x, y = data()
        model = build(net="resnet", tau=tau, tau0="1/H", hidden=4, width=5, seed=1)
        rows.append(train_with_norms(model, x, y, evaluations=3))
    for name in ("J", "log10_W", "log10_y", "tau"):
        np.testing.assert_array_equal(rows[0][name][0], rows[1][name][0])


def test_divergence_is_a_row_and_not_a_crash():
    model = build(net="densenet", tau="fixed", hidden=30, width=5, init="he", scale=2.0)
    x, y = data()
    history = train_with_norms(
        model, x, y, optimizer="adam", evaluations=60, options={"rate": 1e30}
    )
    assert np.isinf(history["J"][-1])
    assert np.isfinite(history["J"][:-1]).all()
