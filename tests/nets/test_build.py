"""The module against a naive loop over SPEC's table, and what it refuses."""

from math import gamma as Gamma

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nets import architectures, build, memory_weights

ARCHITECTURES = ("feedforward", "resnet", "densenet", "fractional")


@st.composite
def nets(draw, dtype="float64"):
    """Small nets of every kind: depth, width per layer, τ policy and start, γ, activation."""
    net = draw(st.sampled_from(ARCHITECTURES))
    policies = ["fixed", "learned", "global"] + ["rezero"] * (net != "fractional")
    hidden = draw(st.integers(1, 6))
    carry = draw(st.booleans()) and draw(st.booleans())
    inputs = draw(st.integers(1, 5))
    widths = st.lists(st.integers(1, 6), min_size=hidden, max_size=hidden)
    return build(
        net=net,
        tau=draw(st.sampled_from(policies)),
        hidden=hidden,
        width=inputs if carry else draw(st.one_of(st.integers(1, 6), widths)),
        inputs=inputs,
        outputs=draw(st.integers(1, 3)),
        gamma=draw(st.floats(0.05, 0.95)),
        tau0=draw(st.sampled_from([1.0, 0.3, "1/H", "1/sqrtH", "uniform"])),
        activation=draw(st.sampled_from(["smoothrelu", "tanh", "softplus"])),
        eta=draw(st.sampled_from([1e-4, 0.5, 8.0])),
        carry_input=carry,
        init=draw(st.sampled_from(["torch", "he", "xavier", "normal"])),
        sort_biases=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31)),
        dtype=dtype,
    )


def data(net, rows=9, seed=0):
    random = np.random.Generator(np.random.Philox(seed))
    x = torch.from_numpy(random.standard_normal((rows, net.widths[0])))
    return x, torch.from_numpy(random.standard_normal((rows, net.widths[-1])))


def naive_activation(z, name, eta):
    if name == "tanh":
        return np.tanh(z)
    if name == "softplus":
        return np.log1p(np.exp(z))
    if abs(z) > eta:
        return max(0.0, z)
    return z**2 / (4 * eta) + z / 2 + eta / 4


def naive_project(y, to, carried):
    return np.array([y[i] if carried and i < len(y) else 0.0 for i in range(to)])


def naive_A(tau, gamma, l, j):
    long, short = sum(tau[j : l + 1]), sum(tau[j + 1 : l + 1])
    return tau[l] ** gamma / tau[j] * (long ** (1 - gamma) - short ** (1 - gamma))


def naive_forward(net, x):
    """SPEC's table, one point and one layer at a time, in plain Python."""
    config = net.config
    W = [w.detach().numpy() for w in net.W]
    b = [v.detach().numpy() for v in net.b]
    tau = net.tau.detach().numpy()
    y = [x]
    for l in range(1, config.hidden + 1):
        z = W[l - 1] @ y[l - 1] + b[l - 1]
        a = np.array([naive_activation(v, config.activation, config.eta) for v in z])
        P = [naive_project(y[k], len(a), k > 0 or config.carry_input) for k in range(l)]
        if config.net == "feedforward":
            y.append(tau[l - 1] * a)
        elif config.net == "resnet":
            y.append(P[l - 1] + tau[l - 1] * a)
        elif config.net == "densenet":
            y.append(sum(P) + tau[l - 1] * a)
        else:
            memory = sum(
                naive_A(tau, config.gamma, l - 1, j) * (P[j + 1] - P[j]) for j in range(l - 1)
            )
            step = tau[l - 1] ** config.gamma * Gamma(2 - config.gamma)
            y.append(P[l - 1] - memory + step * a)
    return W[-1] @ y[-1]


@settings(max_examples=60, deadline=None)
@given(net=nets())
def test_module_is_the_table(net):
    x, _ = data(net, rows=3)
    expected = np.array([naive_forward(net, row) for row in x.numpy()])
    np.testing.assert_allclose(net(x).detach().numpy(), expected, rtol=1e-10, atol=1e-10)


def test_every_architecture_is_tested():
    assert set(architectures.names()) == set(ARCHITECTURES)


@settings(max_examples=20, deadline=None)
@given(gamma=st.floats(0.05, 0.95), tau=st.floats(1e-3, 1e3), hidden=st.integers(2, 12))
def test_equal_steps_give_the_equidistant_weights(gamma, tau, hidden):
    A = memory_weights(torch.full((hidden,), tau), gamma).numpy()
    for l in range(hidden):
        for j in range(hidden):
            m = l - j
            expected = (m + 1) ** (1 - gamma) - m ** (1 - gamma) if j < l else 0.0
            assert A[l, j] == pytest.approx(expected, rel=1e-12)


steps = st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=8)


@settings(max_examples=30, deadline=None)
@given(gamma=st.floats(0.05, 0.95), tau=steps, unit=st.floats(1e-6, 1e6))
def test_memory_weights_forget_the_unit_of_time(gamma, tau, unit):
    tau = torch.tensor(tau, dtype=torch.float64)
    torch.testing.assert_close(
        memory_weights(unit * tau, gamma), memory_weights(tau, gamma), rtol=1e-12, atol=0
    )
