"""A result on disk: `cell.json`, `arrays.npz` (no pickle), `NAME.safetensors`.

Every JSON document is *sealed*: its first line holds the checksum of all bytes that follow, and
`cell.json` holds size and checksum of the files next to it. A truncated, emptied or bit-flipped
file is therefore noticed, named and never misread. Numbers that are not finite (NaN, ±inf)
are null in JSON; arrays keep them.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.cells import Cell, Result, key_of, not_of_kind
from bench.core.guards.output import write_whole, written_whole
from bench.core.guards.reading import (
    MOST_BYTES,
    MOST_JSON_BYTES,
    Unfit,
    arrays,
    json_object,
    plain_bytes,
)
from bench.core.guards.text import one_line
from bench.core.plain_values import finite

__all__ = ["Damaged", "StoredResult", "write_whole", "written_whole"]

SCHEMA = 3  # 2: femnets 0.2; 3: fingerprints computed from imports
MOST_SECONDS = 1e10  # of a cell: three hundred years
CELL = "cell.json"
ARRAYS = "arrays.npz"
WEIGHTS = ".safetensors"
FILE_NAME = re.compile(r"arrays\.npz|[A-Za-z0-9_-]{1,100}\.safetensors")  # names, never paths
# The fields of a cell's document, and the provenance fields that the code uses.
FIELDS: dict[str, type] = {
    "kind": str,
    "config": dict,
    "key": str,
    "state": str,
    "values": dict,
    "fingerprint": str,
    "provenance": dict,
    "files": dict,
}
PROVENANCE: dict[str, tuple[type, ...]] = {
    "versions": (dict,),
    "machine": (dict,),
    "commit": (str, type(None)),
    "threads": (int,),
    "start": (str,),
    "seconds": (int, float),
}


class Damaged(Exception):
    """A damaged file of the store: its name and what is wrong with it."""

    def __init__(self, name: str, fault: str):
        super().__init__(one_line(f"{name}: {fault}"))


class OtherVersion(Damaged):
    """An intact file that another version of femnets wrote."""


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
        return _arrays(self.read(ARRAYS)) if ARRAYS in self.files else {}

    def weights(self, name: str = "net") -> Path | None:
        """The path of a saved net, checked, or None if the cell saved none of that name."""
        if name + WEIGHTS not in self.files:
            return None
        self.read(name + WEIGHTS)
        return self.directory / (name + WEIGHTS)

    def read(self, name: str) -> bytes:
        """The bytes of a file next to the document, as they were written."""
        data = trusted_bytes(self.directory / name)
        expected = self.files[name]
        if len(data) != expected["bytes"]:
            raise Damaged(name, f"{len(data)} bytes instead of {expected['bytes']}")
        if checksum(data) != expected["checksum"]:
            raise Damaged(name, "checksum differs")
        return data

    def verify(self) -> None:
        """Read every file whole; raise Damaged at the first that is not as written."""
        for name in self.files:
            data = self.read(name)
            if name == ARRAYS:
                _arrays(data)


def _arrays(data: bytes) -> dict[str, np.ndarray]:
    try:
        return arrays(data)
    except Unfit as error:
        raise Damaged(ARRAYS, str(error)) from None


def trusted_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file of the store; anything else is Damaged."""
    try:
        return plain_bytes(path, most)
    except OSError as error:
        raise Damaged(path.name, error.strerror or str(error)) from None
    except ValueError as error:  # Unfit, or an invalid file name
        raise Damaged(path.name, str(error)) from None


def checksum(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def sealed(document: Mapping[str, Any]) -> bytes:
    """JSON whose first line is the checksum of the rest."""
    body = json.dumps(finite(document), indent=1, sort_keys=True, allow_nan=False).encode()
    rest = body[2:] + b"\n"  # after "{\n"
    return b'{\n "checksum": "' + checksum(rest).encode() + b'",\n' + rest


def unsealed(data: bytes, name: str) -> dict[str, Any]:
    """Return the document; raise Damaged if a byte of it has changed."""
    if not data:
        raise Damaged(name, "empty")
    first, opening, rest = (*data.split(b"\n", 2), b"", b"")[:3]
    if first != b"{" or opening != b' "checksum": "' + checksum(rest).encode() + b'",':
        raise Damaged(name, "truncated or altered")
    try:
        document = json_object(data)
    except Unfit as error:
        raise Damaged(name, str(error)) from None
    if document.get("schema") != SCHEMA:
        raise OtherVersion(name, f"schema {document.get('schema')}, this femnets reads {SCHEMA}")
    return document


def encoded(
    cell: Cell, result: Result, fingerprint: str, provenance: Mapping[str, Any]
) -> dict[str, bytes]:
    """The files of a result by name, encoded by the worker and written by the run."""
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
    """Encode arrays like `numpy.savez`, without pickle and dates, and with any names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def decoded(directory: Path, cell: Cell | None = None) -> StoredResult:
    """The record in a directory: `cell.json` checked whole, the files next to it by their size.

    Its key is that of the cell, or of the directory, and the hash of its own kind and config.
    """
    document = unsealed(trusted_bytes(directory / CELL, MOST_JSON_BYTES), CELL)
    del document["checksum"], document["schema"]
    check_document(document)
    record = StoredResult(**document, directory=directory)
    key = cell.key if cell else directory.name
    # By hash: True == 1 in Python, so that an edited config could equal another one.
    if not record.key == key == key_of(record.kind, record.config):
        raise Damaged(CELL, "belongs to another cell")
    if cell is None and record.kind != directory.parent.name:
        raise Damaged(CELL, "its kind differs from its folder's")
    if cell is None and (wrong := not_of_kind(record.kind, record.config)):
        raise Damaged(CELL, f"invalid value of {wrong[0]}")
    for name, expected in record.files.items():
        try:
            size = (directory / name).stat().st_size
        except OSError as error:
            raise Damaged(name, str(error.strerror)) from None
        if size != expected["bytes"]:
            raise Damaged(name, f"{size} bytes instead of {expected['bytes']}")
    return record


def check_document(document: Mapping[str, Any]) -> None:
    """Check a cell's document against its schema before any of it is used."""
    for name, wanted in FIELDS.items():
        if not isinstance(document.get(name), wanted):
            raise Damaged(CELL, f"field {name} is missing or not a {wanted.__name__}")
    extra = set(document) - set(FIELDS)
    if extra:
        raise Damaged(CELL, f"unknown field {sorted(extra)[0]!r}")
    if document["state"] not in ("done", "diverged"):
        raise Damaged(CELL, f"invalid state {document['state']!r}")
    for name, value in document["provenance"].items():
        if type(value) not in PROVENANCE.get(name, (type(value),)):
            raise Damaged(CELL, f"provenance field {name} has the invalid value {value!r}")
    if not 0 <= document["provenance"].get("seconds", 0) < MOST_SECONDS:
        raise Damaged(CELL, "invalid duration")
    for name, file in document["files"].items():
        if not FILE_NAME.fullmatch(name):
            raise Damaged(CELL, f"invalid file name {name!r}")
        if not isinstance(file, dict) or type(file.get("bytes")) is not int:
            raise Damaged(CELL, f"the size of {name} is missing")
        if not isinstance(file.get("checksum"), str):
            raise Damaged(CELL, f"the checksum of {name} is missing")
