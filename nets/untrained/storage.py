"""Untrained nets on disk: plain nets as `nets.storage` has them, windowed features in one file too.

Tensors `W.0`, `b.0`, `c.0`, … by level: hidden weights, biases, coefficients.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import safetensors.torch

from nets import storage
from nets.module import Network
from nets.untrained.windowed import WindowedNet


def to_bytes(net: Network | WindowedNet, about: Mapping[str, Any] | None = None) -> bytes:
    """Return the whole file; `about` is any JSON data to store with the net."""
    if isinstance(net, Network):
        return storage.to_bytes(net, about)
    metadata = {
        "format": storage.WINDOWS,
        "config": json.dumps(net.description(), sort_keys=True),
        "about": json.dumps(dict(about or {}), sort_keys=True),
    }
    return storage.signed(safetensors.torch.save(net.tensors(), metadata))


def load_with_about(
    path: str | os.PathLike[str],
) -> tuple[Network | WindowedNet, dict[str, Any]]:
    """Return the net of a file, of either kind, and what was saved about it."""
    data = storage.file_bytes(path)
    metadata, tensors = storage.opened(data, path)
    if metadata["format"] != storage.WINDOWS:
        return storage.from_bytes(data, path)
    with storage.described(path):
        net = WindowedNet.from_file(storage.json_object(metadata["config"]), tensors)
        return net, storage.json_object(metadata.get("about", "{}"))
