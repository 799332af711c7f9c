"""Deleting layers: where it is defined, that it is exact in the limit, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import UserError
from nets import build
from nets.deletion import delete_layers
from nets.pruning import redundant_layers
from nets.training.last_layer import hidden_states

X = np.random.default_rng(0).uniform(-1, 1, (50, 7))


def make(net="resnet", tau0=(1.0, 0.3, 1e-5, 0.7), **config):
    settings = {"hidden": len(tau0), "width": 8, "seed": 2, "eta": 0.1, **config}
    return build(net=net, tau0=tau0, **settings)


def output(net):
    with torch.no_grad():
        return net(torch.from_numpy(X)).numpy()


def distance(a, b):
    return float(np.linalg.norm(output(a) - output(b)) / np.linalg.norm(output(a)))


class TestMeasures:
    def test_tau_is_its_size(self):
        found = redundant_layers(make(tau0=(1.0, -0.3, 1e-5, 0.7)), X, measure="tau", below=1e-2)
        np.testing.assert_allclose(found.values, (1.0, 0.3, 1e-5, 0.7))
        assert found.layers == (2,)

    def test_change_of_a_resnet_is_s_sigma_over_y(self):
        net = make()
        found = redundant_layers(net, X, measure="change", below=1e-2)
        y = [state.numpy() for state in hidden_states(net, X)]
        for l in (1, 2, 3):
            W, b = net.W[l].detach().numpy(), net.b[l].detach().numpy()
            update = net.tau[l].item() * net.sigma.value(torch.from_numpy(y[l] @ W.T + b)).numpy()
            expected = np.linalg.norm(update) / np.linalg.norm(y[l + 1])
            assert found.values[l] == pytest.approx(expected, rel=1e-12)
        assert found.layers == (2,)

    def test_change_sees_through_a_scale_that_tau_hides(self):
        """τ·10⁻³ with W, b·10³ is the same ReLU layer: small τ, no redundancy."""
        net = make(tau0=(1.0, 0.5, 0.5), eta=1e-12)
        with torch.no_grad():
            net.tau[1] *= 1e-3
            net.W[1] *= 1e3
            net.b[1] *= 1e3
        assert redundant_layers(net, X, measure="tau").layers == (1,)
        assert redundant_layers(net, X, measure="change").layers == ()

    def test_layer_0_is_never_redundant(self):
        net = make(tau0=(1e-9, 1.0, 1.0))
        for measure in ("tau", "change"):
            assert redundant_layers(net, X, measure=measure, below=1e-3).layers == ()


class TestDeletion:
    def test_of_layers_with_tau_zero_changes_nothing_in_a_resnet(self):
        net = make(tau0=(1.0, 0.0, 0.5, 0.0, 0.0))
        smaller = delete_layers(net, (1, 3, 4))
        assert smaller.config.hidden == 2
        np.testing.assert_allclose(output(smaller), output(net), rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(smaller.tau.detach(), [1.0, 0.5])

    @given(layer=st.integers(1, 3), gamma=st.sampled_from([0.3, 0.5, 0.8]), seed=st.integers(0, 99))
    @settings(max_examples=25, deadline=None)
    def test_of_a_fractional_layer_is_exact_as_its_step_vanishes(self, layer, gamma, seed):
        """The difference falls as τ^γ: by 10^(−4γ) when τ falls by 10⁻⁴."""
        differences = []
        for step in (1e-6, 1e-10):
            tau = [0.6, 0.9, 0.4, 0.7]
            tau[layer] = step
            net = build(
                net="fractional", tau0=tau, hidden=4, width=8, seed=seed, gamma=gamma, eta=0.1
            )
            differences.append(distance(net, delete_layers(net, (layer,))))
        rate = np.log10(differences[0] / differences[1]) / 4
        assert rate == pytest.approx(gamma, abs=0.05)

    def test_of_fractional_layers_merges_their_steps_into_the_next(self):
        net = make("fractional", tau0=(0.6, 0.1, 0.2, 0.7, 0.3))
        np.testing.assert_allclose(delete_layers(net, (1, 2)).tau.detach(), [0.6, 1.0, 0.3])
        np.testing.assert_allclose(delete_layers(net, (4,)).tau.detach(), [0.6, 0.1, 0.2, 0.7])
        np.testing.assert_allclose(delete_layers(net, (2,)).tau.detach(), [0.6, 0.1, 0.9, 0.3])

    @pytest.mark.parametrize("tau", ["fixed", "global", "rezero"])
    def test_works_for_every_policy_of_a_resnet(self, tau):
        net = make(tau=tau, tau0=(0.5, 0.5, 0.5))
        smaller = delete_layers(net, (1,))
        y = hidden_states(net, X)
        W, b = list(net.W), list(net.b)
        with torch.no_grad():
            state = y[1] + net.tau[2] * net.sigma.value(y[1] @ W[2].T + b[2])
            expected = (state @ W[3].T).numpy()
        np.testing.assert_allclose(output(smaller), expected, rtol=1e-12, atol=1e-14)

    def test_leaves_the_old_net_alone_and_can_be_trained_on(self):
        from nets import train

        net = make()
        before = net.pack()
        smaller = delete_layers(net, (2,))
        train(smaller, X, X[:, :3], steps=2)
        assert np.array_equal(net.pack(), before)

    def test_respects_widths(self):
        net = build(hidden=4, width=[8, 8, 6, 6], tau0=[1, 0, 0, 0], seed=3)
        found = redundant_layers(net, X)
        assert found.layers == (1, 3)  # layer 2 changes the width
        smaller = delete_layers(net, found.layers)
        assert smaller.widths == (7, 8, 6, 3)
        np.testing.assert_allclose(output(smaller), output(net), rtol=1e-13)
        with pytest.raises(UserError, match="changes the width"):
            delete_layers(net, (2,))


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"net": "densenet"}, "includes the deleted one"),
        ({"net": "feedforward"}, "silences"),
        ({"net": "fractional", "tau": "global", "tau0": (0.5, 0.5)}, "merges two time steps"),
    ],
)
def test_nets_without_a_meaning_of_deletion_are_refused_with_the_reason(config, reason):
    net = make(**config)
    with pytest.raises(UserError, match=reason):
        redundant_layers(net, X)
    with pytest.raises(UserError, match=reason):
        delete_layers(net, (1,))


def test_why_densenets_are_refused():
    """Even at τ[1] = 0 the states after it differ from those of the net without it."""
    net = make("densenet", tau0=(1.0, 0.0, 1.0))
    smaller = build(net="densenet", tau0=(1.0, 1.0), hidden=2, width=8, seed=2, eta=0.1)
    with torch.no_grad():
        for new, old in ((0, 0), (1, 2)):
            smaller.W[new].copy_(net.W[old])
            smaller.b[new].copy_(net.b[old])
        smaller.W[2].copy_(net.W[3])
    assert distance(net, smaller) > 0.1


@pytest.mark.parametrize("layers", [(0,), (4,), (-1,)])
def test_layers_that_cannot_go_are_named(layers):
    with pytest.raises(UserError, match=f"layer {layers[0]} cannot be deleted"):
        delete_layers(make(), layers)


def test_bad_measures_and_thresholds_are_refused():
    with pytest.raises(UserError, match="did you mean 'change'"):
        redundant_layers(make(), X, measure="chang")
    with pytest.raises(UserError, match="below must be"):
        redundant_layers(make(), X, below=float("nan"))
