"""A plugin file that a user names on the command line: its text, its hash, its module.

`./mine.py` is called mine@1a2b3c4d, `./mine.py:heavyball` is heavyball@1a2b3c4d: the part after the
@ is the hash of the file and of the files it reads through `attached`, so that a cell that names it
has another key once a byte of them changes. The text travels with the cells to worker processes;
nothing is ever read from a run folder and executed.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType

from base.errors import UserError
from bench.core.guards.reading import plain_bytes

HASH_BYTES = 4
LARGEST = 512 * 2**20  # bytes of a file that is hashed, such as a mesh
PATH = re.compile(r"(?P<path>.+\.py)(?::(?P<what>[A-Za-z_]\w*))?")
DATA = re.compile(r".+\.(?:csv|npz)")
NAME = re.compile(r"(?P<what>[A-Za-z_]\w*)@(?P<digest>[0-9a-f]{8})")


@dataclass(frozen=True)
class PluginFile:
    """One file with the files it reads; it is executed when something in it is first needed."""

    stem: str
    source: bytes
    place: str  # where it was read, for messages and tracebacks
    attachments: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        return digest_of([self.source, *self.attachments.values()])

    def name(self, what: str | None = None) -> str:
        """Return its name in cells and results: NAME@HASH."""
        return f"{what or self.stem}@{self.digest}"

    def paths(self) -> list[str]:
        """Return the file and those it reads, in the order in which they are hashed."""
        return [self.place, *(str(Path(self.place).parent / name) for name in self.attachments)]

    @cached_property
    def module(self) -> ModuleType:
        """The executed file; an exception in it becomes a UserError that names file and line."""
        module = ModuleType(f"femnets_plugin_{self.stem}_{self.digest}", None)
        module.__file__ = self.place
        sys.modules[module.__name__] = module  # dataclasses and type hints look there
        token = _reading.set(self)
        try:
            exec(compile(self.source, self.place, "exec"), module.__dict__)
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            raise UserError(_message(self.place, error)) from error
        finally:
            _reading.reset(token)
        return module

    def __getstate__(self) -> dict[str, object]:
        kept = ("stem", "source", "place", "attachments")
        return {name: getattr(self, name) for name in kept}


_reading: ContextVar[PluginFile | None] = ContextVar("reading", default=None)


def attached(name: str) -> tuple[str, bytes]:
    """Return path and content of a file next to the plugin being executed; workers get it too."""
    plugin = _reading.get()
    if plugin is not None and name in plugin.attachments:
        return str(Path(plugin.place).parent / name), plugin.attachments[name]
    path = Path(name) if plugin is None else Path(plugin.place).parent / name
    data = _content(path)
    if plugin is not None and isinstance(plugin.attachments, dict):
        plugin.attachments[name] = data
    return str(path), data


def read(path: str) -> PluginFile:
    """Return the plugin file at a path, executed once to find the files it reads."""
    plugin = read_data(path)
    drafted = plugin.module  # its hash does not include the attached files yet
    del sys.modules[drafted.__name__]
    vars(plugin).pop("digest", None)
    drafted.__name__ = f"femnets_plugin_{plugin.stem}_{plugin.digest}"
    sys.modules[drafted.__name__] = drafted
    return plugin


def read_data(path: str) -> PluginFile:
    """Return a user's file of rows, which is sent to workers like a plugin and never executed."""
    place = located(path)
    if not re.fullmatch(r"[A-Za-z_]\w*", place.stem):
        raise UserError(f"{place.name} is not a valid name; use letters, digits and _")
    return PluginFile(place.stem, _content(place), str(place), {})


def located(path: str) -> Path:
    """Resolve a typed path; a UserError for circular links and unknown home directories."""
    try:
        return Path(path).expanduser().resolve()
    except (RuntimeError, OSError, ValueError) as error:
        raise UserError(f"cannot read {path}: {error}") from None


def digest_of(contents: Sequence[bytes]) -> str:
    hasher = hashlib.blake2b(digest_size=HASH_BYTES)
    for content in contents:
        hasher.update(hashlib.blake2b(content).digest())
    return hasher.hexdigest()


def digest_now(paths: Sequence[str]) -> str | None:
    """Return the present hash of the files at these paths; None if one is missing."""
    try:
        return digest_of([_content(Path(path)) for path in paths])
    except UserError:
        return None


def _content(path: Path) -> bytes:
    try:
        return plain_bytes(path, LARGEST)
    except FileNotFoundError:
        raise UserError(f"the file {path} does not exist") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:  # Unfit, or an invalid file name
        raise UserError(f"cannot read {path}: it {error}") from None


def _message(place: str, error: BaseException) -> str:
    """Return `mine.py, line 4: NameError: …`, with the line in the file, not in a library."""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    trace = error.__traceback__
    while trace is not None and line is None:
        if trace.tb_frame.f_code.co_filename == place:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"{Path(place).name}, line {line}" if line else Path(place).name
    hint = ""
    if isinstance(error, ModuleNotFoundError):
        hint = "; a plugin is one file: install the missing module, or copy its code into the file"
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{where}: {type(error).__name__}: {text}{hint}"
