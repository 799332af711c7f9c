"""Any torch module and any optimiser: the same training, by automatic differentiation."""

import copy

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from base.registry import FILES
from nets import Loss, UserError, architectures, build, load, save, train
from nets.config import NetConfig
from nets.fast.kernel import FastObjective
from nets.residuals.by_autograd import AutogradResiduals
from nets.residuals.jets import channels
from nets.residuals.objective import ResidualObjective
from nets.residuals.terms import Residuals
from nets.residuals.values import jets
from nets.training.budget import objective_of
from nets.user_modules import AutogradObjective, OwnNet, trainable

x = np.random.default_rng(0).uniform(-1, 1, (60, 7))
y = np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2], x[:, 3]], axis=1)


def perceptron(width=6):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(7, width), torch.nn.Tanh(), torch.nn.Linear(width, 3)
    ).double()


def test_its_objective_is_that_of_the_fast_kernel():
    """The feedforward net of the package as a torch module of somebody's: two implementations."""
    net = build(net="feedforward", tau="fixed", hidden=2, width=5, activation="tanh", seed=3)
    loss = Loss(lambda1=1e-3)
    own = trainable(Wrapped(net), x, y)
    names = [name for name, p in own.inner.named_parameters() if p.requires_grad]
    J, gradient = AutogradObjective(own, x, y, loss)(own.pack())
    fast = FastObjective(net, x, y, loss)
    expected, flat = fast(net.pack())
    assert pytest.approx(expected, rel=1e-12) == J
    cuts = np.cumsum([p.numel() for p in net.free_parameters()])[:-1]
    expected_parts = zip(["W.0", "b.0", "W.1", "b.1", "W.2"], np.split(flat, cuts), strict=True)
    cuts = np.cumsum([p.numel() for p in own.free_parameters()])[:-1]
    ours = dict(zip(names, np.split(gradient, cuts), strict=True))
    for name, part in expected_parts:
        np.testing.assert_allclose(ours[f"net.{name}"], part, atol=1e-12)


class Wrapped(torch.nn.Module):
    """A net of the package as a torch module of somebody's; its τ is fixed."""

    def __init__(self, net):
        super().__init__()
        self.net = copy.deepcopy(net)
        self.net._parameters["tau"].requires_grad_(False)

    def forward(self, rows):
        return self.net(rows)


@pytest.mark.parametrize("order", ["value", "first", "laplacian", "second"])
def test_its_residuals_are_those_by_hand(order):
    """Values, gradient and Jacobian, with and without test functions: two implementations."""
    net = build(
        net="resnet", tau="fixed", hidden=2, width=5, activation="tanh", inputs=3, seed=1, outputs=3
    )
    rng, N = np.random.default_rng(0), 11
    A, b = rng.normal(size=(2, channels(order), 3, N)), rng.normal(size=(2, N))
    common = {"x": rng.uniform(-1, 1, (N, 3)), "order": order, "A": A, "b": b}
    tests = csr_array(rng.normal(size=(4, 2 * N)))
    terms = [Residuals(**common, labels=("a", "b")), Residuals(**common, labels=("c",), test=tests)]
    ours, hand = OwnNet(Wrapped(net), net.config), ResidualObjective(net, terms)
    auto, theta = AutogradResiduals(ours, terms), net.pack()
    numbered = copy.deepcopy(net)
    numbered.unpack(np.arange(float(theta.size)))
    order_of = OwnNet(Wrapped(numbered), net.config).pack().astype(int)  # all W first, then all b
    own = theta[order_of]
    J, gradient = auto(own)
    assert pytest.approx(hand(theta)[0], rel=1e-12) == J
    np.testing.assert_allclose(gradient, hand(theta)[1][order_of], atol=1e-11)
    assert auto.parts() == pytest.approx(hand.parts())
    (r, square, right), expected = auto.normal_equations(own), hand.normal_equations(theta)
    np.testing.assert_allclose(r, expected[0], atol=1e-10)
    np.testing.assert_allclose(square, expected[1][np.ix_(order_of, order_of)], atol=1e-9)
    np.testing.assert_allclose(right, expected[2][order_of], atol=1e-9)
    assert auto.exceeds(own, 0.9 * J)
    assert not auto.exceeds(own, 1.1 * J)
    np.testing.assert_allclose(
        jets(ours, common["x"], order), jets(net, common["x"], order), atol=1e-12
    )


def test_a_module_without_second_derivatives_is_refused_for_the_strong_form():
    layers = torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3)
    own = OwnNet(torch.nn.Sequential(*layers).double(), NetConfig(inputs=3))
    term = {"x": x[:, :3], "A": np.ones((1, 10, 3, 60)), "b": np.ones((1, 60)), "labels": ("a",)}
    with pytest.raises(UserError, match="Sequential has no second derivatives"):
        AutogradResiduals(own, [Residuals(order="second", **term)])


