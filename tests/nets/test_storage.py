"""A net comes back from disk as it was, and what is not a net of ours is refused in one line."""

import copy
import json
import pickle
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from net_strategies import random_data, random_nets
from safetensors import safe_open
from safetensors.torch import save_file

from base.errors import UserError
from nets import build, load, save, train
from nets.storage import from_bytes, load_with_about

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
    with pytest.raises(UserError, match="damaged"):
        load(path)


def test_other_programs_can_read_it(path):
    with safe_open(path, framework="pt") as file:
        assert file.metadata()["format"] == "femnets net 3"
        found = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for name, value in load(path).state_dict().items():
        assert torch.equal(found[name], value)


def test_equal_trainings_write_equal_files(tmp_path):
    """Also from processes of their own, whose hashes of texts differ."""
    script = (
        "import torch, nets; n = nets.build(hidden=2, width=4, seed=3); "
        "x = torch.ones(5, 7); nets.train(n, x, x[:, :3], steps=3); "
        "nets.save(n, '{}', about={{'b': 1, 'a': [2]}})"
    )
    files = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for path in files:
        subprocess.run([sys.executable, "-c", script.format(path)], check=True)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("part", ["length", "header", "numbers"])
def test_every_bit_is_watched(path, part):
    whole = path.read_bytes()
    numbers = 8 + int.from_bytes(whole[:8], "little")
    places = {"length": (0, 8), "header": (8, numbers), "numbers": (numbers, len(whole))}[part]
    for at in range(*places):
        for bit in (at % 8, 0, 5):
            data = bytearray(whole)
            data[at] ^= 1 << bit
            with pytest.raises(UserError):
                from_bytes(bytes(data), "it")


def with_header(data, change):
    """The same file with its header changed."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def as_format_2(header):
    header["__metadata__"]["format"] = "femnets net 2"
    del header["__metadata__"]["checksum"]


def config_with(**values):
    def change(header):
        config = {**json.loads(header["__metadata__"]["config"]), **values}
        header["__metadata__"]["config"] = json.dumps(config)

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (config_with(hidden=10**12), "differ in depth"),
        (config_with(hidden=True), "differ in depth"),
        (config_with(width=10**9), "parameters"),
        (config_with(width=5), "shapes of its tensors differ"),
        (config_with(seed=10**40), "seed must be"),
        (config_with(seed=1.5), "seed must be"),
        (config_with(eta="x"), "can be built"),
        (config_with(dtype="float32"), "precision"),
        (config_with(net="os.system"), "unknown"),
        (config_with(tau0=[1, 2, 3]), "steps"),
        (lambda h: h["__metadata__"].update(config="[" * 100_000), "nested too deeply"),
        (lambda h: h["__metadata__"].update(about="[]"), "not a JSON object"),
        (lambda h: h["W.0"].update(shape=[4, 10**18]), "damaged"),
        (lambda h: h["W.0"].update(shape=[28, 1]), "shapes of its tensors differ"),
        (lambda h: h["W.0"].update(data_offsets=[8, 232]), "damaged"),
        (lambda h: h.pop("W.1"), "damaged"),
        (lambda h: h["__metadata__"].update(format=3), "damaged"),
    ],
)
def test_what_a_header_claims_is_checked_before_memory_is_taken(path, change, reason):
    path.write_bytes(with_header(path.read_bytes(), as_format_2))
    assert load(path).config.hidden == 2
    path.write_bytes(with_header(path.read_bytes(), change))
    with pytest.raises(UserError, match=reason):
        load(path)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "directory").mkdir()
    for name in ("loop", "directory", "n" * 300, "nothing.safetensors"):
        with pytest.raises(UserError, match="cannot read"):
            load(tmp_path / name)


def test_tensors_of_another_program_are_refused(tmp_path):
    save_file({"weight": torch.zeros(3)}, tmp_path / "other.safetensors")
    with pytest.raises(UserError, match="no net of femnets"):
        load(tmp_path / "other.safetensors")


def test_weights_that_are_not_finite_are_refused(tmp_path):
    net = build(hidden=2, width=4)
    with torch.no_grad():
        net.W[0][0, 0] = float("nan")
    save(net, tmp_path / "net.safetensors")
    with pytest.raises(UserError, match="not finite"):
        load(tmp_path / "net.safetensors")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot write"):
        save(build(hidden=1, width=2), tmp_path / "no" / "such" / "folder.safetensors")
