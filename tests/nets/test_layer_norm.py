"""LayerNorm between layers and passes in float32, against autograd and against mean field."""

import numpy as np
import pytest
import torch
from net_strategies import inputs_and_targets
from torch.nn.functional import layer_norm

from nets.activations import activation
from nets.gradients.extended import Scaled
from nets.gradients.norms import layer_norms
from nets.gradients.passes import adjoint, gradients, state_adjoints, tangent, trajectory
from nets.module import build, project, skip_terms
from nets.theory import mean_field
from nets.theory.predicted import alignment, mean_field_growth

NETS = ("feedforward", "resnet", "densenet", "fractional")


def states_by_torch(net, x, W, b):
    """The recursion once more, with torch's own layer_norm."""
    C, s = net.architecture.coefficients(net.tau.double(), net.config.gamma)
    terms, y = skip_terms(net, C), [x]
    for l in range(1, len(W)):
        z = y[-1] @ W[l - 1].T + b[l - 1]
        state = s[l - 1] * net.sigma.value(layer_norm(z, z.shape[1:], eps=0.0))
        for k in terms[l]:
            state = state + C[l, k] * project(y[k], to=net.widths[l])
        y.append(state)
    return [*y, y[-1] @ W[-1].T]


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("name", ["tanh", "gelu"])
def test_normalised_passes_are_autograd(kind, name):
    net = build(net=kind, activation=name, hidden=5, width=6, tau="fixed", scale=3.0, seed=2)
    x, target = inputs_and_targets(4)
    W = [w.detach().clone().requires_grad_() for w in net.W]
    b = [v.detach().clone().requires_grad_() for v in net.b]
    y = states_by_torch(net, x, W, b)
    loss = (y[-1] - target).square().sum() / (2 * len(x))
    by_torch = torch.autograd.grad(loss, [*W, *b, *y[1:-1]], retain_graph=True)
    at = trajectory(net, x, layer_norm=True)
    found = gradients(at, target)
    ours = [*found.W, *found.b, *found.phi[1:-1]]
    for mine, theirs in zip(ours, by_torch, strict=True):
        torch.testing.assert_close(mine.plain(), theirs, rtol=1e-9, atol=1e-12)
    v = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    pulled = adjoint(at, Scaled(v), 5)[0][2].plain()
    pushed = tangent(at, Scaled(pulled), 2, 5).plain()
    (theirs,) = torch.autograd.grad(y[5], y[2], v)
    torch.testing.assert_close(pulled, theirs, rtol=1e-9, atol=1e-12)
    assert float((pushed * v).sum()) == pytest.approx(float(pulled.square().sum()), rel=1e-10)


@pytest.mark.parametrize("kind", NETS)
def test_normalised_nets_do_not_feel_the_scale_of_their_weights(kind):
    """LN(s W y) = LN(W y): by hand through states of 1e80, which plain float64 would not square."""
    x, _ = inputs_and_targets(4)
    growth = []
    for scale in (1.0, 1e80):
        net = build(net=kind, init="he", hidden=6, width=8, tau="fixed", scale=scale, seed=1)
        at = trajectory(net, x, layer_norm=True)
        phi, _ = adjoint(at, Scaled(torch.ones(4, 8, dtype=torch.float64).tril()), 6)
        growth.append([phi[k].norm().log10 - phi[6].norm().log10 for k in range(1, 7)])
    np.testing.assert_allclose(*growth, atol=1e-9)


@pytest.mark.parametrize("name", ["relu", "tanh", "gelu", "sine"])
def test_gain_of_a_normalised_layer(name):
    """Feedforward, width 400, twelve layers: √χ per layer, given nothing but the activation."""
    net = build(net="feedforward", activation=name, init="he", hidden=12, width=400, tau="fixed")
    x, target = inputs_and_targets(10)
    phi = state_adjoints(trajectory(net, x, layer_norm=True), target)
    measured = phi[1].norm().log10 - phi[12].norm().log10
    predicted = 11 / 2 * np.log10(mean_field.layer_norm_gain(activation(name, 1.0)))
    assert predicted == pytest.approx(measured, abs=0.12)


def test_gain_of_a_normalised_rectifier_is_one():
    assert mean_field.layer_norm_gain(activation("relu", 1.0)) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("name", ["relu", "tanh"])
def test_second_moments_predict_normalised_nets(kind, name):
    x, target = inputs_and_targets(10)
    net = build(net=kind, activation=name, init="he", hidden=10, width=300, tau="fixed", seed=1)
    at = trajectory(net, x, layer_norm=True)
    phi = state_adjoints(at, target)
    measured = phi[1].norm().log10 - phi[10].norm().log10
    predicted = mean_field_growth(at, alignment(at, target))[0]
    assert predicted == pytest.approx(measured, abs=0.15)


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
def test_single_precision_keeps_the_decades(kind, scale):
    """Fifty layers, up to 1e±65 and more: far beyond float32's range, right to its rounding."""
    x, target = inputs_and_targets(5)
    net = build(net=kind, init="he", hidden=50, width=12, tau="fixed", scale=scale, seed=3)
    exact = layer_norms(net, x, target).log10()["y"][:-1]
    phi = state_adjoints(trajectory(net, x, dtype=torch.float32), target)
    found = np.array([part.norm().log10 for part in phi])
    np.testing.assert_allclose(found, exact, atol=1e-3)
