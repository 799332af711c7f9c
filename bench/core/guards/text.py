"""Untrusted text (names, titles, errors, logs) made safe for a terminal and a shell.

A file name, a run's name or an error message may hold anything: escape sequences that rename the
window or overwrite earlier lines, control characters, text direction overrides, bytes that are
not UTF-8. They are shown by number: `\\x1b`, `\\u202e`, `\\udcff`.
"""

from __future__ import annotations

import shlex
import unicodedata

# Characters of these categories are shown by number: control, format (directions), surrogates.
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def printable(text: str, *, keep: str = "") -> str:
    """Replace each character that a terminal would act on; those in `keep` stay."""
    if text.isprintable():
        return text
    return "".join(c if c in keep or not _acts(c) else _by_number(c) for c in text)


def one_line(text: str) -> str:
    """Return the text printable and on one line."""
    return printable(" ".join(text.split()))


def lines(text: str) -> str:
    """Return the text printable, with its line breaks and tabs, for logs."""
    return printable(text.replace("\r\n", "\n"), keep="\n\t")


def shell_command(*words: str) -> str:
    """Return a command line that can be copied: words are quoted where a shell needs it."""
    return shlex.join(printable(word) for word in words)


def _acts(character: str) -> bool:
    return unicodedata.category(character) in HIDDEN


def _by_number(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
