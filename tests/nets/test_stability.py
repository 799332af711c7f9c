"""The corrected proposition: growth below E_γ(Λ t^γ), and above what the paper prints."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from net_strategies import points

from base.errors import UserError
from nets.module import build
from nets.theory.stability import (
    growth_bounds,
    linear_growth,
    lipschitz_constant,
    perturbation_growth,
)


@given(
    gamma=st.floats(0.1, 0.95),
    tau=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=10),
    scale=st.floats(0.1, 3.0),
    activation=st.sampled_from(["smoothrelu", "tanh", "softplus"]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_growth_stays_below_mittag_leffler(gamma, tau, scale, activation, seed):
    net = build(
        net="fractional", hidden=len(tau), width=4, inputs=4, gamma=gamma, tau0=tau, scale=scale,
        activation=activation, carry_input=True, seed=seed,
    )  # fmt: skip
    x = points(seed, 5, 4)
    growth = perturbation_growth(net, x, 1e-3 * points(seed + 1, 5, 4))
    assert (growth.measured <= growth.mittag_leffler * (1 + 1e-9)).all()


@given(st.floats(0.1, 0.95), st.lists(st.floats(0.01, 3.0), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_linear_net_stays_below_the_solution_it_approximates(gamma, tau):
    """The extremal case f = Λ y on random grids: the scheme's growth is below E_γ."""
    net = build(
        net="fractional", hidden=len(tau), width=1, inputs=1, outputs=1, gamma=gamma, tau0=tau,
        carry_input=True,
    )  # fmt: skip
    with torch.no_grad():
        for W, b in zip(net.W, net.b, strict=False):
            W.fill_(0.7)
            b.zero_()
    one = torch.ones(1, 1, dtype=torch.float64)
    growth = perturbation_growth(net, one, one)
    assert (growth.measured <= growth.mittag_leffler * (1 + 1e-9)).all()


def test_printed_bound_is_exceeded_five_hundredfold_in_the_limit():
    """γ = ½, Λ t^γ = 3: E_½(3) = e⁹(1 + erf 3) ≈ 16 206 against 29.5 (maths 8.5)."""
    growth = [linear_growth(3.0, 1.0, 0.5, hidden) for hidden in (20, 80, 320)]
    last = [g.measured[-1] for g in growth]
    assert growth[0].printed[-1] == pytest.approx(29.5, abs=0.05)
    assert growth[0].mittag_leffler[-1] == pytest.approx(16206, abs=0.1)
    assert last[0] > 10 * growth[0].printed[-1]
    assert last == sorted(last)  # finer grids grow towards the solution …
    assert last[-1] / growth[0].mittag_leffler[-1] == pytest.approx(0.59, abs=0.05)
    assert last[-1] > 300 * growth[0].printed[-1]  # … far above what is printed


def test_order_near_one_gives_gronwalls_exponential():
    correct, _ = growth_bounds(2.0, np.array([0.5, 1.0]), 1 - 1e-9)
    np.testing.assert_allclose(correct, [math.e, math.e**2], rtol=1e-6)


def test_resnet_grows_at_most_exponentially():
    """Not the Fractional-DNN: (1 + Λτ)^n ≤ exp(Λ t) bounds the ResNet of the same weights."""
    net = build(net="resnet", hidden=8, width=4, inputs=4, tau0=0.3, carry_input=True, seed=1)
    growth = perturbation_growth(net, points(0, 6, 4), 1e-4 * points(1, 6, 4))
    assert (growth.measured <= np.exp(lipschitz_constant(net) * growth.t) * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    ("carried", "size", "words"), [(False, 1.0, "carry_input=True"), (True, 0.0, "nonzero")]
)
def test_growth_needs_a_carried_input_and_a_perturbation(carried, size, words):
    net = build(net="fractional", hidden=2, width=4, inputs=4, carry_input=carried)
    with pytest.raises(UserError, match=words):
        perturbation_growth(net, points(0, 2, 4), size * points(1, 2, 4))
