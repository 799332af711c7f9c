"""The one way out: every file a command writes goes through here.

A target is tried before anything is computed (`file_for`, `folder_for`). What is written goes to a
name aside and is renamed when it is whole (`written_whole`, `write_whole`); nothing is left behind,
not even by a signal. What the system refuses becomes one line with the remedy.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from base.errors import UserError
from bench.core.guards.signals import before_the_end
from bench.core.guards.text import printable

LONGEST_SUFFIX = 16  # kept in the name aside, for writers that choose the format by it
_aside: set[Path] = set()  # what a signal must take away


def file_for(path: Path | None, option: str, suffix: str = "") -> None:
    """Refuses a path where no file can be written; `suffix` is how its name must end."""
    if path is None:
        return
    if suffix and path.suffix.lower() != suffix:
        kind = suffix[1:].upper()
        raise UserError(f"{option} writes a {kind}, got {path}; end the name in {suffix}")
    try:
        if not path.parent.is_dir():
            raise UserError(f"{option}: there is no directory {path.parent}; create it first")
        with suppress(FileNotFoundError):  # a name too long, or none at all, is another error
            if not stat.S_ISREG(os.stat(path).st_mode):
                kind = "a directory" if path.is_dir() else "not a plain file"
                raise UserError(f"{option}: {path} is {kind}; give another name")
        _try(path)
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, option) from None


def folder_for(path: Path, option: str) -> Path:
    """The directory, created if need be, if files can be written into it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        _try(path / "file")
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, option) from None
    return path


def no_link(path: Path) -> Path:
    """The directory, unless it is a link: a folder from elsewhere names no other place."""
    if path.is_symlink():
        raise UserError(
            f"{path} is a link to another place, and a run writes to its own folder only; put a "
            "directory there"
        )
    return path


def _try(path: Path) -> None:
    part = name_aside(path)
    try:
        part.touch(exist_ok=False)
    finally:
        part.unlink(missing_ok=True)


def name_aside(path: Path) -> Path:
    """A hidden name in the same directory, short however long the path's own is."""
    kept = path.suffix if len(os.fsencode(path.suffix)) <= LONGEST_SUFFIX else ""
    return path.parent / f".{secrets.token_hex(6)}{kept}"


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A name next to `path` to write to: it becomes `path` if all went well, else it is removed."""
    part = name_aside(path)
    _aside.add(part)
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        _aside.discard(part)


def write_whole(path: Path, data: bytes) -> None:
    """Readers see the old file or the new one, never a part."""
    with written_whole(path) as part:
        part.write_bytes(data)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A directory of the system's for the time being."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="femnets-"))
    except OSError as error:
        raise cannot_write(Path(tempfile.gettempdir()), error, "TMPDIR") from None
    _aside.add(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _aside.discard(folder)


def remove_unfinished() -> None:
    """Takes away what stands aside just now: the process is about to end."""
    for path in list(_aside):
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


before_the_end(remove_unfinished)


def cannot_write(path: Path, error: OSError | ValueError, option: str = "") -> UserError:
    """The message of the system in one line, with what to do."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    remedy = f"give another place with {option}" if option else "free space or give another place"
    return UserError(f"cannot write {printable(str(path))}: {why}; {remedy}")
