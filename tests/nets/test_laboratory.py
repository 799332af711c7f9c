"""The laboratory's measurements, each against an independent computation."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import torch
from torch import nn

import nets
from base.errors import UserError
from nets.laboratory.anatomy import dissect
from nets.laboratory.branches import residual_branches
from nets.laboratory.diagnosis import Findings, diagnose
from nets.laboratory.jacobians import Jacobian, leading_singular_values, lyapunov_exponents, spectra
from nets.laboratory.memory import memory_profiles
from nets.laboratory.profile import Profile, plain_attention, profile
from nets.laboratory.subject import Batch, Subject


class Block(nn.Module):
    """x + attention, x + mlp, with functions, several heads of a branch, dropout at its end."""

    def __init__(self, width=8, pre_norm=False):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(width, width) for _ in range(4))
        self.drop = nn.Dropout(0.1)
        self.mlp = nn.Sequential(nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width)] * 2) if pre_norm else None

    def forward(self, x):
        h = self.norms[0](x) if self.norms is not None else x
        mixed = nn.functional.scaled_dot_product_attention(self.q(h), self.k(h), self.v(h))
        x = x + self.drop(self.out(mixed))
        return x + self.mlp(x)


class Stack(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.place = nn.Parameter(torch.randn(5, 8))
        self.body = nn.ModuleList(blocks)
        self.read = nn.Linear(8, 11)

    def forward(self, x):
        x = self.embed(x) + self.place
        for block in self.body:
            x = block(x)
        return self.read(x)


class Post(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.norm = nn.Linear(8, 8), nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x + self.f(x))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.read = nn.GRUCell(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        h = None
        for t in range(x.shape[1]):
            h = self.cell(x[:, t], h)
        return self.read(h)


def letters():
    return torch.randint(0, 11, (4, 5)), torch.randint(0, 11, (4, 5))


def examined(make, data):
    torch.manual_seed(0)
    data = data() if callable(data) else data
    subject = Subject(make, data)
    module, batch = subject.make(0).double(), subject.batches(0, 1)[0].to(torch.float64)
    return subject, module, batch, dissect(subject, module, batch)


def test_layers_come_in_order_of_execution_and_by_block():
    *_, anatomy = examined(lambda: Stack(Block(), Block(), Block()), letters)
    assert [block.name for block in anatomy.blocks] == [
        "embed", "place", "body.0", "body.1", "body.2", "read",
    ]  # fmt: skip
    assert [layer.name for layer in anatomy.layers[:4]] == [
        "embed",
        "place",
        "body.0.q",
        "body.0.k",
    ]
    assert anatomy.layers[1].orphan
    assert {layer.block for layer in anatomy.layers if ".q" in layer.name} == {
        "body.0", "body.1", "body.2",
    }  # fmt: skip


def test_activations_and_norms_belong_to_the_layer_before_them():
    conv = nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.Flatten(),
        nn.Linear(144, 2),
    )
    *_, anatomy = examined(conv, (torch.randn(3, 1, 8, 8), torch.tensor([0, 1, 1])))
    assert [block.layers for block in anatomy.blocks] == [("0", "1", "2", "3"), ("4",)]


def test_called_out_of_order_shared_and_frozen():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.last, self.twice, self.first = (nn.Linear(3, 3) for _ in range(3))
            self.tied = nn.Linear(3, 3)
            self.tied.weight = self.first.weight
            self.first.requires_grad_(False)

        def forward(self, x):
            return self.last(self.tied(self.twice(self.twice(self.first(x)))))

    subject, module, batch, anatomy = examined(Odd, (torch.randn(4, 3), torch.randn(4, 3)))
    assert [layer.name for layer in anatomy.layers] == ["first", "twice", "tied", "last"]
    assert [layer.shared for layer in anatomy.layers] == [False, True, True, False]
    assert [layer.frozen for layer in anatomy.layers] == [True, False, False, False]
    found = profile(subject, module, batch, anatomy)
    assert found.states == ("first", "twice#1", "twice#2", "tied", "last")
    assert math.isnan(found.state_adjoint[0]), "nothing before it learns"


def test_bare_parameters_are_layers():
    *_, anatomy = examined(
        lambda: nets.build(net="fractional", hidden=3, width=4),
        (torch.randn(5, 7), torch.randn(5, 3)),
    )
    assert [layer.name for layer in anatomy.layers if "W" in layer.name] == [
        "W.0", "W.1", "W.2", "W.3",
    ]  # fmt: skip


def test_profile_is_what_autograd_says():
    subject, module, batch, anatomy = examined(
        lambda: nn.Sequential(
            nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 2)
        ),
        (torch.randn(6, 3), torch.randn(6, 2)),
    )
    found = profile(subject, module, batch, anatomy)
    y1 = torch.tanh(module[0](batch.x))
    y2 = torch.relu(module[2](y1))
    J = (module[4](y2) - batch.y).square().mean()
    by = torch.autograd.grad(J, [y1, y2, *module.parameters()])
    assert pytest.approx(J.item(), rel=1e-12) == found.J
    np.testing.assert_allclose(found.state_adjoint[:2], [g.norm() for g in by[:2]], rtol=1e-12)
    rms = [y.detach().square().mean().sqrt() for y in (y1, y2)]
    np.testing.assert_allclose(found.state_scale[:2], rms, rtol=1e-12)
    gradients = [
        torch.cat([a.flatten(), b.flatten()]).norm() for a, b in (by[2:4], by[4:6], by[6:])
    ]
    np.testing.assert_allclose(found.gradient[[0, 2, 4]], gradients, rtol=1e-12)
    dead = ((y2 == 0).all(0)).double().mean()
    assert found.state_dead[1] == pytest.approx(float(dead))


def test_dead_units_are_counted():
    subject, module, batch, anatomy = examined(
        lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)),
        (torch.randn(6, 3), torch.randn(6, 2)),
    )
    with torch.no_grad():
        module[0].weight[1:] = 0.0
        module[0].bias.copy_(torch.tensor([9.0, 1.0, -1.0, -2.0]))
    assert profile(subject, module, batch, anatomy).state_dead[0] == 0.5


@pytest.mark.parametrize("pre_norm", [False, True])
def test_branches_of_residual_blocks(pre_norm):
    _, module, batch, anatomy = examined(
        lambda: Stack(*(Block(pre_norm=pre_norm) for _ in range(3))), letters
    )
    attention, mlp = residual_branches(module, batch, anatomy)["body.1"]
    assert attention.end == "body.1.drop"
    assert mlp.end == "body.1.mlp"
    heads = ("body.1.norms.0",) if pre_norm else ("body.1.q", "body.1.k", "body.1.v")
    assert attention.heads == heads
    assert attention.normalised == pre_norm


def test_what_is_not_residual():
    _, module, batch, anatomy = examined(lambda: Stack(Post(), Post(), Post()), letters)
    assert residual_branches(module, batch, anatomy) == {}


def jacobian_of(function, x):
    """Dense, by torch.func, sample by sample."""
    rows = [torch.func.jacrev(function)(one[None]).reshape(-1, one.numel()) for one in x]
    return torch.stack(rows)


@pytest.mark.parametrize("kind", ["attention", "convolution"])
def test_ten_singular_values_agree_with_the_dense_ones(kind):
    torch.manual_seed(1)
    if kind == "attention":
        module, x = nn.Sequential(Block(), Block(), Block()).double().eval(), torch.randn(2, 6, 8)
    else:
        module = nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 3, 3)
        ).double()
        x = torch.randn(2, 2, 7, 7)
    x = x.double().requires_grad_()
    with plain_attention():
        J = Jacobian(x, module(x), samples=2)
        found = leading_singular_values(J, 10)
        dense = torch.linalg.svdvals(jacobian_of(module, x.detach()))[:, :10]
    assert found.shape == (2, 10)
    np.testing.assert_allclose(found, dense.detach(), rtol=1e-6)


def test_lyapunov_exponents_of_linear_nets_by_the_product_formula():
    """R of the QR factors of the whole product, in fifty digits, against step-by-step QR."""
    torch.manual_seed(2)
    n, depth, count = 6, 12, 4
    layers = [nn.Linear(n, n, bias=False, dtype=torch.float64) for _ in range(depth)]
    states = [torch.randn(1, n, dtype=torch.float64, requires_grad=True)]
    for layer in layers:
        states.append(layer(states[-1]))
    chain = [Jacobian(a, b, 1) for a, b in pairwise(states)]
    found = lyapunov_exponents(chain, count, seed=5)[0]
    generator = torch.Generator().manual_seed(5)
    start = torch.randn(1, n, count, generator=generator, dtype=torch.float64)
    with mpmath.workdps(50):
        product = mpmath.matrix(torch.linalg.qr(start)[0][0].tolist())
        for layer in reversed(layers):
            product = mpmath.matrix(layer.weight.T.tolist()) * product
        _, R = mpmath.qr(product, mode="skinny")
        exact = sorted(
            (float(mpmath.log(abs(R[i, i]))) / depth for i in range(count)), reverse=True
        )
    np.testing.assert_allclose(found, exact, atol=1e-10)


def test_samples_that_mix_are_one():
    def batchnorm():
        layers = (
            part for _ in range(3) for part in (nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
        )
        return nn.Sequential(*layers, nn.Linear(4, 1))

    _, module, batch, anatomy = examined(batchnorm, (torch.randn(5, 4), torch.randn(5, 1)))
    assert spectra(module, batch, anatomy).mixed
    _, module, batch, anatomy = examined(lambda: Stack(Block(), Block()), letters)
    with plain_attention():
        found = spectra(module, batch, anatomy)
    assert not found.mixed
    assert found.states == ("embed", "place", "body.0", "body.1")


def test_memory_is_the_gradient_through_the_cells():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.read = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)

        def forward(self, x):
            return self.read(self.lstm(x)[0])

    _, module, batch, anatomy = examined(Net, (torch.randn(2, 9, 3), torch.randn(2, 9, 2)))
    found = memory_profiles(module, batch, anatomy, seed=3)["lstm"]
    lstm, xs = module.lstm, [step.clone().requires_grad_() for step in batch.x.unbind(1)]
    h = c = torch.zeros(2, 4, dtype=torch.float64)
    for x in xs:
        gates = (
            x @ lstm.weight_ih_l0.T + lstm.bias_ih_l0 + h @ lstm.weight_hh_l0.T + lstm.bias_hh_l0
        )
        i, f, g, o = gates.chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    v = torch.randn(h.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    naive = [g.norm().log10().item() for g in torch.autograd.grad(h, xs, v)]
    np.testing.assert_allclose(found, naive, atol=1e-9)


def test_a_loop_over_a_cell_is_a_chain_of_states():
    subject, module, batch, anatomy = examined(Cells, (torch.randn(2, 6, 3), torch.randn(2, 2)))
    found = profile(subject, module, batch, anatomy)
    assert found.states == (*(f"cell#{t}" for t in range(1, 7)), "read")
    assert (np.diff(found.state_adjoint[:-1]) > 0).all()


def made_up(logs, dead=0.0):
    norms, n = 10.0 ** np.asarray(logs, dtype=float), len(logs)
    flat = np.ones(n)
    return Profile(
        J=1.0, gradient=norms, weight=flat, adjoint=norms, scale=flat, dead=flat * dead,
        saturated=flat * np.nan, states=tuple(f"s{k}" for k in range(n)), state_adjoint=norms,
        state_scale=flat, state_dead=np.append(flat[1:] * 0, dead),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("logs", "lyapunov", "verdict", "layer"),
    [
        ([0, 0.2, -0.1, 0, 0], 0.1, "healthy", None),
        ([-5, -3.9, -2.5, -1.2, 0, 0], -1.0, "vanishing", "s3"),
        ([5, 3.9, 2.5, 0.6, 0, 0], 1.0, "exploding", "s2"),
        ([-4, -4, -4, 0, 0, 0], -1.0, "vanishing", "s2"),
        ([2, 1.5, 1, 0.5, 0, 0], 0.5, "chaotic", "s2"),
        ([-2, -1.5, -1, -0.5, 0, 0], -0.5, "ordered", "s2"),
        ([-2, -1.5, -1, -0.5, 0, 0], 0.5, "healthy", None),
    ],
)
def test_rules_of_the_diagnosis(logs, lyapunov, verdict, layer):
    found = diagnose(Findings(made_up(logs), {}, lyapunov))
    assert (found.verdict, found.layer) == (verdict, layer)


def test_dead_and_fading_memory_are_distinguished():
    assert diagnose(Findings(made_up([0, 0, 0], dead=0.99), {})).verdict == "dead"
    faded = diagnose(
        Findings(made_up([0, 0, 0]), {"rnn": np.linspace(-9, 0, 40)}, forget_gate={"rnn": 0.5})
    )
    assert (faded.verdict, faded.layer, faded.over) == ("vanishing", "rnn", "time")
    assert "forget gate starts at 0.50" in faded.cause
    assert faded.factor == pytest.approx(10 ** (-9 / 39))


def test_a_single_culprit_is_named():
    found = diagnose(Findings(made_up([-6, -5.8, -5.7, -0.2, 0, 0]), {}, -1.0))
    assert found.layer == "s2"
    assert "s2 to s3" in found.cause


def bad(make, data=None, loss=None):
    torch.manual_seed(0)
    data = data or (torch.randn(4, 3), torch.randn(4, 2))
    return nets.gradient_study(make, data, loss, steps=0, remedies=False)


def broken(value):
    module = nn.Linear(3, 2)
    nn.init.constant_(module.weight, value)
    return module


class Detached(nn.Linear):
    def forward(self, x):
        return super().forward(x).detach()


class Logarithm(nn.Linear):
    def forward(self, x):
        return super().forward(x).square().neg().log()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((lambda: 3,), r"must return a torch.nn.Module, it returned 3"),
        ((lambda width: nn.Linear(3, 2),), "could not be called without arguments"),
        ((nn.ReLU(),), "no parameter with requires_grad"),
        ((nn.Linear(3, 2).requires_grad_(False),), "no parameter with requires_grad"),
        ((Detached(3, 2),), "no gradient reaches the parameters"),
        ((broken(math.nan),), "weight has a NaN"),
        (
            (nn.Sequential(Logarithm(3, 2), nn.Linear(2, 2)),),
            "J is nan before the first step.*is 0",
        ),
        ((nn.Linear(5, 2),), r"does not accept its data, \(4, 3\) float32: mat1 and mat2"),
        ((nn.Linear(3, 4),), r"\(4, 4\) float32 and target \(4, 2\) float32 differ in shape"),
        ((nn.Linear(3, 2), (torch.full((4, 3), math.inf), torch.zeros(4, 2))), "infinite entry"),
        ((nn.Linear(3, 2), 7), "data must be a pair"),
        ((nn.Linear(3, 2), None, lambda out, y: out), "the loss must be one number"),
        ((nn.LazyLinear(2),), "is lazy"),
    ],
)
def test_bad_modules_are_one_clear_line(arguments, words):
    with pytest.raises(UserError, match=words) as caught:
        bad(*arguments)
    assert "\n" not in str(caught.value)


def test_several_seeds_need_a_function():
    with pytest.raises(UserError, match="several seeds need a function"):
        nets.gradient_study(nn.Linear(3, 2), (torch.ones(4, 3), torch.ones(4, 2)), seeds=2)


def test_batches_are_the_same_for_all_that_is_compared():
    subject = Subject(nn.Linear(3, 2), lambda: (torch.randn(4, 3), torch.randn(4, 2)))
    few, many = subject.batches(0, 2), subject.batches(0, 5)
    assert all(torch.equal(a.x, b.x) for a, b in zip(few, many, strict=False))
    assert not torch.equal(many[0].x, many[1].x)
    assert not torch.equal(many[0].x, subject.batches(1, 1)[0].x)
    assert isinstance(many[0], Batch)
