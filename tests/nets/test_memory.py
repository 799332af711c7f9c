"""Memory weights: equidistant values, no unit of time, no cancellation, true derivative."""

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from l1_schemes import exact_weight

from nets import UserError, memory_weights

orders = st.floats(0.02, 0.98)
steps = st.lists(st.floats(1e-8, 1e4), min_size=2, max_size=7)


@settings(max_examples=20, deadline=None)
@given(gamma=orders, tau=st.floats(1e-3, 1e3), hidden=st.integers(1, 12))
def test_equal_steps_give_the_equidistant_weights(gamma, tau, hidden):
    A = memory_weights(torch.full((hidden,), tau), gamma).numpy()
    m = np.subtract.outer(np.arange(hidden), np.arange(hidden)).clip(0)
    expected = np.tril((m + 1.0) ** (1 - gamma) - m.astype(float) ** (1 - gamma), -1)
    np.testing.assert_allclose(A, expected, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(gamma=orders, tau=steps, unit=st.floats(1e-6, 1e6))
def test_memory_weights_forget_the_unit_of_time(gamma, tau, unit):
    tau = torch.tensor(tau, dtype=torch.float64)
    changed = memory_weights(unit * tau, gamma)
    torch.testing.assert_close(changed, memory_weights(tau, gamma), rtol=1e-12, atol=0)


@settings(max_examples=30, deadline=None)
@given(gamma=orders, tau=steps)
def test_nothing_cancels(gamma, tau):
    """Steps over twelve orders of magnitude: 1e-13 relative in every entry."""
    A = memory_weights(torch.tensor(tau, dtype=torch.float64), gamma)
    for l in range(len(tau)):
        for j in range(len(tau)):
            exact = float(exact_weight(tau, gamma, l, j)) if j < l else 0.0
            assert float(A[l, j]) == pytest.approx(exact, rel=1e-13)


@settings(max_examples=12, deadline=None)
@given(gamma=orders, tau=steps, data=st.data())
def test_derivative_is_exact(gamma, tau, data):
    """∂A/∂τ against a 60-digit difference quotient, to 1e-11 of the largest term."""
    l = data.draw(st.integers(1, len(tau) - 1))
    j = data.draw(st.integers(0, l - 1))
    leaf = torch.tensor(tau, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(memory_weights(leaf, gamma)[l, j], leaf)
    for i in range(len(tau)):
        with mpmath.workdps(60):
            h = mpmath.mpf(tau[i]) * mpmath.mpf("1e-20")
            up, down = list(map(mpmath.mpf, tau)), list(map(mpmath.mpf, tau))
            up[i], down[i] = up[i] + h, down[i] - h
            slope = (exact_weight(up, gamma, l, j) - exact_weight(down, gamma, l, j)) / (2 * h)
            # τ[ℓ] enters twice with opposite signs: allow rounding of either part.
            size = abs(slope) + (exact_weight(tau, gamma, l, j) / tau[i] if i == l else 0)
        assert abs(float(gradient[i]) - slope) <= 1e-11 * size


def test_gradient_has_no_nan_at_a_single_step():
    tau = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    A = memory_weights(tau, 0.5)
    assert A.tolist() == [[0.0]]
    (gradient,) = torch.autograd.grad(A.sum(), tau)
    assert gradient.tolist() == [0.0]


@pytest.mark.parametrize(
    ("tau", "gamma", "words"),
    [
        ([1.0, 0.0], 0.5, "tau[1] = 0"),
        ([1.0, float("nan")], 0.5, "tau[1] = nan"),
        ([1.0, float("inf")], 0.5, "tau[1] = inf"),
        ([-1.0, 1.0], 0.5, "tau[0] = -1"),
        ([1.0, 1.0], 0.0, "gamma must lie in (0, 1)"),
        ([1.0, 1.0], 1.5, "gamma must lie in (0, 1)"),
        ([1.0, 1.0], float("nan"), "gamma must lie in (0, 1)"),
        ([1.0, 1.0], 1.0, "gamma = 1 is the ResNet"),
        ([[1.0]], 0.5, "one-dimensional"),
    ],
)
def test_bad_steps_and_orders_are_refused(tau, gamma, words):
    with pytest.raises(UserError) as error:
        memory_weights(torch.tensor(tau), gamma)
    assert words in str(error.value)
