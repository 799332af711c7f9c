"""What could not be compiled: named in the report and to whoever asked for it, never passed over.

A report of a night's run is worth having even if one of its sections trips over results that it did
not expect (altered by hand, of another version). The section or figure then says so itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bench.core.guards.text import one_line

_noted: list[str] = []


def note(what: str, error: Exception) -> str:
    """Takes a fault down and returns it in words."""
    said = one_line(f"{what} could not be compiled: {type(error).__name__}: {error}")
    if said not in _noted:
        _noted.append(said)
    return said


def all_noted() -> list[str]:
    """The faults of the last report."""
    return list(_noted)


@contextmanager
def noted() -> Iterator[list[str]]:
    """The list that faults go to while inside."""
    _noted.clear()
    yield _noted
