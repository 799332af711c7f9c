"""A net on disk: one safetensors file, the weights with the description inside. No pickle.

Tensors `W.0`, `b.0`, … and `tau` (one number where τ is global; files of format 1, which call the
free part of τ `steps`, are still read). The header's metadata carries the arguments of `build` as
JSON, whatever the caller adds (the problem, its inputs, its errors), and
from format 3 on a checksum. Equal nets are equal files.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from safetensors import SafetensorError

from base.errors import UserError
from nets import architectures
from nets.config import NetConfig
from nets.module import Network, network

FORMAT = "femnets net 3"
WINDOWS = "femnets windows 1"  # of `nets.untrained.storage`
WITHOUT_CHECKSUM = ("femnets net 2", "femnets net 1")
METADATA = "__metadata__"
Shapes = dict[str, tuple[int, ...]]


def to_bytes(net: Network, about: Mapping[str, Any] | None = None) -> bytes:
    """Return the whole file; `about` is any JSON data to store with the net."""
    metadata = {
        "format": FORMAT,
        "config": json.dumps(net.config.as_dict(), sort_keys=True),
        "about": json.dumps(dict(about or {}), sort_keys=True),
    }
    tensors = {name: value.contiguous() for name, value in net.state_dict().items()}
    return signed(safetensors.torch.save(tensors, metadata))


def save(
    net: Network, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None
) -> None:
    """Write the net to a file atomically: the old file stays until the new one is complete."""
    target = Path(path)
    aside = target.with_name(f".{secrets.token_hex(4)}.part")
    try:
        aside.write_bytes(to_bytes(net, about))
        os.replace(aside, target)
    except OSError as error:
        raise UserError(f"cannot write {target}: {error.strerror}; choose another place") from None
    finally:
        aside.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Network:
    """Return the net of a file; a damaged file, or one of another program, is a UserError."""
    return load_with_about(path)[0]


def load_with_about(path: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """Return the net of a file and the `about` that was saved with it."""
    return from_bytes(file_bytes(path), path)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return all bytes of a file; raise a UserError if it cannot be read."""
    try:
        if not Path(path).is_file():
            raise UserError(f"cannot read {path}: file not found")
        return Path(path).read_bytes()
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or "it is too large"
        raise UserError(f"cannot read {path}: {reason}") from None


def from_bytes(data: bytes, name: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """Return the net and the `about` in the bytes of a file; `name` is for error messages."""
    metadata, tensors = opened(data, name)
    if metadata["format"] == WINDOWS:
        raise UserError(
            f"{name} holds windowed random features, which this command does not take; measure it "
            "with `femnets evaluate`"
        )
    with described(name):
        return _rebuilt(metadata, tensors), json_object(metadata.get("about", "{}"))


def opened(
    data: bytes, name: str | os.PathLike[str]
) -> tuple[dict[str, str], dict[str, torch.Tensor]]:
    """Return the metadata and the tensors of a file of ours, after its checksum was compared."""
    try:
        tensors = safetensors.torch.load(data)
    except (SafetensorError, KeyError) as error:  # a KeyError: numbers that torch has no type for
        raise UserError(
            f"{name} is damaged or not a safetensors file ({_first_line(error)}); save it again"
        ) from None
    metadata = _header(data)[0].get(METADATA, {})
    known = metadata.get("format")
    if known not in (FORMAT, WINDOWS, *WITHOUT_CHECKSUM):
        raise UserError(
            f"{name} holds tensors but no net of femnets; write one with nets.save or "
            "`femnets train --save`"
        )
    if (known not in WITHOUT_CHECKSUM or "checksum" in metadata) and data != signed(data):
        raise UserError(f"{name} is damaged (its checksum differs); save it again")
    return metadata, tensors


@contextmanager
def described(name: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors in a file's description into a UserError."""
    try:
        yield
    except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise UserError(
            f"{name} does not describe a net that can be built: {_first_line(error)}"
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _header(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of a safetensors file, parsed, and the numbers that follow it."""
    start = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:start]), data[start:]


def signed(data: bytes) -> bytes:
    """Return the file with sorted keys (the library's order is random) and its checksum."""
    header, numbers = _header(data)
    header[METADATA]["checksum"] = ""
    digest = hashlib.blake2b(_canonical(header) + numbers, digest_size=16)
    header[METADATA]["checksum"] = digest.hexdigest()
    text = _canonical(header)
    return len(text).to_bytes(8, "little") + text + numbers


def _canonical(header: dict[str, Any]) -> bytes:
    """Return the header as bytes, padded so that the numbers begin at a multiple of 8."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % 8)


def json_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("its description is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("its description is not a JSON object")
    return found


def _rebuilt(metadata: Mapping[str, str], tensors: Mapping[str, torch.Tensor]) -> Network:
    """Return the net, after its shapes and numbers have been compared with its description."""
    described = json_object(metadata["config"])
    if hasattr(architectures.get(str(described.get("net"))), "make"):
        return _filled(
            NetConfig.from_dict(described), tensors
        )  # a user's module has its own shapes
    layers = sum(name.startswith("W.") for name in tensors)
    if type(described.get("hidden")) is not int or described["hidden"] != layers - 1:
        raise ValueError("its description and its tensors differ in depth")
    config = NetConfig.from_dict(described)
    found = {name: tuple(value.shape) for name, value in tensors.items()}
    tau = found.pop("steps", None) or found.pop("tau", None)
    if found != _shapes(config) or tau is None or len(tau) != 1:
        raise ValueError("the shapes of its tensors differ from its description")
    net = _filled(config, tensors)
    if net.architecture.POSITIVE_TAU and not bool((net.tau > 0).all()):
        raise ValueError(f"tau must be positive for net={config.net!r}")
    return net


def _filled(config: NetConfig, tensors: Mapping[str, torch.Tensor]) -> Network:
    """Return a net with these tensors, which must be finite and of its precision."""
    for name, value in tensors.items():
        if value.dtype != getattr(torch, config.dtype):
            raise ValueError(f"{name} is not of the described precision, {config.dtype}")
        if not torch.isfinite(value).all():
            raise ValueError(f"{name} has entries that are not finite; train it again")
    net = network(config)
    net.load_state_dict(dict(tensors))
    return net


def _shapes(config: NetConfig) -> Shapes:
    """Return the shapes of the weights and biases by name."""
    pairs = list(enumerate(pairwise(config.widths)))
    return {f"W.{k}": (out, into) for k, (into, out) in pairs} | {
        f"b.{k}": (out,) for k, (_, out) in pairs[:-1]
    }
