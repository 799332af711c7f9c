"""Bad input to the harness and the command line."""


class UserError(Exception):
    """What was wrong and what to do about it, in one line: exit code 2, never a traceback.

    `fem` and `nets` may not import this package; their `InputError`s carry the same mark.
    """

    user_error = True


def nearest(name: str, known: list[str]) -> str:
    """A hint for a misspelt name: the nearest known one, or all of them."""
    import difflib

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def unknown(name: str, known: list[str]) -> str:
    """A hint for a name that is not known here: misspelt, or from a file that was not named."""
    if "@" in name:
        file = name.partition("@")[0]
        return (
            "it came from a file, and a run folder holds no code: name it again, such as "
            f"--plug ./{file}.py or --plug ./FILE.py:{file}"
        )
    return nearest(name, known)
