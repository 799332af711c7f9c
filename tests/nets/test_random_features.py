"""Untrained nets: derivatives by automatic differentiation, solves by dense least squares."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from base.errors import UserError
from nets.activations import activation
from nets.residuals.jets import CHANNELS
from nets.residuals.terms import Residuals
from nets.untrained.features import Features, blocks
from nets.untrained.storage import load_with_about, to_bytes
from nets.untrained.triangle import chained, least_squares
from nets.untrained.windowed import WindowedNet, rows
from nets.untrained.windows import Wedge, Windows

WEDGE = Wedge((1.0, 0.0), 3 * np.pi / 4, np.pi / 2, 0.25)
COUNTS = [(5, 7), (4, 0), (3, 6)]


@pytest.fixture
def random():
    return np.random.default_rng(3)


def by_autograd(function, x):
    """Jets (10, K, N) of a function of points (N, 3) with K values each, order "second"."""
    x = torch.as_tensor(x).requires_grad_()
    columns = []
    for value in function(x).T:
        (slope,) = torch.autograd.grad(value.sum(), x, create_graph=True)
        second = [torch.autograd.grad(s.sum(), x, retain_graph=True)[0] for s in slope.T]
        pairs = [second[j][:, k] for j in range(3) for k in range(j, 3)]
        columns.append(torch.stack([value, *slope.T, *pairs]))
    return torch.stack(columns, 1).detach().numpy()


def agree(found, expected, tolerance=1e-10):
    assert np.abs(found - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize("name", ["tanh", "sine", "softplus"])
def test_jets_of_features_are_those_of_autograd(random, name):
    features = Features.drawn(6, 1.5, np.zeros(3), np.array([1.0, 2.0, 1.0]), 0, name)
    W, b = map(torch.from_numpy, (features.W, features.b))
    x = random.random((9, 3))
    expected = by_autograd(lambda x: activation(name, 1.0).value(x @ W.T + b), x)
    agree(features.jets(x, "second"), expected)
    agree(features.jets(x, "first"), expected[:4])
    laplacian = expected[4] + expected[7] + expected[9]
    agree(features.jets(x, "laplacian")[4], laplacian)


def windowed_by_torch(windows, level, x):
    """The features of a level, written again."""
    wedge, chosen = windows.wedge, windows.levels[level]
    p1, p2 = x[:, 0] - wedge.edge[0], x[:, 1] - wedge.edge[1]
    s = torch.log(torch.sqrt(p1**2 + p2**2)) / np.log(wedge.ratio) - level
    turned = torch.atan2(-p2, -p1)  # the angle from the direction −π
    angle = turned + np.pi - wedge.middle
    angle = torch.where(angle > np.pi, angle - 2 * np.pi, angle)
    place = torch.stack([s, angle * 2 / np.pi, x[:, 2]], dim=1)
    z = place @ torch.from_numpy(chosen.W).T + torch.from_numpy(chosen.b)
    d = s.clone()
    if level == 0:
        d = torch.clamp(d, min=0.0)
    if level == len(windows.levels) - 1:
        d = torch.clamp(d, max=0.0)
    t = torch.clamp(1 - d.abs(), 0.0, 1.0)
    return (t**3 * (10 - 15 * t + 6 * t**2))[:, None] * torch.tanh(z)


def near_edge(random, N, low, high):
    """Points of the quarter x₁ < 1, x₂ > 0 with s between the bounds."""
    R = 0.25 ** random.uniform(low, high, N)
    angle = random.uniform(0.05, np.pi / 2 - 0.05, N)
    return np.stack([1 - R * np.cos(angle), R * np.sin(angle), random.random(N)])


@pytest.mark.parametrize("level", [0, 1, 2])
def test_jets_of_windows_are_those_of_autograd(random, level):
    windows = Windows.drawn(WEDGE, COUNTS, 0.8, 1, "tanh")
    x = near_edge(random, 40, level - 0.2, level + 0.95)
    expected = by_autograd(lambda x: windowed_by_torch(windows, level, x), x.T)
    found = windows.jets(level, x, "second")
    for channel in range(10):
        agree(found[channel], expected[channel])
    agree(windows.jets(level, x, "first"), expected[:4])


def test_the_windows_add_up_to_one(random):
    windows = Windows.drawn(WEDGE, [(1, 0)] * 4, 1e-12, 1, "sine")
    flat = tuple(
        type(level)(level.W, np.full(1, np.pi / 2), 1, 0) for level in windows.levels
    )  # sin(π/2) = 1
    windows = Windows(WEDGE, flat, windows.sigma)
    x = near_edge(random, 200, -0.2, 7.0)
    total = sum(windows.jets(level, x, "value")[0, 0] for level in range(4))
    assert total == pytest.approx(np.ones(200), abs=1e-12)


def test_rows_in_blocks_are_one_dense_least_squares_problem(random, monkeypatch):
    from nets.untrained import features as module

    features = Features.drawn(7, 3.0, np.zeros(3), np.ones(3), 0)
    terms = [
        Residuals(
            x=random.random((30, 3)), order=order, b=random.normal(size=(2, 30)),
            A=random.normal(size=(2, CHANNELS[order], 3, 30)), labels=("a", "b"),
        )
        for order in ("second", "value")
    ]  # fmt: skip
    dense = []
    for term in terms:
        jets = features.jets(term.x, term.order)
        A = np.einsum("mcin,ckn->mnik", term.A, jets).reshape(60, 21)
        dense.append(np.column_stack([A, term.b.ravel()]))
    matrix = np.concatenate(dense)
    expected, *_ = np.linalg.lstsq(matrix[:, :-1], matrix[:, -1])
    monkeypatch.setattr(module, "BLOCK_BYTES", 8 * 2 * 22 * 11)  # eleven points at once
    assert len(list(blocks(terms, features))) == 6
    assert least_squares(blocks(terms, features), 21) == pytest.approx(expected, rel=1e-9)


def test_a_chain_is_one_dense_least_squares_problem(random):
    sizes, places = [4, 3, 5], [0, 4, 7, 12]
    cells, dense = [], []
    for j in range(3):
        first, last = places[j], places[min(j + 2, 3)]
        cell = [random.normal(size=(9, last - first + 1)) for _ in range(2)]
        cells.append(cell)
        for part in cell:
            row = np.zeros((9, 13))
            row[:, first:last], row[:, -1] = part[:, :-1], part[:, -1]
            dense.append(row)
    matrix = np.concatenate(dense)
    expected, *_ = np.linalg.lstsq(matrix[:, :-1], matrix[:, -1])
    found = np.concatenate(chained(cells, sizes))
    assert found == pytest.approx(expected, rel=1e-10)


def test_a_column_of_zeros_gets_no_weight(random):
    A = random.normal(size=(9, 4))
    A[:, 1] = 0.0
    assert least_squares([A], 3)[1] == 0.0


@pytest.fixture
def net(random):
    windows = Windows.drawn(WEDGE, COUNTS, 0.8, 1, "tanh")
    return WindowedNet(
        windows, tuple(random.normal(size=level.unknowns) for level in windows.levels)
    )


def test_rows_of_windows_give_the_field_of_the_net(random, net):
    """Values and first derivatives by rows equal those of the evaluation, cell by cell."""
    for cell in range(3):
        x = near_edge(random, 8, cell + 0.05, cell + 0.95)
        A = random.normal(size=(2, 4, 3, 8))
        term = Residuals(x=x.T, order="first", A=A, b=np.zeros((2, 8)), labels=("a", "b"))
        c = np.concatenate([net.weights[level] for level in net.windows.met(cell)])
        found = rows(net.windows, cell, term)[:, :-1] @ c
        expected = np.einsum("mcin,cin->mn", A, net.jets(x, "first")).ravel()
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max())
    with pytest.raises(ValueError, match="first"):
        net.jets(x, "second")


def test_the_jacobian_is_that_of_differences(random, net):
    x, h = near_edge(random, 12, 0.1, 2.5), 1e-6
    R = np.hypot(x[0] - 1, x[1])
    for j, axis in enumerate(np.eye(3)[:, :, None]):
        difference = (net(x + h * R * axis) - net(x - h * R * axis)) / (2 * h * R)
        assert net.jacobian(x)[:, j] == pytest.approx(difference, rel=1e-4, abs=1e-4)


def test_gradient_features_have_no_curl(random):
    windows = Windows.drawn(WEDGE, [(0, 6)] * 3, 0.8, 1, "tanh")
    net = WindowedNet(windows, tuple(random.normal(size=6) for _ in range(3)))
    D = net.jacobian(near_edge(random, 20, 0.1, 2.5))
    assert pytest.approx(np.swapaxes(D, 0, 1), rel=1e-12) == D


def test_windows_are_stored_whole_and_checked(tmp_path, net):
    path = tmp_path / "net.safetensors"
    path.write_bytes(to_bytes(net, {"problem": "screen"}))
    again, about = load_with_about(path)
    assert about == {"problem": "screen"}
    x = near_edge(np.random.default_rng(0), 20, 0.0, 4.0)
    assert np.array_equal(again(x), net(x))
    damaged = bytearray(path.read_bytes())
    damaged[-3] ^= 1
    path.write_bytes(bytes(damaged))
    with pytest.raises(UserError, match="checksum"):
        load_with_about(path)


def test_windows_that_do_not_fit_their_description_are_refused(tmp_path, net):
    short = WindowedNet(net.windows, (net.weights[0][:-1], *net.weights[1:]))
    path = tmp_path / "net.safetensors"
    path.write_bytes(to_bytes(short))
    with pytest.raises(UserError, match="level 0"):
        load_with_about(path)
