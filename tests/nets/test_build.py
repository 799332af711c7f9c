"""The module against a naive loop over the layers, its starting values, and what it refuses."""

from math import erf
from math import gamma as Gamma

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from net_strategies import ARCHITECTURES, random_data, random_nets

from nets import UserError, architectures, build
from nets.activations import ACTIVATIONS, Activation, activation
from nets.fast.kernel import predict


def naive_activation(z, name, eta):
    if name == "tanh":
        return np.tanh(z)
    if name == "softplus":
        return np.log1p(np.exp(z))
    if name == "gelu":
        return z * (1 + erf(z / 2**0.5)) / 2
    if name in ("relu", "sine"):
        return max(0.0, z) if name == "relu" else np.sin(z)
    if abs(z) > eta:
        return max(0.0, z)
    return z**2 / (4 * eta) + z / 2 + eta / 4


def naive_project(y, to, carried):
    return np.array([y[i] if carried and i < len(y) else 0.0 for i in range(to)])


def naive_A(tau, gamma, l, j):
    long, short = sum(tau[j : l + 1]), sum(tau[j + 1 : l + 1])
    return tau[l] ** gamma / tau[j] * (long ** (1 - gamma) - short ** (1 - gamma))


def naive_forward(net, x):
    """The table of maths 2, one point and one layer at a time, in plain Python."""
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


@settings(max_examples=80, deadline=None)
@given(net=random_nets())
def test_module_is_the_table(net):
    x, _ = random_data(net, rows=3)
    expected = np.array([naive_forward(net, row) for row in x.numpy()])
    np.testing.assert_allclose(net(x).detach().numpy(), expected, rtol=1e-10, atol=1e-10)


def test_every_architecture_is_tested():
    assert set(architectures.names()) == set(ARCHITECTURES)


@settings(max_examples=15, deadline=None)
@given(net=random_nets(architectures=("fractional",)))
def test_fractional_tends_to_the_resnet(net):
    """As γ → 1 the difference falls linearly in 1 − γ."""
    x, _ = random_data(net)
    settings_of = net.config.as_dict()
    with torch.no_grad():
        resnet = build(**{**settings_of, "net": "resnet"})(x)
        gaps = [
            float((build(**{**settings_of, "gamma": 1 - eps})(x) - resnet).abs().max())
            for eps in (1e-4, 1e-8)
        ]
    assert gaps[1] <= 1e-7 * max(1.0, float(resnet.abs().max()))
    assert gaps[1] <= 1e-3 * gaps[0] + 1e-12


def test_input_is_not_carried_just_because_a_width_agrees():
    net = build(net="resnet", hidden=2, width=7)
    with torch.no_grad():
        for parameter in (*net.W[:-1], *net.b):
            parameter.zero_()
    x = torch.ones(4, 7, dtype=torch.float64)
    assert net(x).abs().max() < 1e-3  # smoothReLU(0) = η/4 is all that is left
    carried = build(net="resnet", hidden=2, width=7, carry_input=True)
    with torch.no_grad():
        for parameter in (*carried.W[:-1], *carried.b):
            parameter.zero_()
    torch.testing.assert_close(carried(x), x @ carried.W[-1].T, atol=1e-3, rtol=0)


@pytest.mark.parametrize("name", sorted(ACTIVATIONS))
@pytest.mark.parametrize("eta", [1e-4, 0.3, 8.0])
def test_slope_is_the_derivative(name, eta):
    sigma = activation(name, eta)
    z = torch.cat([torch.linspace(-30, 30, 601), torch.linspace(-2 * eta, 2 * eta, 101)]).double()
    z.requires_grad_()
    (derivative,) = torch.autograd.grad(sigma.value(z).sum(), z)
    torch.testing.assert_close(sigma.slope(z), derivative, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["relu", "gelu", "sine"])
def test_values_of_the_other_activations(name):
    z = torch.linspace(-6, 6, 101, dtype=torch.float64)
    naive = [naive_activation(float(v), name, 1.0) for v in z]
    np.testing.assert_allclose(activation(name, 1.0).value(z), naive, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("inputs", "width"), [(7, 5), (5, 7), (6, 6)])
def test_an_orthogonal_start(inputs, width):
    net = build(init="orthogonal", scale=1.5, hidden=3, width=width, inputs=inputs)
    for W in net.W:
        gram = (W @ W.T if W.shape[0] <= W.shape[1] else W.T @ W).detach()
        torch.testing.assert_close(gram, 2.25 * torch.eye(len(gram), dtype=torch.float64))
    signs = [float(build(init="orthogonal", hidden=2, seed=s).W[1][0, 0]) > 0 for s in range(40)]
    assert 8 < sum(signs) < 32, "as often positive as negative"


