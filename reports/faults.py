"""What could not be made: named in the report, on the command line and in the log.

A report of a night's run is worth having even if one of its sections fails on results that it did
not expect (altered by hand, of another version). A note then stands in the place of the section or
figure.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from bench.core.guards.text import one_line
from bench.store.files import Damaged

T = TypeVar("T")
_noted: list[str] = []


def note(what: str, error: Exception) -> str:
    """Records a fault and returns it in words; the log has the traceback."""
    message = one_line(f"{what} could not be made: {type(error).__name__}: {error}; see the log")
    if message not in _noted:
        _noted.append(message)
        logging.getLogger("femnets.report").debug("%s", what, exc_info=error)
    return message


def tried(what: str, made: Callable[[], T], otherwise: Callable[[str], T]) -> T:
    """What is made, or what stands in its place, given the note. A result that was replaced
    meanwhile is another matter: the report begins again."""
    try:
        return made()
    except Damaged:
        raise
    except Exception as error:
        return otherwise(note(what, error))


def all_noted() -> list[str]:
    """The faults of the last report."""
    return list(_noted)


@contextmanager
def noted() -> Iterator[list[str]]:
    """The list that faults go to while inside."""
    _noted.clear()
    yield _noted
