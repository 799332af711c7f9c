"""Writing files: all files that commands write are written by these functions.

A path is checked before anything is computed (`file_for`, `folder_for`). Data go to a temporary
name in the same folder, which is renamed when complete (`written_whole`, `write_whole`); no partial
file remains, not even after a signal. Errors of the system become one line with a remedy.
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

LONGEST_SUFFIX = 16  # kept in the temporary name, for writers that choose the format by it
_aside: set[Path] = set()  # temporary files, removed on a signal


def file_for(path: Path | None, option: str, suffix: str = "") -> None:
    """Raise a UserError if no file can be written to the path; `suffix` is the required ending."""
    if path is None:
        return
    if suffix and path.suffix.lower() != suffix:
        kind = suffix[1:].upper()
        raise UserError(f"{option} writes a {kind}, got {path}; end the name in {suffix}")
    try:
        if not path.parent.is_dir():
            raise UserError(f"{option}: directory {path.parent} does not exist; create it first")
        with suppress(FileNotFoundError):  # an empty or too long name is another error
            if not stat.S_ISREG(os.stat(path).st_mode):
                kind = "a directory" if path.is_dir() else "not a plain file"
                raise UserError(f"{option}: {path} is {kind}; give another name")
        _try(path)
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, option) from None


def folder_for(path: Path, option: str) -> Path:
    """Return the directory, created if necessary, after checking that it is writable."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        _try(path / "file")
    except (OSError, ValueError) as error:
        raise cannot_write(path, error, option) from None
    return path


def no_link(path: Path) -> Path:
    """Return the directory; refuse a link, so that a copied run folder writes only to itself."""
    if path.is_symlink():
        raise UserError(
            f"{path} is a symbolic link, and a run writes to its own folder only; replace it by a "
            "directory"
        )
    return path


def _try(path: Path) -> None:
    part = name_aside(path)
    try:
        part.touch(exist_ok=False)
    finally:
        part.unlink(missing_ok=True)


def name_aside(path: Path) -> Path:
    """Return a hidden temporary name in the same directory, short even if the path is long."""
    kept = path.suffix if len(os.fsencode(path.suffix)) <= LONGEST_SUFFIX else ""
    return path.parent / f".{secrets.token_hex(6)}{kept}"


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary name; the file is renamed to `path` on success and removed on failure."""
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
    """Write atomically: readers see the old file or the complete new one."""
    with written_whole(path) as part:
        part.write_bytes(data)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a temporary directory of the system, removed afterwards."""
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
    """Remove the temporary files; called before the process ends."""
    for path in list(_aside):
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


before_the_end(remove_unfinished)


def cannot_write(path: Path, error: OSError | ValueError, option: str = "") -> UserError:
    """Return the system's error as a UserError of one line, with what to do."""
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    remedy = f"give another place with {option}" if option else "free space or give another place"
    return UserError(f"cannot write {printable(str(path))}: {why}; {remedy}")
