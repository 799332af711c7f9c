"""A made-up architecture, one file, goes through everything that a net goes through."""

import copy
import json

import numpy as np
import pytest
import torch

from bench.store.folder import Store
from nets import UserError, architectures, build, grad_norms, load, loss_and_grad, save, train
from nets.deletion import delete_layers
from nets.fast.kernel import FastObjective
from nets.gradients.passes import trajectory
from nets.pruning import redundant_layers
from nets.theory.predicted import mean_field_growth, norms_by_theory
from reports.names import net_name

# Both C and s depend on τ, s[l] on two of them: nothing that the paper's four nets would forgive.
MOMENTUM = '''
    """y[l] = (1 + m) y[l-1] - m y[l-2] + (τ[l-1] + τ[l-2]/2) a[l-1], m = γ τ²/(1 + τ²) at l-1."""

    from __future__ import annotations

    TITLE = "Momentum net"
    PLACE = 9
    POSITIVE_TAU = False
    HAS_ORDER = True
    DELETION = "each state reads the two before it"


    def coefficients(tau, gamma):
        import torch

        m = gamma * tau**2 / (1 + tau**2)
        previous = torch.cat([tau.new_zeros(1), tau[:-1]])
        C = torch.diag(1 + m, -1)
        C = C - torch.diag(m[1:], -2)
        return C, tau + previous / 2
'''


@pytest.fixture
def momentum(dropped_in):
    dropped_in("nets.architectures", "momentum", MOMENTUM)
    return "momentum"


@pytest.fixture
def net(momentum):
    return build(net=momentum, hidden=5, width=4, inputs=3, outputs=2, gamma=0.7, tau0="2/H")


@pytest.fixture
def rows():
    random = np.random.Generator(np.random.Philox(3))
    return (torch.from_numpy(random.normal(size=(20, columns))) for columns in (3, 2))


def test_gradients_are_autograds(net, rows):
    x, y = rows
    J, exact = loss_and_grad(net, x, y, method="autograd")
    by_hand = loss_and_grad(net, x, y, method="dto")[1]
    for name, gradient in exact.items():
        torch.testing.assert_close(by_hand[name], gradient, rtol=1e-10, atol=1e-13)
    value, flat = FastObjective(net, x, y)(net.pack())
    assert value == pytest.approx(float(J), rel=1e-13)
    np.testing.assert_allclose(flat, torch.cat([g.flatten() for g in exact.values()]), rtol=1e-9)
    np.testing.assert_allclose(grad_norms(net, x, y)["tau"], exact["tau"].abs(), rtol=1e-9)


def test_theory_follows_from_its_coefficients(net, rows):
    x, y = rows
    measured = grad_norms(net, x, y)
    measured["y"] = measured["y"][1:-1]
    for kind, norms in norms_by_theory(net, x, y).items():
        np.testing.assert_allclose(norms, measured[kind], rtol=1e-9)


def test_mean_field_prediction_is_exact_without_weights(momentum):
    """φ[k] = Σ_l C[l,k] φ[l] then: a recursion of numbers, not the feedforward net's silence."""
    net = build(net=momentum, hidden=6, width=4, scale=0.0, tau="fixed", tau0="0.1,1,2,1,3,0.5")
    C, _ = net.architecture.coefficients(net.tau, net.config.gamma)
    phi = {6: 1.0}
    for k in range(5, 0, -1):
        phi[k] = sum(float(C[l, k]) * phi[l] for l in phi)
    predicted = mean_field_growth(trajectory(net, torch.zeros(2, 7)))
    np.testing.assert_allclose(predicted, [np.log10(abs(phi[k])) for k in range(1, 7)], atol=1e-12)


def test_it_is_saved_copied_and_trained(net, rows, tmp_path):
    x, y = rows
    save(net, tmp_path / "net.safetensors")
    for other in (load(tmp_path / "net.safetensors"), copy.deepcopy(net)):
        assert torch.equal(other(x), net(x))
    before = float(loss_and_grad(net, x, y)[0])
    assert before > 2 * train(net, x, y, steps=30).J


def test_pruning_gives_its_reason(net, rows):
    with pytest.raises(UserError, match="each state reads the two before it; prune one of frac"):
        redundant_layers(net, next(rows))


def test_pruning_does_what_it_declares(dropped_in):
    halved = "Deletion(steps=lambda tau, kept: tau[kept] / 2)"
    source = MOMENTUM.replace('"each state reads the two before it"', halved)
    source = source.replace("    TITLE", "    from nets.architectures import Deletion\n\n    TITLE")
    dropped_in("nets.architectures", "halving", source)
    net = build(net="halving", hidden=4, width=4, tau0="1,2,3,4")
    assert delete_layers(net, (2,)).tau.tolist() == [0.5, 1.0, 2.0]


def test_commands_know_it(momentum, shell):
    result = shell.inside(
        "gradients", "--net", momentum, "--hidden", "4", "--samples", "9", "--json"
    )
    assert json.loads(result.stdout)["theory_error"] < 1e-8
    size = ("--hidden", "3", "--width", "4", "--samples", "50", "--tau0", "2/H")
    result = shell.inside("train", "--net", momentum, *size, "--steps", "3", "--json")
    assert json.loads(result.stdout)["steps"] == 3


def test_it_runs_as_a_cell_and_has_its_title(momentum, shell):
    small = ("nets=momentum", "samples=50", "steps=2", "seeds=0", "hidden=2", "width=4")
    settings = [word for setting in small for word in ("--set", setting)]
    result = shell.inside(
        "run", "training", "--run", "mine", "--jobs", "0", "--no-report", *settings
    )
    assert result.returncode == 0, result.stderr
    records = list(Store(shell.directory / "runs/mine").records())
    assert {net_name(record.config).split(" +")[0][:12] for record in records} == {"Momentum net"}


@pytest.mark.parametrize("lacking", sorted(architectures.DECLARATIONS))
def test_what_is_missing_is_named(dropped_in, lacking):
    source = MOMENTUM.replace(f"{lacking} =", "_OTHER =").replace(f"def {lacking}(", "def _other(")
    dropped_in("nets.architectures", "momentum", source)
    with pytest.raises(UserError, match=f"momentum.*{lacking}"):
        build(net="momentum")


@pytest.mark.parametrize("name", architectures.names())
def test_declarations_are_true(name):
    """Of the real ones: gamma moves C or s exactly where an order is declared."""
    tau = torch.tensor([0.3, 0.7, 1.1], dtype=torch.float64)
    found = [architectures.get(name).coefficients(tau, gamma) for gamma in (0.3, 0.6)]
    moved = any(not torch.equal(a, b) for a, b in zip(*found, strict=True))
    assert moved == architectures.get(name).HAS_ORDER
    assert ("rezero" in architectures.tau_policies(name)) != architectures.get(name).POSITIVE_TAU
    build(net=name, tau=architectures.tau_policies(name)[-1])


def test_nothing_is_left_behind():
    assert "momentum" not in architectures.names()
