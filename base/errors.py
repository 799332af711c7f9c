"""Bad input, described in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """What was wrong with the input and what to do about it, in one line.

    On the command line it ends in exit code 2, never in a traceback.
    """


class NotConverged(RuntimeError):
    """An iterative solve that stopped short: how far it came. Its error is never a result."""


#: What the command line shows in one line.
SHOWN = (UserError, NotConverged)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the nearest known one, or all of them."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"


def unknown(name: str, known: Iterable[str]) -> str:
    """A hint for a name that is not known here: misspelt, or from a file that was not given."""
    if "@" not in name:
        return nearest(name, known)
    file = name.partition("@")[0]
    return (
        "it comes from a file, and code is not stored in a run folder: name the file again with "
        f"--plug ./{file}.py, or --plug ./FILE.py:{file}"
    )
