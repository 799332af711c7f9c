"""The fast path gives the module's numbers: values, gradients, norms, within predicted memory."""

import tracemalloc
from time import perf_counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from net_strategies import ARCHITECTURES, flatten, losses, random_data, random_nets

from nets import Loss, UserError, build, loss_and_grad
from nets.fast.kernel import FastObjective, predict
from nets.gradients.adjoint import adjoint_states, states


def free_gradient(net, gradients):
    """The gradient of `loss_and_grad` in the order of `net.pack()`."""
    *weights, tau = gradients.values()
    learned = [] if net.config.tau == "fixed" else [net.free_tau_gradient(tau)]
    return torch.cat([g.flatten() for g in [*weights, *learned]]).numpy()


@settings(max_examples=120, deadline=None)
@given(net=random_nets(max_hidden=11), loss=losses)
def test_fast_path_is_autograd(net, loss):
    x, y = random_data(net)
    J, gradients = loss_and_grad(net, x, y, loss=loss, method="autograd")
    objective = FastObjective(net, x, y, loss)
    K, gradient = objective(net.pack())
    scale = max(1e-300, float(flatten(gradients).abs().max()))
    assert float(J) == pytest.approx(K, rel=1e-12)
    assert objective.last.mse + objective.last.penalty == K
    assert objective.exceeds(net.pack(), K * (1 - 1e-9)) == (K > 0)
    assert not objective.exceeds(net.pack(), K)
    np.testing.assert_allclose(gradient, free_gradient(net, gradients), 1e-10, 1e-10 * scale)
    np.testing.assert_allclose(objective.tau_gradient, gradients["tau"], 1e-10, 1e-10 * scale)
    torch.testing.assert_close(predict(net, x), net(x).detach())
    single = predict(net, x, dtype="float32")
    assert single.dtype == torch.float32


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_evaluation_in_single_precision_has_seven_digits(architecture):
    net = build(net=architecture, hidden=2, width=20, activation="tanh", seed=3)
    x = torch.randn(50, net.widths[0], dtype=torch.float64, generator=torch.manual_seed(0))
    single = predict(net, x, dtype="float32").double()
    torch.testing.assert_close(single, predict(net, x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_deep_nets_and_other_points(architecture):
    """Fifty layers, several blocks of memory; and the θ of the call counts, not the net's own."""
    net = build(net=architecture, hidden=50, width=9, tau0=0.02, activation="tanh")
    x, y = random_data(net, rows=30)
    objective = FastObjective(net, x, y, Loss(beta=10))
    theta = 1.1 * net.pack()
    J, gradient = objective(theta)
    net.unpack(theta)
    K, expected = loss_and_grad(net, x, y, loss=Loss(beta=10), method="autograd")
    expected = free_gradient(net, expected)
    assert pytest.approx(float(K), rel=1e-12) == J
    np.testing.assert_allclose(gradient, expected, 1e-9, 1e-11 * abs(expected).max())


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_norms_are_those_of_the_adjoint(architecture):
    net = build(net=architecture, hidden=5, width=[4, 6, 3, 6, 5])
    x, y = random_data(net, rows=20)
    objective = FastObjective(net, x, y)
    objective(net.pack())
    norms = objective.norms()
    outputs, z = states(net, x)
    phi = adjoint_states(net, z, Loss().mse_gradient(outputs[-1], y))
    _, gradients = loss_and_grad(net, x, y)
    np.testing.assert_allclose(norms.y, [float(p.norm()) for p in phi[1:-1]], rtol=1e-12)
    np.testing.assert_allclose(norms.W, [float(gradients[f"W.{l}"].norm()) for l in range(6)])
    np.testing.assert_allclose(norms.b, [float(gradients[f"b.{l}"].norm()) for l in range(5)])
    np.testing.assert_allclose(norms.tau, gradients["tau"], rtol=1e-9)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_several_tiles_add_up_and_runs_repeat(architecture):
    net = build(net=architecture, hidden=6, width=20)
    x, y = random_data(net, rows=500)
    theta = net.pack()
    J, gradient = FastObjective(net, x, y)(theta)
    parts = [FastObjective(net, x[k : k + 20], y[k : k + 20])(theta) for k in range(0, 500, 20)]
    assert np.mean([part for part, _ in parts]) == pytest.approx(J, rel=1e-13)
    sums = np.mean([part for _, part in parts], axis=0)
    np.testing.assert_allclose(gradient, sums, 1e-9, 1e-13 * abs(gradient).max())
    again = FastObjective(net, x, y)(theta)
    assert again[0] == J
    np.testing.assert_array_equal(again[1], gradient)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_single_precision_evaluation(architecture):
    """float32 sweeps stay within float32 rounding of the float64 ones."""
    net = build(net=architecture, hidden=6, width=20, tau0="1/H", eta=0.5)
    x, y = random_data(net, rows=400)
    J, gradient = FastObjective(net, x, y)(net.pack())
    K, single = FastObjective(net, x, y, dtype="float32")(net.pack())
    assert pytest.approx(J, rel=1e-5) == K
    assert single.dtype == np.float64
    assert np.linalg.norm(single - gradient) < 1e-5 * np.linalg.norm(gradient)


def test_forbidden_and_overflowing_points_are_rejected():
    net = build(net="fractional", hidden=3, width=4)
    x, y = random_data(net)
    objective = FastObjective(net, x, y)
    theta = net.pack()
    negative, huge, nan = theta.copy(), 1e200 * theta, theta.copy()
    negative[-1], nan[0] = -0.1, np.nan
    for bad in (negative, huge, nan):
        J, gradient = objective(bad)
        assert np.isinf(J)
        assert not objective.last.finite
        assert not gradient.any()
    J, _ = objective(theta)
    assert np.isfinite(J)
    assert objective.last.finite


def test_mini_batches_reuse_the_buffers():
    net = build(hidden=2, width=5)
    x, y = random_data(net, rows=60)
    objective = FastObjective(net, x[:20], y[:20])
    objective.set_data(x[20:40], y[20:40])
    assert objective(net.pack())[0] == FastObjective(net, x[20:40], y[20:40])(net.pack())[0]
    with pytest.raises(UserError, match="need 20 rows, got 5"):
        objective.set_data(x[:5], y[:5])


@pytest.mark.parametrize(
    ("x", "words"), [(torch.zeros(0, 7), "no rows"), (torch.zeros(4, 6), "shape")]
)
def test_bad_data_is_refused(x, words):
    net = build(hidden=1, width=2)
    with pytest.raises(UserError, match=words):
        FastObjective(net, x, torch.zeros(len(x), 3))


def test_a_call_allocates_no_arrays_of_the_size_of_the_data():
    net = build(net="fractional", hidden=8, width=20)
    x, y = random_data(net, rows=3000)
    objective = FastObjective(net, x, y)
    objective(net.pack())
    tracemalloc.start()
    objective(net.pack())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2e5


def test_fast_path_is_faster_than_autograd():
    """A sanity check with wide margins; the ratios are measured in tests/benchmarks."""
    net = build(net="fractional", hidden=30, width=30)
    x, y = random_data(net, rows=1000)
    objective, theta = FastObjective(net, x, y), net.pack()
    seconds = {"fast": [], "autograd": []}
    objective(theta)
    for _ in range(3):
        for name, call in (
            ("fast", lambda: objective(theta)),
            ("autograd", lambda: loss_and_grad(net, x, y, method="autograd")),
        ):
            start = perf_counter()
            call()
            seconds[name].append(perf_counter() - start)
    assert 2 * min(seconds["fast"]) < min(seconds["autograd"])
