"""The L1 schemes: exact coefficients, their derivatives, and the order 2-γ."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from l1_schemes import exact_weight, left_caputo, right_caputo

from base.errors import UserError
from nets.fractional.weights import memory_weights, right_memory_weights

GAMMAS = st.floats(0.05, 0.95)
STEPS = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=7)


def test_printed_form_cancels_where_ours_does_not():
    tau = torch.tensor([1e-9, 1.0], dtype=torch.float64)
    gamma = 0.5
    printed = tau[1] ** gamma / tau[0] * ((tau[0] + tau[1]) ** 0.5 - tau[1] ** 0.5)
    exact = float(exact_weight(tau.tolist(), gamma, 1, 0))
    assert abs(float(printed) / exact - 1) > 1e-9
    assert abs(float(memory_weights(tau, gamma)[1, 0]) / exact - 1) < 1e-15


@given(STEPS, GAMMAS)
@settings(max_examples=30, deadline=None)
def test_right_weights_as_printed(tau, gamma):
    B = right_memory_weights(torch.tensor(tau, dtype=torch.float64), gamma).numpy()
    for j in range(len(tau)):
        for l in range(len(tau)):
            backwards = tau[::-1]
            n = len(tau) - 1
            exact = float(exact_weight(backwards, gamma, n - l, n - j)) if j > l else 0.0
            assert B[j, l] == pytest.approx(exact, rel=1e-13)


@given(STEPS, GAMMAS)
@settings(max_examples=30, deadline=None)
def test_automatic_derivatives_are_the_printed_cases(tau, gamma):
    dA = derivatives(tau, gamma)
    for l, j, i, exact in printed_derivatives(tau, gamma):
        # A is homogeneous of degree 0 in τ, so its natural unit is A / τ
        unit = float(exact_weight(tau, gamma, l, j)) / tau[i]
        assert abs(float(dA[l, j, i]) - float(exact)) <= 1e-12 * unit + 1e-300


def derivatives(tau, gamma):
    """∂A[l,j]/∂τ[i] by torch."""
    tau = torch.tensor(tau, dtype=torch.float64)
    return torch.autograd.functional.jacobian(lambda t: memory_weights(t, gamma), tau)


def printed_derivatives(tau, gamma):
    """The three cases of the paper's appendix with 60 digits."""
    with mpmath.workdps(60):
        g, tau = mpmath.mpf(gamma), [mpmath.mpf(t) for t in tau]
        for l in range(len(tau)):
            for j in range(l):
                S, r = mpmath.fsum(tau[j : l + 1]), mpmath.fsum(tau[j + 1 : l + 1])
                front = tau[l] ** g / tau[j]
                between = (1 - g) * front * (S**-g - r**-g)
                difference = S ** (1 - g) - r ** (1 - g)
                yield l, j, j, -front / tau[j] * difference + (1 - g) * front * S**-g
                for i in range(j + 1, l):
                    yield l, j, i, between
                yield l, j, l, between + g * front / tau[l] * difference


def test_weights_forget_the_unit_of_time_in_their_derivative():
    """Euler: Σ_i τ[i] ∂A/∂τ[i] = 0, because A is homogeneous of degree 0."""
    tau = [0.3, 1e-5, 2.0, 0.7]
    change = derivatives(tau, 0.4) @ torch.tensor(tau, dtype=torch.float64)
    assert float(change.abs().max()) < 1e-14


def test_coefficients_pass_gradcheck_forward_and_backward():
    tau = torch.tensor([0.5, 0.01, 1.3, 0.2], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: memory_weights(t, 0.3), tau, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(lambda t: memory_weights(t, 0.3), tau)


def power(t, p):
    return t**p


def caputo_of_power(t, p, gamma):
    """∂^γ t^p = Γ(p+1)/Γ(p+1-γ) t^{p-γ}."""
    return math.gamma(p + 1) / math.gamma(p + 1 - gamma) * t ** (p - gamma)


def grid(n, *, uniform):
    """[0, 1] in n steps: equal, or alternately of length 3 and 1."""
    tau = torch.ones(n, dtype=torch.float64)
    if not uniform:
        tau[::2] = 3.0
    return tau / tau.sum()


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("p", [2.0, 3.0])
@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.8])
def test_left_scheme_has_order_2_minus_gamma(gamma, p, uniform):
    errors = []
    for n in (64, 128, 256, 512, 1024):
        tau = grid(n, uniform=uniform)
        t = torch.nn.functional.pad(tau.cumsum(0), (1, 0))
        derivative = left_caputo(power(t, p), tau, gamma)
        errors.append(float(derivative[-1]) - caputo_of_power(1.0, p, gamma))
    rates = np.diff(-np.log2(np.abs(errors)))
    # error = c τ^{2-γ} + d τ² + …: pre-asymptotic for small γ, where rates climb from below
    # (1.67 … 1.73 at γ = 0.2); one Richardson step removes d τ² and leaves the order bare
    assert np.all(np.diff(rates) > -1e-3), rates
    bare = np.diff(-np.log2(np.abs(4 * np.array(errors[1:]) - np.array(errors[:-1]))))
    assert abs(bare[-1] - (2 - gamma)) < 0.01, bare


@pytest.mark.parametrize("gamma", [0.3, 0.7])
def test_right_scheme_mirrors_the_left_one(gamma):
    tau = grid(40, uniform=False)
    t = torch.nn.functional.pad(tau.cumsum(0), (1, 0))
    mirrored = left_caputo(power(1 - t.flip(0), 2.0), tau.flip(0), gamma).flip(0)
    right = right_caputo(power(1 - t, 2.0), tau, gamma)
    torch.testing.assert_close(right, mirrored, rtol=1e-12, atol=0)
    # ∂_{T-t}^γ (T-t)² = 2/Γ(3-γ) (T-t)^{2-γ}
    exact = caputo_of_power(1 - t[:-1], 2.0, gamma)
    assert float((right - exact).abs().max()) < 0.01


def test_linear_functions_are_differentiated_exactly():
    tau = torch.tensor([0.3, 1.2, 0.05, 0.9], dtype=torch.float64)
    t = torch.nn.functional.pad(tau.cumsum(0), (1, 0))
    exact = caputo_of_power(t[1:], 1.0, 0.35)
    torch.testing.assert_close(left_caputo(t, tau, 0.35), exact, rtol=1e-13, atol=0)


def test_values_that_do_not_fit_the_grid():
    with pytest.raises(UserError, match="3 steps need 4 values"):
        left_caputo(torch.ones(3), torch.ones(3), 0.5)
