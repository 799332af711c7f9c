"""The one way in: bytes of plain files, JSON and arrays, checked before they are used.

A pipe, a device, a directory, a link or a giant in the place of a file is refused without waiting
for it; JSON is bounded in depth and in its numbers; arrays hold numbers, never pickles, and take
no more memory than their file has bytes.
"""

from __future__ import annotations

import io
import json
import math
import os
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

MOST_JSON_BYTES = 2**26
MOST_BYTES = 2**32
DEEPEST = 32  # of nested JSON
LARGEST_WHOLE = 2**63
NUMBERS = "biufc"  # kinds of dtype: no objects, no texts


class Unfit(ValueError):
    """Why a file is not read, in a few words."""


def plain_bytes(path: Path | str, most: int = MOST_BYTES, *, follow: bool = False) -> bytes:
    """The content of a plain file; links are followed only where a person named the path."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    with open(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise Unfit("is a directory" if stat.S_ISDIR(about.st_mode) else "is no plain file")
        if about.st_size > most:
            raise Unfit(f"has {about.st_size} bytes, more than {most}")
        return file.read(most + 1)


def json_object(data: bytes, *, lenient: bool = False) -> dict[str, Any]:
    """A JSON object of bounded depth whose numbers are finite and of 64 bits.

    `lenient`, for what other programs wrote: a number that does not exist is None.
    """
    none = (lambda text: None) if lenient else _no_number
    try:
        found = json.loads(data, parse_constant=none, parse_float=_finite)
    except RecursionError:
        raise Unfit("is nested too deeply") from None
    except (ValueError, UnicodeDecodeError):
        raise Unfit("is no JSON") from None
    if not isinstance(found, dict):
        raise Unfit("is no JSON object")
    _check_depth(found)
    return found


def _no_number(text: str) -> float:
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _check_depth(document: Any) -> None:
    level = [document]
    for _ in range(DEEPEST):
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                deeper.extend(value.values())
            elif isinstance(value, list):
                deeper.extend(value)
            elif type(value) is int and abs(value) > LARGEST_WHOLE:
                raise Unfit("holds a whole number of more than 64 bits")
        if not deeper:
            return
        level = deeper
    raise Unfit("is nested too deeply")


def arrays(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of an .npz as the store writes it: stored, not compressed, numbers only."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            for member in members:
                if member.compress_type != zipfile.ZIP_STORED or member.file_size > len(data):
                    raise Unfit("holds arrays that are larger than it")
            return {m.filename.removesuffix(".npy"): _array(archive.read(m)) for m in members}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise Unfit(f"is no archive of arrays ({type(error).__name__})") from None


def _array(data: bytes) -> np.ndarray:
    """What `numpy.lib.format.read_array` gives, its header believed only where the bytes agree."""
    import numpy as np

    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, fortran, dtype = read_header(stream)
    except (ValueError, KeyError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise Unfit("holds something that is no array") from None
    rest = data[stream.tell() :]
    if dtype.kind not in NUMBERS or dtype.hasobject:
        raise Unfit("holds an array of something other than numbers")
    if any(size < 0 for size in shape) or math.prod(shape) * dtype.itemsize != len(rest):
        raise Unfit("holds an array of another size than it claims")
    if len(shape) > 8:
        raise Unfit("holds an array of too many dimensions")
    flat = np.frombuffer(rest, dtype=dtype).copy()
    return flat.reshape(shape, order="F" if fortran else "C")
