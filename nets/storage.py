"""A net on disk: one safetensors file, the weights with the description inside. No pickle.

Tensors `W.0`, `b.0`, … and `tau` (one number where τ is global; files of format 1, which call the
free part of τ `steps`, are still read). The header's metadata carries the arguments of `build` as
JSON, and whatever the caller adds (the problem, the inputs it was shown, the errors it reached).
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes

from nets.config import NetConfig
from nets.errors import InputError
from nets.module import Network, network

FORMAT = "femnets net 2"
READABLE = (FORMAT, "femnets net 1")


def to_bytes(net: Network, about: Mapping[str, Any] | None = None) -> bytes:
    """The whole file as bytes; `about` is any JSON the caller wants to find again."""
    metadata = {
        "format": FORMAT,
        "config": json.dumps(net.config.as_dict()),
        "about": json.dumps(dict(about or {})),
    }
    tensors = {name: value.detach().contiguous() for name, value in net.state_dict().items()}
    return tensors_to_bytes(tensors, metadata)


def save(
    net: Network, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None
) -> None:
    """Writes the net whole: the file is the old one or the new one, never a part."""
    target = Path(path)
    aside = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    try:
        aside.write_bytes(to_bytes(net, about))
        os.replace(aside, target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise InputError(f"cannot write {target}: {error.strerror}; choose another place") from None


def load(path: str | os.PathLike[str]) -> Network:
    """The net of a file; refuses, in one line, what is damaged or not ours."""
    return load_with_about(path)[0]


def load_with_about(path: str | os.PathLike[str]) -> tuple[Network, dict[str, Any]]:
    """The net and what its writer said about it."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
        tensors = tensors_from_bytes(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except SafetensorError as error:
        raise InputError(
            f"{path} is damaged or no safetensors file ({error}); save it again"
        ) from None
    if metadata.get("format") not in READABLE:
        raise InputError(
            f"{path} holds tensors but no net of femnets; write one with nets.save or "
            "`femnets train --save`"
        )
    return _rebuilt(path, metadata, tensors), dict(json.loads(metadata.get("about", "{}")))


def _rebuilt(
    path: str | os.PathLike[str], metadata: Mapping[str, str], tensors: Mapping[str, torch.Tensor]
) -> Network:
    try:
        net = network(NetConfig.from_dict(json.loads(metadata["config"])))
        net.load_state_dict(dict(tensors))
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path} does not describe a net that can be built: {reason}") from None
    for name, value in tensors.items():
        if not torch.isfinite(value).all():
            raise InputError(f"{path} holds numbers that are not finite in {name}; train it again")
    return net
