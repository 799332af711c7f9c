"""Bad input to the network package."""

from collections.abc import Sequence


class InputError(ValueError):
    """What was wrong with an argument and what to do about it, in one line.

    `user_error` is how the command line tells it from a bug without importing this package.
    """

    user_error = True


def nearest(name: str, known: Sequence[str]) -> str:
    """A hint for a misspelt name: the nearest known one, or all of them."""
    import difflib

    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def unknown(name: str, known: Sequence[str]) -> str:
    """A hint for a name that is not known here: misspelt, or from a file that was not named."""
    if "@" in name:  # such names are given to files by the command line alone
        file = name.partition("@")[0]
        return f"it came from a file; name it again, such as --plug ./FILE.py:{file}"
    return nearest(name, known)
