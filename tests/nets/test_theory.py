"""Section 6: the theorems against automatic differentiation, over random nets."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from net_strategies import points, theorem_nets
from theory_oracles import parameter_gradients_by_theory, three_layer_example

from base.errors import UserError
from nets.gradients.methods import loss_and_grad
from nets.module import build, propagate
from nets.theory.derivatives import iterate, linearise, state_derivatives
from nets.theory.recursions import THEOREMS, Recursion

KINDS = sorted(THEOREMS)


nets = theorem_nets(inputs=4, eta=0.3)


def automatic_jacobians(net, x, l, j):
    """dy[l]/dW[j], dy[l]/db[j], dy[l]/dτ[j] by torch.autograd."""
    W, b, tau = list(net.W), list(net.b), net.tau.detach()

    def state(Wj, bj, tj):
        steps = torch.cat([tau[:j], tj, tau[j + 1 :]])
        weights, biases = [*W[:j], Wj, *W[j + 1 :]], [*b[:j], bj, *b[j + 1 :]]
        return propagate(net, x, weights, biases, steps)[0][l]

    arguments = (W[j].detach(), b[j].detach(), tau[j : j + 1])
    dW, db, dtau = torch.autograd.functional.jacobian(state, arguments)
    return {"W": dW, "b": db, "tau": dtau[..., 0]}


@given(nets, st.integers(0, 100), st.data())
@settings(max_examples=60, deadline=None)
def test_theorems_equal_automatic_jacobians(net, seed, data):
    l = data.draw(st.integers(1, net.config.hidden), label="l")
    j = data.draw(st.integers(0, l - 1), label="j")
    x = points(seed)
    by_theorem = state_derivatives(linearise(net, x), l, j)
    for kind, exact in automatic_jacobians(net, x, l, j).items():
        scale = max(1e-3, float(exact.abs().max()))
        torch.testing.assert_close(by_theorem[kind], exact, rtol=0, atol=1e-13 * scale)


@given(nets, st.integers(0, 100))
@settings(max_examples=40, deadline=None)
def test_gradients_from_the_theorems_equal_autograd(net, seed):
    x, y = points(seed), points(seed + 1, columns=2)
    _, exact = loss_and_grad(net, x, y, method="autograd")
    at = linearise(net, x)
    by_theory = parameter_gradients_by_theory(at, (at.y[-1] - y) / len(x))
    assert by_theory.keys() == exact.keys()
    for name, gradient in exact.items():
        scale = max(1e-3, float(gradient.abs().max()))
        torch.testing.assert_close(by_theory[name], gradient, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_three_layer_example(kind):
    """The Example's factor, multiplied out, is what the recursion gives."""
    net = build(
        net=kind, hidden=3, width=4, inputs=4, outputs=2, gamma=0.3, tau0=[0.4, 0.9, 0.6],
        activation="tanh", seed=3,
    )  # fmt: skip
    at = linearise(net, points(0))
    identity = torch.eye(4, dtype=torch.float64).expand(3, 4, 4)
    recursion = iterate(at, {1: identity}, 3)
    torch.testing.assert_close(three_layer_example(at), recursion, rtol=1e-13, atol=1e-14)


def test_resnet_is_the_product_of_its_factors():
    """dy[l]/dy[j+1] = Π_{i=l-1}^{j+1} (I + τ[i] D[i]), the closed form of the theorem."""
    net = build(net="resnet", hidden=5, width=4, inputs=4, outputs=2, tau0=0.7, seed=1)
    at = linearise(net, points(1))
    product = torch.eye(4, dtype=torch.float64).expand(3, 4, 4)
    for i in range(1, 5):
        product = (torch.eye(4, dtype=torch.float64) + net.tau[i].detach() * at.D(i)) @ product
    identity = torch.eye(4, dtype=torch.float64).expand(3, 4, 4)
    torch.testing.assert_close(iterate(at, {1: identity}, 5), product)


def test_layers_out_of_range_are_named():
    at = linearise(build(hidden=2, width=3, inputs=4), points(0))
    with pytest.raises(UserError, match="j = 2, l = 2"):
        state_derivatives(at, 2, 2)


@given(nets, st.integers(0, 100), st.data())
@settings(max_examples=30, deadline=None)
def test_theorems_are_what_follows_from_C_and_s(net, seed, data):
    """The recursion of an architecture without a theorem, on nets that have one."""
    tau, gamma = net.tau.detach(), net.config.gamma
    general, theorem = (
        Recursion(lambda tau, steps=steps: steps(tau, gamma), tau)
        for steps in (net.architecture.coefficients, THEOREMS[net.config.net])
    )
    close = {"rtol": 1e-11, "atol": 1e-12}
    torch.testing.assert_close(general.skips[:, 1:], theorem.skips[:, 1:], **close)
    torch.testing.assert_close(general.scales, theorem.scales, **close)
    assert general.moving == theorem.moving
    j = data.draw(st.integers(0, len(tau) - 1), label="j")
    for a, b in zip(general.column(j), theorem.column(j), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-11)
    random = np.random.Generator(np.random.Philox(seed))
    dskips = torch.from_numpy(random.normal(size=(len(tau) + 1,) * 2)).tril(-1)
    dscales = torch.from_numpy(random.normal(size=len(tau)))
    pulled = (steps.pullback(dskips, dscales) for steps in (general, theorem))
    torch.testing.assert_close(*pulled, rtol=1e-9, atol=1e-10)
