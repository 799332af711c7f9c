"""Gradient norms and end-to-end Jacobians: equal to autograd and theory, and beyond float64."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from net_strategies import points, theorem_nets
from theory_oracles import parameter_gradients_by_theory

from base.errors import UserError
from nets import grad_norms
from nets.gradients.jacobians import (
    end_to_end_jacobians,
    log10_singular_values,
)
from nets.gradients.methods import loss_and_grad
from nets.gradients.norms import log10_norms
from nets.gradients.passes import state_adjoints, trajectory
from nets.module import build, propagate
from nets.theory.derivatives import linearise
from nets.theory.recursions import THEOREMS

KINDS = sorted(THEOREMS)


scales = st.sampled_from([0.5, 1.0, 4.0])
nets = scales.flatmap(lambda scale: theorem_nets(init="he", scale=scale))


@given(nets, st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_norms_equal_the_theorys_and_autograds(net, seed):
    """Measured norms equal the theory's to 1e-8 relative wherever finite."""
    x, y = points(seed, 5, 3), points(seed + 1, 5, 2)
    measured = grad_norms(net, x, y)
    at = linearise(net, x)
    theory = parameter_gradients_by_theory(at, (at.y[-1] - y) / len(x))
    _, automatic = loss_and_grad(net, x, y, method="autograd")
    for gradients in (theory, automatic):
        for kind in ("W", "b"):
            for k, norm in enumerate(measured[kind]):
                assert norm == pytest.approx(float(gradients[f"{kind}.{k}"].norm()), rel=1e-8)
        largest = float(gradients["tau"].abs().max())
        np.testing.assert_allclose(
            measured["tau"], gradients["tau"].abs(), rtol=1e-8, atol=1e-12 * largest
        )


@pytest.mark.parametrize("kind", KINDS)
def test_norms_of_states(kind):
    """‖∂J/∂y[k]‖, input included, against autograd through each state."""
    net = build(net=kind, hidden=4, width=5, inputs=3, outputs=2, tau0=0.6, seed=2)
    x, y = points(0, 6, 3).requires_grad_(), points(1, 6, 2)
    states, _ = propagate(net, x, list(net.W), list(net.b), net.tau)
    J = (states[-1] - y).square().sum() / (2 * len(x))
    exact = [float(g.norm()) for g in torch.autograd.grad(J, states)]
    np.testing.assert_allclose(grad_norms(net, x.detach(), y)["y"], exact, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_jacobians_between_states(kind):
    net = build(net=kind, hidden=5, width=[4, 5, 3, 5, 4], inputs=3, tau0=0.8, seed=4)
    x = points(3, 3, 3).requires_grad_()
    states, _ = propagate(net, x, list(net.W), list(net.b), net.tau)
    for l in (5, 3):
        computed = end_to_end_jacobians(net, x.detach(), l)
        for k in range(l + 1):
            for row in range(net.widths[l]):
                (exact,) = torch.autograd.grad(
                    states[l][:, row].sum(), states[k], retain_graph=True, allow_unused=True
                )
                exact = torch.zeros_like(states[k]) if exact is None else exact
                found = computed[k].plain()[:, row]
                torch.testing.assert_close(found, exact, rtol=1e-11, atol=1e-13)


def test_numbers_beyond_float64_are_exact_in_log10():
    """A feedforward net without biases is homogeneous: W → cW moves every norm by a known power.

    y[L] grows by c^L, φ[k] by c^{2L-k}, ∂J/∂W[k] by c^{2L-1}: here by 10^{8·159} with L = 80.
    """
    hidden, factor = 79, 8.0
    x, y = points(0, 4, 3), torch.zeros(4, 2, dtype=torch.float64)

    def scaled(scale):
        net = build(
            net="feedforward", hidden=hidden, width=8, inputs=3, outputs=2, init="he", scale=scale,
            eta=1e-300, seed=1,
        )  # fmt: skip
        return net

    base, moved = (log10_norms(scaled(scale), x, y) for scale in (1.0, 10.0**factor))
    L = hidden + 1
    np.testing.assert_allclose(moved["W"] - base["W"], factor * (2 * L - 1), rtol=1e-10)
    np.testing.assert_allclose(
        moved["y"] - base["y"], factor * (2 * L - np.arange(L + 1)), rtol=1e-10
    )
    assert np.isinf(grad_norms(scaled(10.0**factor), x, y)["W"]).all()
    assert np.isfinite(moved["tau"]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_depth_200_neither_overflows_nor_warns(kind):
    net = build(
        net=kind, hidden=200, width=6, inputs=7, tau="fixed", tau0=1.0, init="he", scale=8.0, seed=0
    )
    x, y = points(0, 20, 7), points(1, 20, 3)
    for values in log10_norms(net, x, y).values():
        assert not np.isnan(values).any()
        assert (values < math.inf).all()
    spectra = log10_singular_values(net, x[:2])
    assert all((spectrum < math.inf).all() for spectrum in spectra)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
def test_single_precision_keeps_the_decades(kind, scale):
    """Fifty layers, up to 1e±65 and more: far beyond float32's range, right to its rounding."""
    x, y = points(0, 5, 7), points(1, 5, 3)
    net = build(net=kind, init="he", hidden=50, width=12, tau="fixed", scale=scale, seed=3)
    exact = log10_norms(net, x, y)["y"][:-1]
    phi = state_adjoints(trajectory(net, x, dtype=torch.float32), y)
    np.testing.assert_allclose([part.log10_norm() for part in phi], exact, atol=1e-3)


def test_each_derivative_in_tau_has_its_own_scale():
    """Feedforward at τ = 1/H, 200 layers: φ shrinks by 490 decades while σ(0) = η/4 stays."""
    net = build(net="feedforward", hidden=200, width=6, tau="fixed", tau0="1/H", init="he", seed=0)
    logs = log10_norms(net, points(0, 5, 7), points(1, 5, 3))
    assert np.isfinite(logs["tau"]).all()
    assert logs["tau"][-1] - logs["tau"][0] > 400


def test_zero_gradients_are_zero_and_not_nan():
    net = build(net="feedforward", hidden=3, width=4, inputs=3, tau0=0.0, tau="fixed")
    data = points(0, 4, 3), torch.zeros(4, 3)
    assert grad_norms(net, *data)["W"].max() == 0.0
    assert log10_norms(net, *data)["W"].max() == -math.inf


def test_bad_requests():
    net = build(hidden=2, width=3, inputs=3)
    with pytest.raises(UserError, match="same number of rows"):
        grad_norms(net, points(0, 3, 3), points(0, 2, 3))
    with pytest.raises(UserError, match=r"hidden layer 1\.\.2"):
        log10_singular_values(net, points(0, 3, 3), l=3)