def test_torch_adam_takes_the_steps_of_our_adam():
    a, b = perceptron(), perceptron()
    one = train(a, x, y, optimizer="adam", rate=1e-2, steps=30)
    two = train(b, x, y, optimizer=torch.optim.Adam, rate=1e-2, steps=30)
    np.testing.assert_allclose(one.history["J"], two.history["J"], rtol=1e-10)
    assert one.net is a, "what was brought comes back"
    assert one.history["grad_W"].shape == (31, 4)


@pytest.mark.parametrize("optimizer", ["auto", "lbfgs", "steepest", torch.optim.LBFGS])
def test_every_optimiser_trains_a_module(optimizer):
    module = perceptron()
    training = train(module, x, y, optimizer=optimizer, steps=10)
    assert training.history["J"][0] > 1.2 * training.J
    with torch.no_grad():
        residual = module(torch.from_numpy(x)) - torch.from_numpy(y)
    assert float(residual.square().sum()) / (2 * len(x)) == pytest.approx(training.J, rel=1e-9)


class Shampoo(torch.optim.Optimizer):
    """G → L^(-1/4) G R^(-1/4) with L = Σ GGᵀ and R = Σ GᵀG: the state has the matrices' shapes."""

    def __init__(self, params, lr=0.1):
        Shampoo.given = list(params)
        super().__init__(Shampoo.given, {"lr": lr})

    def step(self, closure=None):  # as in many a repository, it never calls the closure
        for p in self.param_groups[0]["params"]:
            G = p.grad if p.ndim == 2 else p.grad[:, None]
            state = self.state[p]
            for side, square in (("L", G @ G.T), ("R", G.T @ G)):
                state[side] = state.get(side, 1e-4 * torch.eye(len(square))) + square
            G = self.root(state["L"]) @ G @ self.root(state["R"])
            p.data = p.data - self.param_groups[0]["lr"] * G.reshape(p.shape)

    @staticmethod
    def root(matrix):
        values, vectors = torch.linalg.eigh(matrix.double())
        return vectors @ torch.diag(values ** (-1 / 4)) @ vectors.T


class WithoutClosure(Shampoo):
    def step(self):
        super().step()