def test_users_can_add_an_activation():
    ACTIVATIONS["square"] = lambda eta: Activation("square", torch.square, lambda z: 2 * z)
    try:
        net = build(activation="square", hidden=1, width=3)
        x, _ = random_data(net)
        expected = torch.square(x @ net.W[0].T + net.b[0]) @ net.W[1].T
        torch.testing.assert_close(net(x), expected)
    finally:
        del ACTIVATIONS["square"]


@pytest.mark.parametrize(
    ("tau0", "expected"),
    [
        (0.2, 0.2), ("1/H", 0.25), ("1/sqrtH", 0.5), (1.0, 1.0), (1, 1.0), ("0.2", 0.2),
        ("2/H", 0.5), ("-3/sqrtH", -1.5), (" 0.5/H ", 0.125), ("1e-1", 0.1),
    ],
)  # fmt: skip
def test_starting_steps(tau0, expected):
    assert build(hidden=4, width=3, tau0=tau0).tau.tolist() == [expected] * 4


@pytest.mark.parametrize("tau0", ["0.25,1/H,2,-1", [0.25, 0.25, 2.0, -1.0]])
def test_starting_steps_layer_by_layer(tau0):
    assert build(hidden=4, width=3, tau0=tau0).tau.tolist() == [0.25, 0.25, 2.0, -1.0]


def test_rezero_keeps_its_first_step():
    net = build(tau="rezero", hidden=4, width=5)
    assert net.tau.tolist() == [1, 0, 0, 0]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = random_data(net)
    (net(x) - y).square().mean().backward()
    optimizer.step()
    assert net.tau[0] == 1
    assert net.tau[1:].abs().min() > 0
    assert torch.equal(net.state_dict()["tau"], net.tau)
    decaying = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=1.0)
    (net(x) - y).square().mean().backward()
    decaying.step()
    assert net.tau[0] == 1
    assert net.state_dict()["tau"][0] == 1


def test_a_global_step_is_one_parameter():
    net = build(tau="global", tau0="uniform", hidden=5, width=4)
    assert net.tau.shape == (5,)
    assert len(set(net.tau.tolist())) == 1
    assert dict(net.named_parameters())["tau"].shape == (1,)


def test_seeds_decide_everything():
    state = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (build(tau0="uniform", seed=seed) for seed in (3, 3, 4))
    single = build(tau0="uniform", seed=3, dtype="float32")
    np.testing.assert_array_equal(first.pack(), again.pack())
    np.testing.assert_array_equal(first.pack().astype(np.float32), single.pack())
    assert not np.array_equal(first.pack(), other.pack())
    assert torch.equal(state[0], torch.random.get_rng_state())
    np.testing.assert_array_equal(state[1], np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize(
    ("init", "deviation"),
    [("torch", 1 / np.sqrt(3 * 400)), ("he", np.sqrt(2 / 400)), ("normal", 1 / 20),
     ("xavier", np.sqrt(2 / 800))],
)  # fmt: skip
def test_initial_weights_have_their_spread(init, deviation):
    net = build(hidden=2, width=400, init=init, scale=3.0)
    assert float(net.W[1].detach().std()) == pytest.approx(3 * deviation, rel=0.01)


def test_sorted_biases_ascend():
    net = build(sort_biases=True)
    plain = build(sort_biases=False)
    for b, unsorted in zip(net.b, plain.b, strict=True):
        assert torch.equal(b, unsorted.sort().values)


@pytest.mark.parametrize("net", ARCHITECTURES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_trains_with_a_torch_optimiser(net, dtype):
    model = build(net=net, hidden=3, width=8, dtype=dtype, tau0=0.5)
    assert model(torch.zeros(2, 7, dtype=dtype)).dtype == dtype
    x, y = (t.to(dtype) for t in random_data(model, rows=40))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    history = []
    for _ in range(60):
        optimizer.zero_grad()
        J = (model(x) - y).square().mean()
        J.backward()
        optimizer.step()
        history.append(J.item())
    assert history[-1] < 0.7 * history[0]


def test_a_plain_optimiser_cannot_make_a_fractional_step_negative():
    net = build(net="fractional", hidden=3, width=8, tau0=0.1)
    x, y = random_data(net, rows=40)
    optimizer = torch.optim.SGD([net.tau], lr=50.0)
    touched = False
    for _ in range(20):
        optimizer.zero_grad()
        (net(x) - y).square().mean().backward()
        optimizer.step()
        touched |= bool((net.state_dict()["tau"] <= 0).any())
        assert (net.tau > 0).all()
        assert torch.isfinite(net(x)).all()
    assert touched


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"net": "fractional", "gamma": 1.5}, "gamma must lie in (0, 1), got 1.5"),
        ({"gamma": 0.0}, "gamma must lie in (0, 1)"),
        ({"gamma": float("nan")}, "gamma must lie in (0, 1)"),
        ({"net": "fractional", "tau0": 0.0}, "tau0 must be positive"),
        ({"net": "fractional", "tau0": (1.0, -0.1), "hidden": 2}, "got -0.1"),
        ({"tau0": float("nan")}, "tau0 must be finite"),
        ({"tau0": "1/h"}, "(such as 1/H), or uniform, got '1/h'"),
        ({"tau0": "H"}, "tau0 must be a number"),
        ({"tau0": "1/"}, "tau0 must be a number"),
        ({"tau0": ""}, "tau0 must be a number"),
        ({"tau0": "0.1,,0.2"}, "tau0 must be a number"),
        ({"tau0": "nan"}, "tau0 must be finite"),
        ({"tau0": "1e308,inf", "hidden": 2}, "tau0 must be finite, got inf"),
        ({"net": "fractional", "tau0": "-1/H"}, "tau0 must be positive"),
        ({"tau": "global", "tau0": "1,2", "hidden": 2}, "one step for all layers"),
        ({"tau0": (1.0, 2.0), "hidden": 3}, "tau0 has 2 steps but hidden = 3"),
        ({"net": "fractional", "tau": "rezero"}, "divides by"),
        ({"eta": 0.0}, "eta must be positive, got 0.0"),
        ({"eta": -1.0, "activation": "tanh"}, "eta must be positive, got -1.0"),
        ({"hidden": 0}, "hidden must be a whole number >= 1, got 0"),
        ({"hidden": 2.5}, "hidden must be a whole number"),
        ({"width": [10, 20], "hidden": 3}, "width has 2 entries but hidden = 3"),
        ({"width": [10, 0], "hidden": 2}, "width must be a whole number >= 1, got 0"),
        ({"carry_input": True, "width": 50}, "carry_input needs every hidden width"),
        ({"net": "resnt"}, "did you mean 'resnet'?"),
        ({"activation": "relu6x"}, "unknown activation 'relu6x'"),
        ({"init": "heh"}, "did you mean 'he'?"),
        ({"dtype": torch.float16}, "unknown dtype 'float16'"),
        ({"tau": "free"}, "unknown tau 'free'"),
    ],
)
def test_bad_settings_are_refused_in_one_line(arguments, words):
    with pytest.raises(UserError) as error:
        build(**arguments)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.zeros(3, 6), "x must have shape (N, 7), got (3, 6)"),
        (torch.zeros(7), "x must have shape (N, 7), got (7,)"),
        (torch.tensor([[0.0] * 7, [float("nan")] * 7]), "row 1"),
    ],
)
def test_bad_inputs_are_refused(x, words):
    with pytest.raises(UserError) as error:
        build()(x)
    assert words in str(error.value)


