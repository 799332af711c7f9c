"""Safetensors documents of our own making: one byte string for equal contents, checked when read.

8 bytes for the header's length, the header (JSON), the numbers. Keys are sorted and tensors lie in
the order of their names, so equal nets are equal files; the library's own writer orders the
metadata anew in every process. Metadata carry the checksum of everything else, so that a bit that
flips anywhere is noticed. Whatever a header claims is checked before memory is taken for it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
import struct
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

MOST_BYTES = 2**31  # of a file: 2.7e8 numbers in float64
MOST_HEADER_BYTES = 2**24
MOST_DIMENSIONS = 4
DTYPES = {"F32": torch.float32, "F64": torch.float64}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
METADATA, CHECKSUM = "__metadata__", "checksum"
Header = dict[str, Any]


class Unreadable(ValueError):
    """Why a file is not taken, in one line."""


def to_document(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> bytes:
    """The whole file; metadata gain `checksum`."""
    header: Header = {METADATA: {**metadata, CHECKSUM: ""}}
    parts, offset = [], 0
    for name in sorted(tensors):
        value = tensors[name].detach().contiguous()
        parts.append(value.numpy().tobytes())
        end = offset + len(parts[-1])
        header[name] = {
            "dtype": NAMES[value.dtype],
            "shape": list(value.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    numbers = b"".join(parts)
    header[METADATA][CHECKSUM] = _checksum(header, numbers)
    text = _canonical(header)
    return struct.pack("<Q", len(text)) + text + numbers


def from_document(data: bytes) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Metadata and tensors. A checksum that is there must hold; who wants one looks for it."""
    header, start = _header(data)
    metadata = header[METADATA]
    numbers = data[start:]
    if CHECKSUM in metadata:
        whole = data[8:start] == _canonical(header)
        if not whole or metadata[CHECKSUM] != _checksum(header, numbers):
            raise Unreadable("its checksum differs")
    tensors = {}
    for name, entry in header.items():
        if name != METADATA:
            begin, end = entry["data_offsets"]
            values = np.frombuffer(numbers[begin:end], dtype=f"<f{DTYPES[entry['dtype']].itemsize}")
            tensors[name] = torch.from_numpy(values.copy()).reshape(entry["shape"])
    return metadata, tensors


def read_regular(path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a plain file, without waiting: a pipe or a device is refused, not read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a null byte in the name
        raise Unreadable(str(error)) from None
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if stat.S_ISDIR(about.st_mode):
            raise Unreadable("is a directory")
        if not stat.S_ISREG(about.st_mode):
            raise Unreadable("is not a plain file")
        if about.st_size > most_bytes:
            raise Unreadable(f"has {about.st_size} bytes, more than the {most_bytes} of any net")
        return file.read(most_bytes + 1)


def _canonical(header: Header) -> bytes:
    """Sorted, and padded so that the numbers begin at a multiple of 8."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
    return text + b" " * (-len(text) % 8)


def _checksum(header: Header, numbers: bytes) -> str:
    unsigned = {**header, METADATA: {**header[METADATA], CHECKSUM: ""}}
    digest = hashlib.blake2b(_canonical(unsigned), digest_size=16)
    digest.update(numbers)
    return digest.hexdigest()


def _header(data: bytes) -> tuple[Header, int]:
    """The header, every entry of it checked against what follows, and where the numbers begin."""
    if len(data) < 8:
        raise Unreadable("it is too short")
    (length,) = struct.unpack("<Q", data[:8])
    if not 2 <= length <= min(MOST_HEADER_BYTES, len(data) - 8):
        raise Unreadable("its header is longer than the file, or empty")
    try:
        header = json.loads(data[8 : 8 + length], object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise Unreadable("its header is no JSON") from None
    if not isinstance(header, dict):
        raise Unreadable("its header is no JSON object")
    metadata = header.setdefault(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise Unreadable("its metadata are no texts")
    _check_places(header, len(data) - 8 - length)
    return header, 8 + length


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _check_places(header: Header, size: int) -> None:
    """Each tensor has the bytes of its shape, and together they are all bytes, without overlap."""
    places = [(0, 0)]
    for name, entry in header.items():
        if name == METADATA:
            continue
        if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise Unreadable("its header does not describe tensors")
        dtype, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
        if not isinstance(dtype, str) or dtype not in DTYPES:
            raise Unreadable("its numbers are neither float32 nor float64")
        if not (_counts(shape) and len(shape) <= MOST_DIMENSIONS and _counts(place)):
            raise Unreadable("its header does not describe tensors")
        if len(place) != 2 or place[1] - place[0] != math.prod(shape) * DTYPES[dtype].itemsize:
            raise Unreadable("its header claims other sizes than the file has")
        places.append((place[0], place[1]))
    places.sort()
    if places[-1][1] != size or any(a[1] != b[0] for a, b in pairwise(places)):
        raise Unreadable("its header claims other sizes than the file has")


def _counts(values: object) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)
