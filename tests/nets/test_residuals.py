"""Residuals of derivatives: every number against automatic differentiation, for every net."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nets import UserError, architectures, build
from nets.activations import ACTIVATIONS, activation
from nets.fast import sweep
from nets.fast.elementwise import TILE, tanh_derivatives
from nets.residuals.jets import CHANNELS, DERIVATIVES
from nets.residuals.objective import ResidualObjective
from nets.residuals.terms import Residuals
from nets.residuals.values import jets

ORDERS = list(CHANNELS)
SMOOTH = [name for name in sorted(ACTIVATIONS) if activation(name, 1.0).smoothness >= 2]


def jets_by_autograd(net, x, order):
    """(channels, outputs, N), differentiable in the parameters."""
    x = torch.as_tensor(x).requires_grad_()
    outputs = net(x)
    columns = []
    for u in outputs.T:
        channels = [u]
        if order != "value":
            (slope,) = torch.autograd.grad(u.sum(), x, create_graph=True)
            channels += list(slope.T)
        if order in ("laplacian", "second"):
            rows = [torch.autograd.grad(s.sum(), x, create_graph=True)[0] for s in slope.T]
            if order == "laplacian":
                channels.append(rows[0][:, 0] + rows[1][:, 1] + rows[2][:, 2])
            else:
                channels += [rows[j][:, k] for j in range(3) for k in range(j, 3)]
        columns.append(torch.stack(channels))
    return torch.stack(columns, 1)


def drawn(random, order, N=9, M=2, outputs=3, test=None):
    return Residuals(
        x=random.uniform(-1, 1, (N, 3)),
        order=order,
        A=random.normal(size=(M, CHANNELS[order], outputs, N)),
        b=random.normal(size=(M, N)),
        labels=("first", "second")[:M] if test is None else ("tested",),
        test=test,
    )


def residuals_by_autograd(net, term):
    U = jets_by_autograd(net, term.x, term.order)
    r = (torch.as_tensor(term.A) * U).sum((1, 2)) - torch.as_tensor(term.b)
    r = r.reshape(-1)
    return r if term.test is None else torch.as_tensor(term.test.toarray()) @ r


def jacobian_by_autograd(net, terms):
    """r and dr/dθ, one backward pass per residual, in the order of `net.pack()`."""
    r = torch.cat([residuals_by_autograd(net, term) for term in terms])
    held = net._parameters["tau"]
    parameters = [*itertools.chain(*zip(net.W, net.b, strict=False)), net.W[-1]]
    parameters += [held] if net.learns_tau else []
    rows = []
    for value in r:
        grads = torch.autograd.grad(value, parameters, retain_graph=True, allow_unused=True)
        parts = [
            torch.zeros_like(p) if g is None else g for g, p in zip(grads, parameters, strict=True)
        ]
        if net.learns_tau and net.config.tau == "rezero":
            parts[-1] = parts[-1][1:]
        rows.append(torch.cat([part.reshape(-1) for part in parts]))
    return r.detach().numpy(), torch.stack(rows).numpy()


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * max(1.0, np.abs(b).max()))


def check(net, terms):
    objective = ResidualObjective(net, terms)
    theta = net.pack()
    r, jacobian = jacobian_by_autograd(net, terms)
    J, gradient = objective(theta)
    assert pytest.approx(0.5 * r @ r, rel=1e-12) == J
    close(gradient, jacobian.T @ r)
    close(objective.residuals(theta), r)
    ours, transposed = objective.jacobian(theta)
    close(ours, r)
    close(transposed.T, jacobian)
    ours, square, right = objective.normal_equations(theta)
    close(ours, r)
    close(square, jacobian.T @ jacobian)
    close(right, jacobian.T @ r)
    assert sum(objective.parts().values()) == pytest.approx(J, rel=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", architectures.names())
def test_loss_gradient_and_jacobian_are_those_of_autograd(name, order):
    """Every architecture with every τ policy it admits, widths that differ."""
    random = np.random.default_rng(7)
    for policy in architectures.tau_policies(name):
        tau0 = 0.7 if policy == "global" else (0.7, 0.8, 0.9)
        net = build(net=name, tau=policy, tau0=tau0, hidden=3, width=(5, 4, 6), inputs=3,
                    activation="tanh", seed=3)  # fmt: skip
        check(net, [drawn(random, order, N=5)])


@pytest.mark.parametrize("activation", ["tanh", "sine"])
def test_points_in_several_tiles(activation, monkeypatch):
    """Tiles that the points do not fill, and several blocks of the Jacobian."""
    monkeypatch.setattr(sweep, "TILES_AT_ONCE", 1)
    random = np.random.default_rng(4)
    net = build(net="densenet", hidden=2, width=3, inputs=3, activation=activation, seed=1)
    net.b[0].data *= 30  # tanh is 1 to all digits somewhere
    check(net, [drawn(random, "laplacian", N=TILE + 1, M=1), drawn(random, "value", N=5)])


def test_tanh_is_that_of_numpy():
    z = np.concatenate([10.0 ** np.arange(-18, 3), [0.0, 0.34, 0.35, 700.0, np.inf, np.nan]])
    rows = np.resize(np.concatenate([z, -z]), (1, TILE))
    d, scratch = np.zeros((1, 4 * TILE)), np.zeros(TILE)
    tanh_derivatives(rows, np.zeros(1), scratch, scratch.view(np.int64), d)
    np.testing.assert_allclose(d[:, :TILE], np.tanh(rows), rtol=8e-16)


@pytest.mark.parametrize("name", SMOOTH)
def test_every_smooth_activation_serves_second_derivatives(name):
    random = np.random.default_rng(1)
    net = build(net="resnet", hidden=2, width=4, inputs=3, activation=name, seed=2)
    check(net, [drawn(random, "second", N=4), drawn(random, "laplacian", N=3)])


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
def test_derivatives_of_activations_are_those_of_autograd(name):
    sigma = activation(name, 0.5)
    z = torch.linspace(-3, 3, 61, dtype=torch.float64).requires_grad_()
    found, values = [sigma.slope, sigma.curvature, sigma.third], sigma.value(z)
    for function in found:
        if function is None:
            assert sigma.smoothness < 2
            break
        (values,) = torch.autograd.grad(values.sum(), z, create_graph=True)
        torch.testing.assert_close(function(z), values, rtol=1e-10, atol=1e-12)
        if not values.requires_grad:
            break


def test_once_differentiable_activations_serve_first_derivatives():
    random = np.random.default_rng(5)
    net = build(net="resnet", hidden=2, width=5, inputs=3, activation="smoothrelu", eta=0.7)
    check(net, [drawn(random, "first", N=6)])
    with pytest.raises(UserError, match="smoothrelu has 1 continuous derivative"):
        ResidualObjective(net, [drawn(random, "laplacian")])


def test_products_with_test_functions_and_more_outputs():
    random = np.random.default_rng(2)
    test = csr_array(random.normal(size=(5, 14)) * (random.random((5, 14)) < 0.5))
    net = build(net="fractional", hidden=2, width=4, inputs=3, outputs=6, activation="tanh")
    tested = drawn(random, "first", N=7, outputs=6, test=test)
    check(net, [tested, drawn(random, "value", N=3, outputs=6)])


@given(seed=st.integers(0, 10**6), order=st.sampled_from(ORDERS), carry=st.booleans())
@settings(max_examples=10, deadline=None)
def test_jets_are_values_and_derivatives(seed, order, carry):
    random = np.random.default_rng(seed)
    net = build(net="densenet", hidden=3, width=3, inputs=3, activation="sine", seed=seed,
                carry_input=carry)  # fmt: skip
    x = random.uniform(-1, 1, (7, 3))
    close(jets(net, x, order), jets_by_autograd(net, x, order).detach().numpy())


def test_a_fit_is_the_same_sum_of_squares():
    """J of samples, as the fast path has it, and as residuals of order "value"."""
    from nets.fast.kernel import FastObjective
    from nets.loss import Loss
    from nets.training.budget import Rows

    random = np.random.default_rng(3)
    net = build(hidden=2, width=5, inputs=7, activation="tanh")
    x, y = random.normal(size=(20, 7)), random.normal(size=(20, 3))
    J, gradient = FastObjective(net, x, y)(net.pack())
    squares = Rows(net, x, y, Loss(), "float64").squares()
    ours, found = squares(net.pack())
    assert ours == pytest.approx(J, rel=1e-13)
    close(found, gradient)
    with pytest.raises(UserError, match="leave out lambda1"):
        Rows(net, x, y, Loss(lambda1=1.0), "float64").squares()


def test_where_tau_is_not_allowed_there_is_no_value():
    net = build(net="fractional", hidden=2, width=4, inputs=3, activation="tanh")
    objective = ResidualObjective(net, [drawn(np.random.default_rng(0), "first")])
    theta = net.pack()
    theta[-1] = -1.0
    J, gradient = objective(theta)
    assert np.isinf(J)
    assert not gradient.any()
    assert objective.residuals(theta) is None
    assert objective.jacobian(theta) is None
    assert objective.normal_equations(theta) is None


def test_bad_residuals_are_refused():
    random = np.random.default_rng(0)
    good = drawn(random, "first")
    with pytest.raises(UserError, match="unknown order"):
        Residuals(x=good.x, order="third", A=good.A, b=good.b, labels=good.labels)
    with pytest.raises(UserError, match="A must have shape"):
        Residuals(x=good.x, order="value", A=good.A, b=good.b, labels=good.labels)
    with pytest.raises(UserError, match="NaN or infinite entry in b"):
        Residuals(x=good.x, order="first", A=good.A, b=good.b * np.nan, labels=good.labels)
    with pytest.raises(UserError, match="at least one set"):
        ResidualObjective(build(inputs=3), [])
    with pytest.raises(UserError, match="3 inputs and 3 outputs"):
        ResidualObjective(build(activation="tanh"), [good])


def test_the_orders_say_what_they_need():
    assert set(DERIVATIVES) == set(CHANNELS)
    assert [CHANNELS[order] for order in ORDERS] == [1, 4, 5, 10]