def test_overflow_is_an_error_and_not_a_nan():
    net = build(net="densenet", hidden=40, width=20, init="he", scale=20.0, dtype="float32")
    x, _ = random_data(net)
    with pytest.raises(UserError, match="not finite"):
        net(x)
    with pytest.raises(UserError, match="not finite"):
        predict(net, x)


def test_a_fixed_step_set_below_zero_is_refused():
    net = build(net="fractional", tau="fixed", hidden=3, width=5)
    with torch.no_grad():
        net.tau[1] = -0.5
    with pytest.raises(UserError, match=r"tau\[1\] = -0.5"):
        net(torch.zeros(2, 7))


def test_precision_can_be_changed_as_in_torch():
    net = build(hidden=2, width=5).to(torch.float32)
    x, _ = random_data(net)
    assert net(x).dtype == torch.float32


@settings(max_examples=20, deadline=None)
@given(net=random_nets(), seed=st.integers(0, 99))
def test_pack_and_unpack_are_inverse(net, seed):
    theta = np.random.Generator(np.random.Philox(seed)).random(len(net.pack())) + 0.1
    net.unpack(theta)
    np.testing.assert_array_equal(net.pack(), theta)
    with pytest.raises(UserError, match="theta must have"):
        net.unpack(theta[:-1])


def test_the_first_layer_has_a_scale_of_its_own():
    """With a sine it sets the frequencies; every other layer starts as it would without."""
    plain, wide = build(hidden=3, seed=5), build(hidden=3, seed=5, first_scale=4.0)
    assert torch.equal(wide.W[0], 4 * plain.W[0])
    assert torch.equal(wide.b[0], 4 * plain.b[0])
    for ours, theirs in zip([*plain.W[1:], *plain.b[1:]], [*wide.W[1:], *wide.b[1:]], strict=True):
        assert torch.equal(ours, theirs)
    with pytest.raises(UserError, match="first_scale must be a finite number"):
        build(first_scale=-1.0)


@pytest.mark.parametrize("name", ["eta", "scale", "first_scale"])
def test_whole_numbers_of_any_length_are_numbers(name):
    """A saved net may hold 10^30 where a number belongs: torch converts no such whole number."""
    net = build(hidden=2, width=3, **{name: 10**30})
    assert isinstance(getattr(net.config, name), float)
    assert net(torch.zeros(2, 7, dtype=torch.float64)).shape == (2, 3)
