"""Standard output and error that pass nothing on that a terminal would act on unasked.

The last of the guards for text from outside: commands make it printable where they meet it
(`bench.core.guards.text`); whatever they forget is made so here. On a terminal the sequences that
our own tables and bars consist of (colour, cursor, erasing) pass; elsewhere none does.
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
    """A text stream in front of another."""

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
    """While inside, sys.stdout and sys.stderr are guarded."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(before[0]), Guarded(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def forgiving() -> None:
    """A character that the terminal's encoding lacks is shown by number instead of refused."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
