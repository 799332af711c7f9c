"""A net comes back from disk as it was, and what is not a net of ours is refused in one line."""

import pytest
import torch
from safetensors.torch import save_file

from nets import build, load, save
from nets.errors import InputError
from nets.storage import load_with_about

CONFIGS = [
    {"net": "resnet", "tau": "learned"},
    {"net": "fractional", "tau": "learned", "tau0": [0.3, 0.7, 1.1], "gamma": 0.3},
    {"net": "densenet", "tau": "fixed", "width": [4, 6, 5]},
    {"net": "feedforward", "tau": "global", "activation": "tanh", "dtype": torch.float32},
]


@pytest.mark.parametrize("config", CONFIGS)
def test_round_trip_is_exact(config, tmp_path):
    net = build(**{"hidden": 3, "width": 5, "seed": 7, **config})
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(1.25)
    save(net, tmp_path / "net.safetensors", about={"problem": "maxwell"})
    again, about = load_with_about(tmp_path / "net.safetensors")
    x = torch.randn(10, 7, dtype=net.W[0].dtype)
    assert torch.equal(net(x), again(x))
    assert again.config == net.config
    assert about == {"problem": "maxwell"}
    assert [p.name for p in tmp_path.iterdir()] == ["net.safetensors"]


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