@pytest.mark.parametrize("optimizer", [Shampoo, WithoutClosure])
def test_torch_optimisers_get_the_parameters_themselves_and_may_ignore_the_closure(optimizer):
    module = perceptron()
    expected = copy.deepcopy(module)
    training = train(module, x, y, optimizer=optimizer, rate=0.05, steps=5)
    assert training.history["J"][0] > 1.3 * training.J
    assert training.evaluations == 6  # none twice
    assert all(ours is p for ours, p in zip(Shampoo.given, module.parameters(), strict=True))
    assert all(p.grad is None for p in module.parameters())
    steps = Shampoo(expected.parameters(), lr=0.05)
    for _ in range(5):  # the usual loop of torch
        loss = (expected(torch.from_numpy(x)) - torch.from_numpy(y)).square().sum() / (2 * len(x))
        steps.zero_grad()
        loss.backward()
        steps.step()
    for ours, theirs in zip(module.parameters(), expected.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_a_torch_optimiser_that_does_nothing_ends_and_one_that_fails_is_one_line():
    class Idle(torch.optim.SGD):
        def step(self, closure=None):
            pass

    class Muon(torch.optim.SGD):
        def step(self, closure=None):
            raise ValueError("only matrices")

    assert "has not moved" in train(perceptron(), x, y, optimizer=Idle, steps=100).reason
    with pytest.raises(UserError, match="'Muon' raised ValueError: only matrices"):
        train(perceptron(), x, y, optimizer=Muon, steps=1)


def test_mini_batches_and_single_precision():
    training = train(perceptron(), x, y, optimizer="adam", batch=20, steps=30, precision="float32")
    assert training.history["J"][0] > training.J


@pytest.mark.parametrize("make", [perceptron, lambda: build(hidden=2, width=5, activation="tanh")])
def test_a_loss_of_ones_own_is_trained_like_ours(make):
    """1/(2N) Σ‖·‖² written by hand, as loss(prediction, y) and as loss(module, data)."""

    def mse(prediction, target):
        return (prediction - target).square().sum() / (2 * len(target))

    def whole(module, data):
        return mse(module(data["x"]), data["y"])

    data = {"x": torch.from_numpy(x), "y": torch.from_numpy(y)}
    ours = train(make(), (x, y), optimizer="ssbfgs", steps=8)
    for theirs in (
        train(make(), (x, y), loss=mse, optimizer="ssbfgs", steps=8),
        train(make(), data, loss=whole, optimizer="ssbfgs", steps=8),
    ):
        np.testing.assert_allclose(theirs.history["J"], ours.history["J"], rtol=1e-7)
    batched = train(make(), x, y, loss=mse, optimizer="adam", batch=20, steps=30)
    assert batched.history["J"][0] > batched.J


def test_a_loss_that_is_none_is_one_line():
    with pytest.raises(UserError, match="one number as a tensor"):
        train(perceptron(), (x, y), loss=lambda prediction, y: prediction - y, steps=1)
    with pytest.raises(UserError, match="needs rows x and y, or loss=function"):
        train(perceptron(), x, steps=1)
    data = torch.from_numpy(x)
    with pytest.raises(UserError, match="exceeds the 0 rows"):
        train(perceptron(), data, loss=lambda module, d: module(d).sum(), optimizer="adam", batch=5)
    with pytest.raises(UserError, match="no residuals for lm"):
        train(perceptron(), (x, y), loss=torch.nn.functional.mse_loss, optimizer="lm", steps=1)


def test_a_function_is_an_optimiser_and_tau_stays_positive():
    def leap(objective, theta, report, rate=3.0):
        while True:
            J, gradient = objective(theta)
            report(theta, J, gradient)
            theta = theta - rate * gradient

    net = build(net="fractional", hidden=2, width=5, tau0=0.05)
    training = train(net, x, y, optimizer=leap, steps=20, rate=0.5)
    assert training.steps == 20
    assert (net.tau > 0).all()
    with pytest.raises(UserError, match="no option 'rat'; did you mean 'rate'"):
        train(net, x, y, optimizer=leap, rat=1.0)


def test_what_goes_wrong_in_it_is_one_line():
    def broken(objective, theta, report):
        objective(theta)
        return theta.nothing

    with pytest.raises(UserError, match=r"'broken' raised AttributeError: .*test_modules.py, line"):
        train(perceptron(), x, y, optimizer=broken)
    with pytest.raises(UserError, match=r"must take \(objective, theta, report\)"):
        train(perceptron(), x, y, optimizer=lambda theta: None)
    with pytest.raises(UserError, match="neither a function"):
        train(perceptron(), x, y, optimizer=3)


def test_a_module_must_fit_its_rows():
    with pytest.raises(UserError, match=r"returns shape \(2, 3\) for 2 rows, not \(2, 1\)"):
        train(perceptron(), x, y[:, :1], steps=1)
    with pytest.raises(UserError, match="does not accept rows of 2 numbers"):
        train(perceptron(), x[:, :2], y, steps=1)
    with pytest.raises(UserError, match="no parameters"):
        train(torch.nn.Identity(), x[:, :3], y, steps=1)
    with pytest.raises(UserError, match="torch module, got str"):
        train("resnet", x, y)
    with pytest.raises(UserError, match="no tau and b to penalise"):
        train(perceptron(), x, y, loss=Loss(beta=1.0), steps=1)


@pytest.fixture
def registered():
    class Net(torch.nn.Module):
        TITLE = "mine"

        def __init__(self, inputs, outputs, width):
            super().__init__()
            self.a, self.b = torch.nn.Linear(inputs, width), torch.nn.Linear(width, outputs)

        def forward(self, rows):
            return self.b(torch.tanh(self.a(rows)))

    FILES["mine@00000000"] = lambda: Net
    yield Net
    del FILES["mine@00000000"]
    architectures.REGISTRY.forget()


def test_build_makes_it_from_the_seed_and_save_keeps_it(registered, tmp_path):
    one, two, three = (build(net="mine@00000000", width=4, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.pack(), two.pack())
    assert not np.array_equal(one.pack(), three.pack())
    assert isinstance(one, OwnNet)
    assert objective_of(one, x, y)(one.pack())[0] > 0
    save(one, tmp_path / "net.safetensors")
    again = load(tmp_path / "net.safetensors")
    rows = torch.from_numpy(x)
    assert torch.equal(again(rows), one(rows))
    assert torch.equal(copy.deepcopy(one)(rows), one(rows))
    with pytest.raises(UserError, match="user's torch module"):
        _ = one.W


def test_an_unknown_parameter_of_a_maker_is_refused_with_the_known_ones():
    FILES["greedy@00000000"] = lambda: lambda inputs, colour: None
    try:
        with pytest.raises(UserError, match="requires 'colour'; it may take inputs, outputs"):
            build(net="greedy@00000000")
    finally:
        del FILES["greedy@00000000"]
