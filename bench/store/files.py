"""How a result looks on disk: `cell.json`, `arrays.npz` (no pickle), `NAME.safetensors`.

Every JSON document is *sealed*: its first line holds the checksum of all bytes that follow, and
`cell.json` holds size and checksum of the files beside it. A truncated, emptied or bit-flipped
file is therefore noticed, named and never misread. A number that does not exist (NaN, ±inf) is
null in JSON; arrays keep theirs.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.cells import Cell, Result, finite, key_of

SCHEMA = 2  # 2: configs typed by their kind (300 and 300.0 are one cell)
CELL = "cell.json"
ARRAYS = "arrays.npz"
WEIGHTS = ".safetensors"


class Damaged(Exception):
    """A file of the store that cannot be trusted: which, and what is wrong with it."""

    def __init__(self, name: str, fault: str):
        super().__init__(f"{name}: {fault}")


@dataclass(frozen=True)
class StoredResult:
    """A result read back. `state` is done or diverged; arrays and weights stay on disk."""

    kind: str
    config: dict[str, Any]
    key: str
    state: str
    values: dict[str, Any]
    fingerprint: str
    provenance: dict[str, Any]
    files: dict[str, dict[str, Any]]
    directory: Path

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays, read when first asked for and checked against their checksum."""
        if ARRAYS not in self.files:
            return {}
        with np.load(io.BytesIO(self.read(ARRAYS)), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}

    def weights(self, name: str = "net") -> Path | None:
        """The path of a saved net, checked, or None if the cell saved none of that name."""
        if name + WEIGHTS not in self.files:
            return None
        self.read(name + WEIGHTS)
        return self.directory / (name + WEIGHTS)

    def read(self, name: str) -> bytes:
        try:
            data = (self.directory / name).read_bytes()
        except OSError as error:
            raise Damaged(name, str(error.strerror)) from None
        expected = self.files[name]
        if len(data) != expected["bytes"]:
            raise Damaged(name, f"{len(data)} bytes instead of {expected['bytes']}")
        if checksum(data) != expected["checksum"]:
            raise Damaged(name, "checksum differs")
        return data

    def verify(self) -> None:
        """Reads every file whole; raises Damaged at the first that is not as written."""
        for name in self.files:
            self.read(name)


Record = StoredResult


def checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def sealed(document: Mapping[str, Any]) -> bytes:
    """JSON whose first line is the checksum of the rest."""
    body = json.dumps(finite(document), indent=1, sort_keys=True, allow_nan=False).encode()
    rest = body[2:] + b"\n"  # after "{\n"
    return b'{\n "checksum": "' + checksum(rest).encode() + b'",\n' + rest


def unsealed(data: bytes, name: str) -> dict[str, Any]:
    """The document, if not a byte of it has changed."""
    if not data:
        raise Damaged(name, "empty")
    first, opening, rest = (*data.split(b"\n", 2), b"", b"")[:3]
    if first != b"{" or opening != b' "checksum": "' + checksum(rest).encode() + b'",':
        raise Damaged(name, "truncated or altered")
    document: dict[str, Any] = json.loads(data)
    if document.get("schema") != SCHEMA:
        raise Damaged(name, f"schema {document.get('schema')}, this femnets reads {SCHEMA}")
    return document


def encoded(
    cell: Cell, result: Result, fingerprint: str, provenance: Mapping[str, Any]
) -> dict[str, bytes]:
    """The files of a result by name: made where it was computed, written where the store is."""
    files = {f"{name}{WEIGHTS}": data for name, data in result.weights.items()}
    if result.arrays:
        files[ARRAYS] = _npz(result.arrays)
    document = {
        "schema": SCHEMA,
        "key": cell.key,
        "kind": cell.kind,
        "config": cell.config,
        "state": "diverged" if result.diverged else "done",
        "values": result.values,
        "fingerprint": fingerprint,
        "provenance": provenance,
        "files": {
            name: {"bytes": len(data), "checksum": checksum(data)} for name, data in files.items()
        },
    }
    return {**files, CELL: sealed(document)}


def _npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """What `numpy.savez` writes, without pickle, without dates, under any name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def decoded(directory: Path, cell: Cell | None = None) -> StoredResult:
    """The record in a directory: `cell.json` checked whole, the files beside it by their size.

    If the cell is known, its config is compared; else the config's hash.
    """
    try:
        with open(f"{directory}/{CELL}", "rb") as file:
            data = file.read()
    except OSError as error:
        raise Damaged(CELL, str(error.strerror)) from None
    document = unsealed(data, CELL)
    del document["checksum"], document["schema"]
    record = StoredResult(**document, directory=directory)
    key = cell.key if cell else directory.name
    same = record.config == cell.config if cell else key == key_of(record.kind, record.config)
    if record.key != key or not same:
        raise Damaged(CELL, "belongs to another cell")
    for name, expected in record.files.items():
        try:
            size = (directory / name).stat().st_size
        except OSError as error:
            raise Damaged(name, str(error.strerror)) from None
        if size != expected["bytes"]:
            raise Damaged(name, f"{size} bytes instead of {expected['bytes']}")
    return record


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to: it becomes `path` if all went well, and else goes."""
    part = path.with_name(f".{secrets.token_hex(4)}-{path.name}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, data: bytes) -> None:
    """Readers see the old file or the new one, never a part."""
    with written_whole(path) as part:
        part.write_bytes(data)
