"""Optimise-then-discretise: what it is, and how it differs from the exact gradient."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import UserError
from nets.fractional.weights import right_memory_weights
from nets.gradients.adjoint import adjoint_states, states
from nets.gradients.methods import loss_and_grad
from nets.gradients.otd import adjoint_drift, missing_terms, one_step_gaps, otd_adjoint_states
from nets.module import build
from nets.theory.slips import example_net, example_points

SEEDS = st.integers(0, 10**4)


def terminal(seed, *, equal_steps):
    net, x = example_net(seed, equal_steps=equal_steps), example_points(seed)
    return net, x, example_points(seed + 1, columns=3) / len(x)


def test_recursion_as_printed_entry_by_entry():
    """The vectorised OtD against the paper's sum written out with explicit loops."""
    net, x, phi_L = terminal(5, equal_steps=False)
    z = states(net, x)[1]
    fast = otd_adjoint_states(net, z, phi_L)
    B, last = right_memory_weights(net.tau.detach(), net.config.gamma), len(z)
    _, s = net.architecture.coefficients(net.tau.detach(), net.config.gamma)
    slow = {last + 1: phi_L, last: phi_L @ net.W[last].detach()}
    for l in range(last - 1, 0, -1):
        rows = []
        for n in range(len(x)):
            value = slow[l + 1][n].clone()
            for j in range(l + 1, last):
                value += B[j, l] * (slow[j + 1][n] - slow[j][n])
            inner = slow[l + 1][n] * net.sigma.slope(z[l][n])
            rows.append(value + s[l] * net.W[l].detach().T @ inner)
        slow[l] = torch.stack(rows)
        torch.testing.assert_close(fast[l], slow[l], rtol=1e-12, atol=1e-14)


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_one_step_gap_is_exactly_the_boundary_term(seed):
    net, x, phi_L = terminal(seed, equal_steps=True)
    phi = adjoint_states(net, states(net, x)[1], phi_L)
    terms = missing_terms(net, phi[-2])
    for l, gap in one_step_gaps(net, x, phi_L).items():
        assert float(gap.norm()) > 0.05 * float(phi[-2].norm())
        torch.testing.assert_close(gap, terms[l], rtol=0, atol=1e-13 * float(gap.abs().max()))


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_unequal_steps_are_not_closed_by_the_term(seed):
    net, x, phi_L = terminal(seed, equal_steps=False)
    phi = adjoint_states(net, states(net, x)[1], phi_L)
    terms, gaps = missing_terms(net, phi[-2]), one_step_gaps(net, x, phi_L)
    rest = max(float((gaps[l] - terms[l]).norm() / phi[l].norm()) for l in gaps)
    assert rest > 1e-3


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_whole_recursions_drift_apart_by_order_one(seed):
    net, x, phi_L = terminal(seed, equal_steps=True)
    drift = adjoint_drift(net, x, phi_L)
    assert float(drift[-2:].max()) == 0.0  # φ[L] and φ[L-1] are the same
    assert float(drift.max()) > 0.2


def test_gradient_has_the_keys_of_the_exact_one_and_other_values():
    net, x = example_net(2), example_points(2)
    y = example_points(3, columns=3)
    J, exact = loss_and_grad(net, x, y, method="dto")
    J_otd, otd = loss_and_grad(net, x, y, method="otd")
    assert list(otd) == list(exact)
    assert float(J_otd) == float(J)
    torch.testing.assert_close(otd["W.6"], exact["W.6"])  # the read-out sees φ[L] only
    torch.testing.assert_close(otd["W.5"], exact["W.5"])  # and the last layer φ[L-1]
    assert float((otd["W.0"] - exact["W.0"]).norm() / exact["W.0"].norm()) > 0.1


def test_near_order_one_both_are_the_resnets():
    """γ → 1: the memory vanishes, and with it the difference."""
    net = build(net="fractional", hidden=4, width=5, inputs=4, gamma=1 - 1e-9, tau0=0.5, seed=0)
    x, y = example_points(0), example_points(1, columns=3)
    exact, otd = (loss_and_grad(net, x, y, method=m)[1] for m in ("dto", "otd"))
    for name in exact:
        torch.testing.assert_close(otd[name], exact[name], rtol=1e-6, atol=1e-8)


def test_other_architectures_are_refused():
    net = build(net="resnet", hidden=2, width=3, inputs=4)
    with pytest.raises(UserError, match="only for net='fractional'"):
        loss_and_grad(net, example_points(0), example_points(1, columns=3), method="otd")
