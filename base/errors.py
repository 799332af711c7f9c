"""Errors that are shown to users in one line, and hints for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """Invalid input: the message says in one line what is wrong and what to do.

    On the command line it ends in exit code 2, never in a traceback.
    """


class UnknownPlugin(UserError):
    """A name that no plugin has: misspelt, removed since, or from a file that was not passed."""


class NotConverged(RuntimeError):
    """An iterative solver stopped before its tolerance; its solution is not stored as a result."""


#: Exceptions that the command line shows in one line.
SHOWN = (UserError, NotConverged)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a misspelt name: the nearest known name, or all of them."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def unknown(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: misspelt, or from a plugin file that was not passed."""
    if "@" not in name:
        return nearest(name, known)
    file = name.partition("@")[0]
    return (
        "it comes from a file, and code is not stored in a run folder: name the file again with "
        f"--plug ./{file}.py, or --plug ./FILE.py:{file}"
    )
