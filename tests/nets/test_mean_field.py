"""Mean field against closed forms and against wide random nets."""

import math

import numpy as np
import pytest
import torch
from net_strategies import inputs_and_targets
from scipy.integrate import quad

from nets.activations import activation
from nets.gradients.norms import layer_norms
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


def test_edges_in_closed_form():
    assert mean_field.edge_of_chaos(activation("relu", 1.0)) == pytest.approx(2.0, rel=1e-6)
    for name in ("tanh", "sine"):
        assert mean_field.edge_of_chaos(activation(name, 1.0)) == pytest.approx(1.0, rel=1e-6)
    with_biases = mean_field.edge_of_chaos(activation("tanh", 1.0), v=0.05)
    assert 1.5 < with_biases < 2.0
    q = mean_field.fixed_variance(activation("tanh", 1.0), with_biases, 0.05)
    assert mean_field.gain(activation("tanh", 1.0), with_biases, q) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("name", "w", "v"), [("tanh", 2.5, 0.05), ("gelu", 1.5, 0.1)])
def test_fixed_variance_is_where_the_map_ends(name, w, v):
    sigma, q = activation(name, 1.0), 1.0
    for _ in range(300):
        q = mean_field.next_variance(sigma, w, v, q)
    assert mean_field.fixed_variance(sigma, w, v) == pytest.approx(q, rel=1e-10)
    assert mean_field.fixed_variance(activation("relu", 1.0), 2.1, v) == math.inf
    assert mean_field.fixed_variance(sigma, 0.5, 0.0) == 0.0


@pytest.mark.parametrize("w", [0.3, 2.0, 5.0])
def test_correlations_of_bare_rectifiers_have_no_length(w):
    """The arc-cosine kernel has slope one at c = 1 for every w: correlations end algebraically."""
    assert mean_field.correlation_length(activation("relu", 1.0), w, 0.0) == math.inf


def test_rectifiers_correlate_by_the_arc_cosine_kernel():
    """E[σ(u₁)σ(u₂)] = q/2π (√(1-c²) + c (π - arccos c)), Cho & Saul 2009."""
    for c in (-0.5, 0.0, 0.7, 0.95):
        exact = (math.sqrt(1 - c * c) + c * (math.pi - math.acos(c))) / math.pi
        found = mean_field.correlation_map(activation("relu", 1.0), 2.0, 0.0, 1.3, c)
        assert found == pytest.approx(exact, abs=2e-4)


@pytest.mark.parametrize(("w", "v"), [(0.8, 0.05), (2.5, 0.05)])
def test_correlation_length_is_the_rate_of_the_map(w, v):
    """Iterated naively from two starts, the map's distance to its limit shrinks by exp(-1/ξ)."""
    sigma = activation("tanh", 1.0)
    xi = mean_field.correlation_length(sigma, w, v)
    q = mean_field.fixed_variance(sigma, w, v)
    c = [0.05]
    for _ in range(300):
        c.append(mean_field.correlation_map(sigma, w, v, q, c[-1]))
    gaps = np.abs(np.array(c[:150]) - c[-1])
    chosen = np.flatnonzero((gaps > 1e-9) & (gaps < 1e-3))
    rate = np.polyfit(chosen, np.log(gaps[chosen]), 1)[0]
    assert -1 / rate == pytest.approx(xi, rel=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_growth_before_any_weight_is_drawn(name):
    """Twelve layers of width 400: within 0.1 decades or 10 % of what a random net has."""
    x, y = inputs_and_targets(20)
    for scale in (0.7, 1.3):
        net = build(
            net="feedforward", activation=name, init="he", scale=scale, hidden=12, width=400,
            tau="fixed", seed=3,
        )  # fmt: skip
        norms = layer_norms(net, x, y).log10()["y"]
        w, q = 2 * scale**2, 2 * scale**2 * float(x.square().mean())
        predicted = mean_field.log10_growth(activation(name, 1e-4), w, 0.0, q, 12)
        measured = norms[1] - norms[-2]
        assert predicted == pytest.approx(measured, rel=0.1, abs=0.15)


@pytest.mark.parametrize("init", ["orthogonal", "normal"])
def test_variance_of_squared_singular_values(init):
    torch.manual_seed(0)
    n, depth, q = 300, 6, 0.25
    sigma, product = activation("tanh", 1.0), torch.eye(n, dtype=torch.float64)
    for seed in range(depth):
        W = build(init="orthogonal", hidden=1, width=n, inputs=n, seed=seed).W[0].detach()
        if init == "normal":
            W = torch.randn(n, n, dtype=torch.float64) / math.sqrt(n)
        slope = sigma.slope(math.sqrt(q) * torch.randn(n, dtype=torch.float64))
        product = slope[:, None] * W @ product
    squares = torch.linalg.svdvals(product).square()
    found = float(squares.var() / squares.mean() ** 2)
    predicted = mean_field.jacobian_variance(sigma, q, depth, orthogonal=init == "orthogonal")
    assert found == pytest.approx(predicted, rel=0.2)


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
        norms = layer_norms(it, x, y).log10()["y"]
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
    norms = layer_norms(it, x, y).log10()["y"]
    at = trajectory(it, x)
    predicted = mean_field_growth(at, alignment(at, y))[0]
    assert predicted == pytest.approx(norms[1] - norms[-2], abs=0.5)
