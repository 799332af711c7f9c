"""Reading files: bytes of regular files, JSON and arrays, checked before they are used.

Directories, devices and huge files are refused; JSON is bounded in depth and in its numbers;
arrays hold numbers, never pickles, and take no more memory than their file has bytes.
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
    """Why a file cannot be used, as a clause that follows its name: "is a directory"."""


def plain_bytes(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """Return the content of a regular file of at most `most` bytes."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise Unfit("is a directory" if stat.S_ISDIR(status.st_mode) else "is not a regular file")
    if status.st_size > most:
        raise Unfit(f"has {status.st_size} bytes, more than {most}")
    with open(path, "rb") as file:
        return file.read(most + 1)


def json_object(data: bytes) -> dict[str, Any]:
    """Parse a JSON object of bounded depth whose numbers are finite and fit into 64 bits."""
    try:
        found = json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise Unfit("is nested too deeply") from None
    except (ValueError, UnicodeDecodeError):
        raise Unfit("is not valid JSON") from None
    if not isinstance(found, dict):
        raise Unfit("is not a JSON object")
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
    """Read the arrays of an .npz file as the store writes it: not compressed, numbers only."""
    import numpy as np

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > len(data):
                raise Unfit("declares arrays larger than the file")
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive}
    except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, MemoryError) as error:
        raise Unfit(f"is not a valid .npz file ({type(error).__name__}: {error})") from None
    if not all(isinstance(a, np.ndarray) and a.dtype.kind in NUMBERS for a in found.values()):
        raise Unfit("contains something other than arrays of numbers")
    return found
