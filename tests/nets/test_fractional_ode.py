"""The Mittag-Leffler function against mpmath, and the ODE solver against Mittag-Leffler."""

import math

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from l1_schemes import graded_steps, log_mittag_leffler, solve_terminal_value

from base.errors import UserError
from nets.fractional.mittag_leffler import mittag_leffler
from nets.fractional.ode import solve_fractional_ode


def summed(z, gamma):
    """Σ z^k/Γ(γk+1) with digits enough for the cancellation at negative z."""
    with mpmath.workdps(60 + int(abs(z) ** (1 / gamma))):
        z, gamma = mpmath.mpf(z), mpmath.mpf(gamma)
        total, power, k = mpmath.mpf(0), mpmath.mpf(1), 0
        while True:
            term = power * mpmath.rgamma(gamma * k + 1)
            total += term
            if k * gamma > 2 and abs(term) < mpmath.mpf(10) ** (-40) * (1 + abs(total)):
                return float(total)
            power, k = power * z, k + 1


@given(st.floats(0.15, 0.97), st.floats(0.0, 60.0), st.sampled_from([-1, 1]))
@settings(max_examples=40, deadline=None)
def test_mittag_leffler_against_its_series(gamma, exponent, sign):
    """|z|^{1/γ} up to 60: growth up to 1e26, decay where the plain series has lost all digits."""
    z = sign * exponent**gamma
    assert mittag_leffler(z, gamma) == pytest.approx(summed(z, gamma), rel=2e-12)


def test_mittag_leffler_closed_forms():
    assert mittag_leffler(3.0, 0.5) == pytest.approx(math.exp(9) * (1 + math.erf(3)), rel=1e-14)
    assert mittag_leffler(3.0, 0.5) == pytest.approx(16205.99, abs=0.01)
    assert mittag_leffler(-3.0, 0.5) == pytest.approx(math.exp(9) * math.erfc(3), rel=1e-13)
    assert mittag_leffler(0.0, 0.3) == 1.0
    assert mittag_leffler(-2.0, 1.0) == math.exp(-2.0)


def test_mittag_leffler_beyond_float64():
    assert mittag_leffler(30.0, 0.5) == math.inf
    assert log_mittag_leffler(30.0, 0.5) == pytest.approx(900 + math.log(2))
    assert log_mittag_leffler(26.0, 0.5) == pytest.approx(676 + math.log(2), rel=1e-14)
    assert mittag_leffler(-1e12, 0.5) == pytest.approx(1e-12 / math.sqrt(math.pi), rel=1e-10)


@pytest.mark.parametrize("gamma", [0.0, 1.1])
def test_mittag_leffler_rejects_other_orders(gamma):
    with pytest.raises(UserError, match="gamma"):
        mittag_leffler(1.0, gamma)


@pytest.mark.parametrize("gamma", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("growth", [-1.0, 1.0])
def test_explicit_scheme_converges_to_mittag_leffler(gamma, growth):
    """The Fractional-DNN's own step: first order at a fixed time."""
    exact, errors = mittag_leffler(growth, gamma), []
    for n in (100, 200, 400):
        y = solve_fractional_ode(lambda t, y: growth * y, 1.0, graded_steps(n, 1.0), gamma)
        errors.append(abs(float(y[-1]) / exact - 1))
    rates = np.diff(-np.log2(errors))
    assert errors[-1] < 0.03
    assert 0.6 < rates[-1] < 1.2, rates


def test_gamma_near_one_is_eulers_method():
    tau = graded_steps(50, 1.0)
    y = solve_fractional_ode(lambda t, y: -2 * y, 1.0, tau, 1 - 1e-9)
    assert float(y[-1]) == pytest.approx((1 - 2 / 50) ** 50, rel=1e-6)


def test_systems_and_time_dependence():
    """y = t² solves ∂^γ y = 2/Γ(3-γ) t^{2-γ} + (t² - y), in three equal components: order one."""
    gamma, errors = 0.5, []

    def f(t, y):
        return 2 / math.gamma(3 - gamma) * t ** (2 - gamma) + (t**2 - y)

    for n in (100, 200, 400):
        y = solve_fractional_ode(f, torch.zeros(3), graded_steps(n, 1.0), gamma)
        assert y.shape == (n + 1, 3)
        errors.append(float((y[-1] - 1).abs().max()))
    assert errors[-1] < 2.8e-3
    np.testing.assert_allclose(np.diff(-np.log2(errors)), 1.0, atol=0.02)


def test_terminal_value_problem_is_the_mirror_image():
    gamma, tau = 0.6, graded_steps(30, 1.0, 2.0)
    backward = solve_terminal_value(lambda t, y: -y, 1.0, tau, gamma)
    forward = solve_fractional_ode(lambda t, y: -y, 1.0, tau.flip(0), gamma)
    torch.testing.assert_close(backward, forward.flip(0))
    assert float(backward[-1]) == 1.0
