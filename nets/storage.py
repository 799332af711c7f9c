"""A net on disk: one safetensors file, the weights with the description inside. No pickle.

Tensors `W.0`, `b.0`, … and `tau` (one number where τ is global; files of format 1, which call the
free part of τ `steps`, are still read). The header's metadata carries the arguments of `build` as
JSON, whatever the caller adds (the problem, the inputs it was shown, the errors it reached), and
from format 3 on a checksum. Equal nets are equal files.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

from base.errors import UserError
from nets import architectures
from nets.config import NetConfig
from nets.module import Network, network
from nets.safetensors_file import (
    CHECKSUM,
    Unreadable,
    from_document,
    read_regular,
    to_document,
)

FORMAT = "femnets net 3"
WITHOUT_CHECKSUM = ("femnets net 2", "femnets net 1")
Shapes = dict[str, tuple[int, ...]]


def to_bytes(net: Network, about: Mapping[str, Any] | None = None) -> bytes:
    """The whole file as bytes; `about` is any JSON the caller wants to find again."""
    metadata = {
        "format": FORMAT,
        "config": json.dumps(net.config.as_dict(), sort_keys=True),
        "about": json.dumps(dict(about or {}), sort_keys=True),
    }
    return to_document(net.state_dict(), metadata)


def save(
    net: Network, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None
) -> None:
    """Writes the net whole: the file is the old one or the new one, never a part."""
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
    """The net of a file; refuses, in one line, what is damaged or not ours."""
    return load_with_about(path)[0]


def load_with_about(path: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """The net and what its writer said about it."""
    try:
        return from_bytes(read_regular(path), path)
    except Unreadable as error:
        raise UserError(f"cannot read {path}: it {error}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None


def from_bytes(data: bytes, name: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """The net in a document, and what its writer said about it; `name` is for the refusal."""
    try:
        metadata, tensors = from_document(data)
    except Unreadable as error:
        raise UserError(
            f"{name} is damaged or no safetensors file ({error}); save it again"
        ) from None
    known = metadata.get("format")
    if known not in (FORMAT, *WITHOUT_CHECKSUM):
        raise UserError(
            f"{name} holds tensors but no net of femnets; write one with nets.save or "
            "`femnets train --save`"
        )
    if known == FORMAT and CHECKSUM not in metadata:
        raise UserError(f"{name} is damaged (its checksum is gone); save it again")
    try:
        return _rebuilt(metadata, tensors), _object(metadata.get("about", "{}"))
    except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise UserError(f"{name} does not describe a net that can be built: {reason}") from None


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("its description is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("its description is no JSON object")
    return found


def _rebuilt(metadata: Mapping[str, str], tensors: Mapping[str, torch.Tensor]) -> Network:
    """Shapes and numbers are checked before a net of the described size is made."""
    described = _object(metadata["config"])
    if hasattr(architectures.get(str(described.get("net"))), "make"):
        return _own(NetConfig.from_dict(described), tensors)
    layers = sum(name.startswith("W.") for name in tensors)
    if type(described.get("hidden")) is not int or described["hidden"] != layers - 1:
        raise ValueError("its description has another depth than its tensors")
    config = NetConfig.from_dict(described)
    found = {name: tuple(value.shape) for name, value in tensors.items()}
    tau = found.pop("steps", None) or found.pop("tau", None)
    if found != _shapes(config) or tau is None or len(tau) != 1:
        raise ValueError("its tensors have other shapes than its description says")
    _check_numbers(config, tensors)
    net = network(config)
    net.load_state_dict(dict(tensors))
    if net.architecture.POSITIVE_TAU and not bool((net.tau > 0).all()):
        raise ValueError(f"tau must be positive for net={config.net!r}")
    return net


def _own(config: NetConfig, tensors: Mapping[str, torch.Tensor]) -> Network:
    """A module of somebody else's, whose shapes only its own code knows."""
    _check_numbers(config, tensors)
    net = network(config)
    net.load_state_dict(dict(tensors))
    return net


def _check_numbers(config: NetConfig, tensors: Mapping[str, torch.Tensor]) -> None:
    for name, value in tensors.items():
        if value.dtype != getattr(torch, config.dtype):
            raise ValueError(f"{name} is not of the described precision, {config.dtype}")
        if not torch.isfinite(value).all():
            raise ValueError(f"there are numbers that are not finite in {name}; train it again")


def _shapes(config: NetConfig) -> Shapes:
    """Of the weights and biases."""
    pairs = list(enumerate(pairwise(config.widths)))
    return {f"W.{k}": (out, into) for k, (into, out) in pairs} | {
        f"b.{k}": (out,) for k, (_, out) in pairs[:-1]
    }
