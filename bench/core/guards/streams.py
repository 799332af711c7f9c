"""Standard output and error without control sequences from untrusted text.

Commands make text from outside printable where they read it (`bench.core.guards.text`); this is a
second check of everything that is printed. On a terminal the sequences of our own tables and bars
(colour, cursor, erasing) pass; in files and pipes none does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from bench.core.guards.text import printable

OURS = re.compile(r"(\x1b\[[0-9;?]*[A-DGHJKfhlm]|\r)")  # SGR, cursor, erase; show and hide it
KEPT = "\n\t"


class Guarded:
    """A text stream that cleans what it passes on to another."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self._terminal = stream.isatty()

    def write(self, text: str) -> int:
        self._stream.write(self._clean(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def _clean(self, text: str) -> str:
        if text.isprintable():
            return text
        if not self._terminal:
            return printable(text, keep=KEPT)
        pieces = OURS.split(text)
        return "".join(
            piece if index % 2 else printable(piece, keep=KEPT)
            for index, piece in enumerate(pieces)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Replace sys.stdout and sys.stderr by guarded streams while inside."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(before[0]), Guarded(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def forgiving() -> None:
    """Show characters that the terminal's encoding lacks by number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
