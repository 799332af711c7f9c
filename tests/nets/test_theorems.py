"""maths 9: the identity path, what skips and factors below one do not do, when τ is a rescaling."""

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from base.errors import UserError
from nets.fractional.ode import solve_fractional_ode
from nets.module import build, propagate
from nets.theory.paths import decay_exponent, identity_path, identity_path_limit
from nets.theory.rescaling import EXACT_RELU, rescaled, rescaling_gap, scale_factors
from nets.theory.theorems import (
    contracting_resnet,
    escape,
    example_6_3,
    log10_decay,
    measured_theorems,
    product_of_factors,
)


@pytest.mark.parametrize("gamma", [0.25, 0.5, 0.75])
def test_the_fractional_identity_path_decays_like_a_power(gamma):
    assert decay_exponent(800, gamma) == pytest.approx(-(1 - gamma), abs=5e-3)
    ratios = [identity_path(h, gamma)[-1] / identity_path_limit(h, gamma) for h in (50, 200, 800)]
    assert abs(ratios[2] - 1) < abs(ratios[1] - 1) < abs(ratios[0] - 1)
    assert ratios[2] == pytest.approx(1, abs=2e-3), "with its constant 1/(Γ(γ)Γ(2−γ))"


@pytest.mark.parametrize("gamma", [0.3, 0.7])
def test_the_identity_path_is_that_of_a_net_that_exists(gamma):
    """By automatic differentiation of a Fractional-DNN whose activations are all dead."""
    net = build(net="fractional", tau="fixed", tau0=0.2, hidden=12, width=1, inputs=1, outputs=1,
                gamma=gamma)  # fmt: skip
    W, b = list(net.W), list(net.b)
    b = [b[0], *(torch.full_like(bias, -1e6) for bias in b[1:])]

    def last_state(first_bias):
        return propagate(net, torch.ones(1, 1).double(), W, [first_bias, *b[1:]], net.tau)[0][-2]

    start = torch.full_like(b[0], 5.0)  # the first layer is alive: dy[1]/db = s
    slope = torch.autograd.functional.jacobian(last_state, start).item()
    s = 0.2**gamma * math.gamma(2 - gamma)
    assert slope / s == pytest.approx(identity_path(12, gamma)[-1], rel=1e-12)


def test_skips_do_not_prevent_vanishing():
    """(I + τD) = ½ I in 19 of 20 layers: 2⁻¹⁹ = 10^−5.7."""
    assert log10_decay(contracting_resnet()) == pytest.approx(19 * math.log10(0.5), abs=1e-9)
    assert log10_decay(contracting_resnet(slope=0.0)) == pytest.approx(0.0, abs=1e-12)


def test_factors_below_one_need_a_uniform_bound():
    for layers in (3, 30, 300):
        n = layers + 1
        assert product_of_factors(layers) == pytest.approx((n + 1) / (2 * n), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=40))
def test_the_sharp_statement_on_products(factors):
    """Σ(1−d) ≤ −log Π d, and ≤ Σ(1−d)/min d: the two diverge together."""
    gap, log = sum(1 - d for d in factors), -sum(math.log(d) for d in factors)
    assert gap <= log * (1 + 1e-12)
    assert log <= gap / min(factors) * (1 + 1e-12)


def test_solutions_that_leave_the_ball_outgrow_the_bound():
    for end, leaves in ((0.12, True), (0.04, False)):
        tau = torch.full((800,), end / 800, dtype=torch.float64)
        y = solve_fractional_ode(lambda t, y: y**2, torch.tensor([1.0, 1.01]), tau, 0.5)
        assert bool((y - 1 > 0.5).any()) == leaves
    growth, bound = escape()
    assert growth > 1.3 * bound
    early, early_bound = escape(end=0.04)
    assert early < early_bound, "as long as they stay it holds"
    assert escape(steps=1600)[0] == pytest.approx(growth, rel=0.08), "not by the steps"


@pytest.mark.parametrize("weight", [10.0, 1000.0])
def test_example_6_3(weight):
    assert example_6_3(weight, 1.0) == pytest.approx((1 + weight, 1.0))
    assert example_6_3(weight, 1 / weight) == pytest.approx((2.0, 1 / weight))


@settings(max_examples=20, deadline=None)
@given(
    net=st.sampled_from(["feedforward", "resnet", "densenet"]),
    seed=st.integers(0, 10**6),
    hidden=st.integers(1, 6),
)
@example(net="feedforward", seed=272853, hidden=4)  # every unit of a layer is dead
def test_tau_is_a_rescaling_of_weights(net, seed, hidden):
    tall = build(net=net, tau0="uniform", hidden=hidden, width=8, eta=EXACT_RELU, seed=seed)
    x = np.random.default_rng(seed).normal(size=(6, 7))
    assert rescaling_gap(tall, x) < 1e-13


def test_of_the_fractional_net_only_unequal_steps_are_more():
    x = np.random.default_rng(0).normal(size=(6, 7))
    equal, unequal = (
        build(net="fractional", tau0=tau0, hidden=5, width=8, eta=EXACT_RELU, seed=1)
        for tau0 in (0.3, (0.1, 1.0, 0.2, 0.7, 0.4))
    )
    assert rescaling_gap(equal, x) < 1e-13
    assert rescaling_gap(unequal, x) > 0.02


def test_no_factor_on_weights_replaces_unequal_steps():
    """With dead activations dy[2]/dy[1] = 1 − A[1,0], which is 2 − 2^{1−γ} for equal steps only."""
    for ratio in (0.1, 1.0, 10.0):
        A = ratio**0.5 * ((1 + ratio) ** 0.5 - ratio**0.5)
        net = build(net="fractional", tau="fixed", tau0=(1.0, ratio), hidden=2, width=1, inputs=1,
                    outputs=1)  # fmt: skip
        C, _ = net.architecture.coefficients(net.tau.detach(), 0.5)
        assert float(C[2, 1]) == pytest.approx(1 - A)
    assert pytest.approx(2 - 2**0.5) == 1 - (2**0.5 - 1)


def test_the_twin_has_unit_steps_and_can_be_trained():
    net = build(net="resnet", tau="learned", tau0="1/H", hidden=4, width=5, seed=3)
    twin = rescaled(net)
    assert twin.tau.tolist() == [1.0] * 4
    assert scale_factors(net).tolist() == [0.25] * 4
    torch.testing.assert_close(twin.W[1], 0.25 * net.W[1])
    torch.testing.assert_close(twin.W[-1], net.W[-1])
    with pytest.raises(UserError, match="needs tau > 0"):
        rescaled(build(net="resnet", tau="rezero", hidden=3))


def test_measured_theorems_move_with_the_seed():
    one, other = measured_theorems(1), measured_theorems(2)
    assert one["gamma"] != other["gamma"]
    for found in (one, other):
        assert found["identity_path_slope"] == pytest.approx(found["gamma"] - 1, abs=5e-3)
        assert found["identity_path_constant"] == pytest.approx(1, abs=5e-3)
        assert (
            found["rescaling_gap"]["resnet"]
            < 1e-13
            < found["rescaling_gap"]["fractional, unequal steps"]
        )
