"""A net comes back from disk as it was, and what is not a net of ours is refused in one line."""

import copy
import json
import pickle

import pytest
import torch
from hypothesis import given, settings
from net_strategies import random_data, random_nets
from safetensors.torch import save_file

from nets import build, load, save, train
from nets.errors import InputError
from nets.storage import load_with_about

CONFIGS = [
    {"net": "resnet", "tau": "learned"},
    {"net": "fractional", "tau": "learned", "tau0": [0.3, 0.7, 1.1], "gamma": 0.3},
    {"net": "densenet", "tau": "fixed", "width": [4, 6, 5]},
    {"net": "feedforward", "tau": "global", "activation": "tanh", "dtype": torch.float32},
    {"net": "resnet", "tau": "rezero", "tau0": "2/H"},
    {"net": "resnet", "tau": "rezero", "hidden": 1},
]


@pytest.mark.parametrize("config", CONFIGS)
def test_round_trip_is_exact(config, tmp_path):
    net = build(**{"hidden": 3, "width": 5, "seed": 7, **config})
    with torch.no_grad():
        for parameter in net.free_parameters():
            parameter.mul_(1.25)
    save(net, tmp_path / "net.safetensors", about={"problem": "maxwell"})
    again, about = load_with_about(tmp_path / "net.safetensors")
    x = torch.randn(10, 7, dtype=net.W[0].dtype)
    assert torch.equal(net(x), again(x))
    assert again.config == net.config
    assert about == {"problem": "maxwell"}
    assert [p.name for p in tmp_path.iterdir()] == ["net.safetensors"]


def through_torch_save(net, tmp_path):
    torch.save(net, tmp_path / "net.pt")
    return torch.load(tmp_path / "net.pt", weights_only=False)


COPIES = {
    "deepcopy": lambda net, tmp_path: copy.deepcopy(net),
    "pickle": lambda net, tmp_path: pickle.loads(pickle.dumps(net)),
    "torch.save": through_torch_save,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("config", CONFIGS)
def test_copies_are_nets_of_their_own(config, way, tmp_path):
    net = build(**{"hidden": 3, "width": 5, "seed": 7, **config})
    x, y = random_data(net)
    other = COPIES[way](net, tmp_path)
    assert other.config == net.config
    assert torch.equal(net(x), other(x))
    before = net.pack()
    train(other, x, y, steps=3)
    assert (net.pack() == before).all()
    assert not torch.equal(net(x), other(x))


@settings(max_examples=40, deadline=None)
@given(net=random_nets())
def test_tau_is_called_tau(net):
    """In parameters and state_dict, whole but for a global one; another net takes it over."""
    held = dict(net.named_parameters())["tau"]
    assert held.requires_grad == (net.config.tau != "fixed")
    assert list(net.state_dict()).count("tau") == 1
    assert torch.equal(held.expand(net.config.hidden), net.tau)
    with torch.no_grad():
        net.free_tau.add_(0.5)
    other = build(**{**net.config.as_dict(), "seed": net.config.seed + 1})
    other.load_state_dict(net.state_dict())
    x, _ = random_data(net)
    assert torch.equal(net.tau, other.tau)
    assert torch.equal(net(x), other(x))
    call = torch.func.functional_call(other, dict(net.named_parameters()), (x,))
    assert torch.equal(call, net(x))


@pytest.mark.parametrize("config", CONFIGS)
def test_files_that_call_it_steps_are_read(config, tmp_path):
    """Format 1 held the free part of τ, under the name `steps`."""
    net = build(**{"hidden": 3, "width": 5, "seed": 7, **config})
    with torch.no_grad():
        net.free_tau.add_(0.25)
    tensors = {name: value for name, value in net.state_dict().items() if name != "tau"}
    tensors["steps"] = net.free_tau.detach().clone()
    metadata = {"format": "femnets net 1", "config": json.dumps(net.config.as_dict())}
    save_file(tensors, tmp_path / "old.safetensors", metadata)
    old = load(tmp_path / "old.safetensors")
    x, _ = random_data(net)
    assert torch.equal(old.tau, net.tau)
    assert torch.equal(old(x), net(x))


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "net.safetensors"
    save(build(hidden=2, width=4), target)
    return target


@pytest.mark.parametrize("keep", [0, 5, 100, -3])
def test_a_truncated_file_is_refused(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="damaged"):
        load(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        load(tmp_path / "nothing.safetensors")


def test_tensors_of_another_program_are_refused(tmp_path):
    save_file({"weight": torch.zeros(3)}, tmp_path / "other.safetensors")
    with pytest.raises(InputError, match="no net of femnets"):
        load(tmp_path / "other.safetensors")


def test_weights_that_are_not_finite_are_refused(tmp_path):
    net = build(hidden=2, width=4)
    with torch.no_grad():
        net.W[0][0, 0] = float("nan")
    save(net, tmp_path / "net.safetensors")
    with pytest.raises(InputError, match="not finite"):
        load(tmp_path / "net.safetensors")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot write"):
        save(build(hidden=1, width=2), tmp_path / "no" / "such" / "folder.safetensors")
