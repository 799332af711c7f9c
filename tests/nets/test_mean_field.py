"""Mean field against closed forms and against wide random nets."""

import math

import numpy as np
import pytest
import torch
from net_strategies import inputs_and_targets
from scipy.integrate import quad

from nets.activations import activation
from nets.gradients.norms import log10_norms
from nets.gradients.passes import trajectory
from nets.module import build
from nets.theory import mean_field
from nets.theory.predicted import alignment, mean_field_growth

NAMES = ("relu", "smoothrelu", "tanh", "gelu", "sine")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("q", [0.3, 4.0])
def test_averages_are_gaussian_integrals(name, q):
    sigma = activation(name, 1e-4)

    def integrand(z, function):
        value = function(torch.tensor(math.sqrt(q) * z, dtype=torch.float64))
        return float(value) ** 2 * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    for function in (sigma.value, sigma.slope):
        exact = quad(integrand, -9, 9, args=(function,), points=[0.0], limit=400)[0]
        found = mean_field.average(lambda z, f=function: f(z) ** 2, q)
        assert found == pytest.approx(exact, rel=1e-4 if name == "smoothrelu" else 1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_growth_before_any_weight_is_drawn(name):
    """Twelve layers of width 400: within 0.1 decades or 10 % of what a random net has."""
    x, y = inputs_and_targets(20)
    for scale in (0.7, 1.3):
        net = build(
            net="feedforward", activation=name, init="he", scale=scale, hidden=12, width=400,
            tau="fixed", seed=3,
        )  # fmt: skip
        norms = log10_norms(net, x, y)["y"]
        w, q = 2 * scale**2, 2 * scale**2 * float(x.square().mean())
        predicted = mean_field.log10_growth(activation(name, 1e-4), w, 0.0, q, 12)
        measured = norms[1] - norms[-2]
        assert predicted == pytest.approx(measured, rel=0.1, abs=0.15)


@pytest.mark.parametrize("net", ["feedforward", "resnet", "densenet", "fractional"])
@pytest.mark.parametrize("name", ["relu", "tanh", "gelu"])
def test_second_moments_predict_every_architecture(net, name):
    """Ten layers of width 300: within a quarter of a decade or 5 % of what a random net has."""
    x, y = inputs_and_targets(10)
    scales, measured, predicted = (0.5, 1.0, 2.0, 4.0), [], []
    for scale in scales:
        it = build(
            net=net, activation=name, init="he", scale=scale, hidden=10, width=300, tau="fixed",
            seed=1,
        )  # fmt: skip
        norms = log10_norms(it, x, y)["y"]
        measured.append(norms[1] - norms[-2])
        at = trajectory(it, x)
        predicted.append(mean_field_growth(at, alignment(at, y))[0])
    difference = np.abs(np.subtract(measured, predicted))
    assert (difference < np.maximum(0.25, 0.05 * np.abs(measured))).all(), (measured, predicted)


@pytest.mark.parametrize("net", ["feedforward", "resnet"])
def test_biases_are_no_part_of_what_follows_the_state(net):
    """torch's start, twenty layers of width 200: D ŷ is σ'(z) W ŷ, not σ'(z) z; half a decade."""
    x, y = inputs_and_targets(10)
    it = build(net=net, activation="tanh", init="torch", hidden=20, width=200, tau="fixed")
    norms = log10_norms(it, x, y)["y"]
    at = trajectory(it, x)
    predicted = mean_field_growth(at, alignment(at, y))[0]
    assert predicted == pytest.approx(norms[1] - norms[-2], abs=0.5)
