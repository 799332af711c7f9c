"""Measured correlation lengths: against curves of known decay and against mean field."""

import numpy as np
import pytest

from nets.activations import activation
from nets.theory import mean_field
from nets.theory.correlations import correlations, decay_length


def test_length_of_an_exponential():
    layers = np.arange(101)
    to_one = 1.0 - 0.9 * np.exp(-layers / 4.0)
    assert decay_length(to_one[None]) == pytest.approx(4.0, rel=1e-6)
    to_half = 0.5 + 0.4 * np.exp(-layers / 4.0)
    assert decay_length(to_half[None]) == pytest.approx(4.0, rel=1e-3)


def test_length_of_noise_that_comes_back():
    """c[l+1] - c* = λ (c[l] - c*) + noise: what finite width does. Ten nets, λ = e^{-1/5}."""
    random, rate = np.random.default_rng(0), np.exp(-1 / 5.0)
    gaps = [np.full(10, 0.4)]
    for _ in range(400):
        gaps.append(rate * gaps[-1] + 0.01 * random.standard_normal(10))
    assert decay_length(0.3 + np.stack(gaps, axis=1)) == pytest.approx(5.0, rel=0.1)


def test_two_layers_have_no_length():
    assert decay_length(np.array([[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]])) is None


@pytest.mark.parametrize("name", ["tanh", "gelu"])
def test_wide_nets_have_the_length_that_mean_field_predicts(name):
    """Ordered phase, width 300, two nets: within 8 %."""
    sigma, v = activation(name, 1.0), 0.05
    w = 0.6 * mean_field.edge_of_chaos(sigma, v)
    start = [(mean_field.fixed_variance(sigma, w, v), 0.0)]
    sizes = {"width": 300, "depth": 40, "inputs": 12}
    c = [correlations(sigma, [w], v, start, **sizes, seed=seed)[0] for seed in (0, 1)]
    predicted = mean_field.correlation_length(sigma, w, v)
    assert decay_length(np.stack(c)) == pytest.approx(predicted, rel=0.08)


def test_cosines_are_of_all_pairs():
    start = [(2.0, 0.36)]
    c = correlations(
        activation("tanh", 1.0), [1.0], 0.1, start, width=20_000, depth=0, inputs=3, seed=0
    )
    assert c[0, 0] == pytest.approx(0.36, abs=0.01)
