"""Checks of numbers and memory before anything is allocated."""

from __future__ import annotations

import math
from typing import Any

from base.errors import UserError

LARGEST_WHOLE = 2**63 - 1
GIB = 2**30


def check_numbers(arguments: dict[str, Any]) -> None:
    """Check every number of a command line: floats are finite, integers fit into 64 bits."""
    for name, value in arguments.items():
        for number in value if isinstance(value, list | tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                raise UserError(f"{_option(name)} must be finite, got {number}")
            if isinstance(number, int) and abs(number) > LARGEST_WHOLE:
                raise UserError(f"{_option(name)} must fit into 64 bits, got a larger number")


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Raise a UserError if more bytes are needed than are available now."""
    from fem.memory import limit_bytes

    limit = limit_bytes()
    if needed > limit:
        raise UserError(f"{what} needs about {_gib(needed)}, {_gib(limit)} are available; {remedy}")


def _gib(size: int) -> str:
    return f"{size / GIB:.2f} GiB" if size < 1e6 * GIB else f"{size / GIB:.0e} GiB"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
