"""Gradients by hand: DtO equals autograd for every net, every parameter and every penalty."""

import pytest
import torch
from hypothesis import given, settings
from net_strategies import flatten, losses, random_data, random_nets

from nets import Loss, UserError, build, loss_and_grad


@settings(max_examples=120, deadline=None)
@given(net=random_nets(), loss=losses)
def test_dto_is_autograd(net, loss):
    x, y = random_data(net)
    J, by_hand = loss_and_grad(net, x, y, loss=loss, method="dto")
    K, automatic = loss_and_grad(net, x, y, loss=loss, method="autograd")
    assert float(J) == pytest.approx(float(K), rel=1e-12)
    assert list(by_hand) == list(automatic)
    scale = float(flatten(automatic).abs().max())
    for name, gradient in automatic.items():
        torch.testing.assert_close(by_hand[name], gradient, rtol=1e-10, atol=1e-10 * scale)


@settings(max_examples=30, deadline=None)
@given(net=random_nets(), loss=losses)
def test_backward_of_the_module_is_dto(net, loss):
    """What a user's own loop gets from `.backward()` is the same gradient."""
    x, y = random_data(net)
    _, gradients = loss_and_grad(net, x, y, loss=loss, method="dto")
    (loss.mse(net(x), y) + loss.penalty(list(net.W), list(net.b), net.tau)).backward()
    scale = float(flatten(gradients).abs().max())
    for l, W in enumerate(net.W):
        torch.testing.assert_close(W.grad, gradients[f"W.{l}"], rtol=1e-10, atol=1e-10 * scale)
    if net.config.tau != "fixed":
        expected = net.free_tau_gradient(gradients["tau"])
        found = dict(net.named_parameters())["tau"].grad
        if net.config.tau == "rezero":
            assert found[0] == 0
            found = found[1:]
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10 * scale)


def test_loss_is_the_formula():
    """J (maths 3) written out entry by entry."""
    net = build(hidden=2, width=4, tau0=(0.5, -0.25))
    x, y = random_data(net)
    J, _ = loss_and_grad(net, x, y, loss=Loss(lambda1=0.3, lambda2=0.2, beta=10))
    misfit = (net(x) - y).detach()
    fit = sum(float(row @ row) for row in misfit) / (2 * len(x))
    entries = [float(v) for p in [*net.W, *net.b] for v in p.detach().flatten()]
    small = 0.15 * sum(v * v + abs(v) for v in entries)
    steps = 0.1 * sum(t * t + abs(t) for t in (0.5, 0.25))
    biases = [b.tolist() for b in net.b]
    order = 5 * sum(max(0, b[j] - b[j + 1]) ** 2 for b in biases for j in range(3))
    assert order > 0
    assert float(J) == pytest.approx(fit + small + steps + order, rel=1e-13)


def test_gradient_is_a_difference_quotient():
    """An oracle without any differentiation: central differences of J in τ and one bias."""
    loss, h = Loss(lambda1=0.1, lambda2=0.2, beta=10), 1e-6
    net = build(net="fractional", hidden=3, width=4, tau0=(0.5, 0.25, 1.0), eta=0.5)
    x, y = random_data(net)
    _, gradients = loss_and_grad(net, x, y, loss=loss)
    for name, tensor in (("tau", net.tau), ("b.1", net.b[1])):
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                tensor[1] += sign * h
            values.append(float(loss_and_grad(net, x, y, loss=loss)[0]))
            with torch.no_grad():
                tensor[1] -= sign * h
        slope = (values[0] - values[1]) / (2 * h)
        assert float(gradients[name][1]) == pytest.approx(slope, rel=1e-6)


def test_fixed_and_global_steps_have_a_gradient_per_layer():
    tau = {
        policy: build(tau=policy, hidden=4, width=5) for policy in ("fixed", "global", "learned")
    }
    x, y = random_data(tau["fixed"])
    found = {policy: loss_and_grad(net, x, y)[1]["tau"] for policy, net in tau.items()}
    assert found["fixed"].shape == (4,)
    assert torch.equal(found["fixed"], found["learned"])
    assert torch.equal(found["global"], found["learned"])


@pytest.mark.parametrize("values", [{"lambda1": -1.0}, {"beta": float("nan")}])
def test_bad_weights_are_refused(values):
    with pytest.raises(UserError, match="must be a finite number >= 0"):
        Loss(**values)


def test_bad_calls_are_refused():
    net = build(hidden=1, width=2)
    x, y = random_data(net)
    with pytest.raises(UserError, match="did you mean 'autograd'"):
        loss_and_grad(net, x, y, method="autogrd")
    with pytest.raises(UserError, match="same number of rows"):
        loss_and_grad(net, x, y[:-1])
    with pytest.raises(UserError, match=r"y must have shape \(N, 3\)"):
        loss_and_grad(net, x, x)
    with pytest.raises(UserError, match="overflows"):
        loss_and_grad(build(scale=1e200), x, y)
