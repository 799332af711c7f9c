"""A run directory, safe for resuming, for two runs at once and against `kill -9`.

    runs/NAME/femnets.json              the mark that the directory is ours, with its schema
    runs/NAME/studies/STUDY.json        which config each study was last run with
    runs/NAME/cells/KIND/KEY/           one result, written aside and renamed whole
    runs/NAME/failed/KEY.json           the last failure of a cell, with its log
    runs/NAME/sessions/START.json       when cells were computed, and other load of the machine
    runs/NAME/locks/KEY                 locked by the run that computes the cell just now
    runs/NAME/scratch/                  what is being written, one directory per process

Locks are the kernel's (flock): they are released when the process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.cells import Cell
from bench.core.guards.output import cannot_write, no_link, written_whole
from bench.core.guards.reading import MOST_JSON_BYTES
from bench.core.guards.text import shell_command
from bench.store.files import (
    SCHEMA,
    Damaged,
    OtherVersion,
    StoredResult,
    decoded,
    sealed,
    trusted_bytes,
    unsealed,
)

MARK = "femnets.json"
RUNS = Path("runs")
# The fields of a session; `cores` are those busy with other processes, None if unknown.
SESSION: dict[str, Any] = {
    "start": str,
    "seconds": int | float,
    "cells": int,
    "other_cores": int | float | None,
}
PARTS = ("studies", "cells", "failed", "sessions", "locks", "scratch")
FAILURE_TEXTS = ("reason", "error", "log", "fingerprint")
# Below this a result is cheaper to compute again after a power cut than to force to the disk;
# checksums reveal files torn by a power cut. kill -9 loses nothing either way.
SECONDS_WORTH_SYNCING = 1.0


class Missing(Exception):
    """The store holds no result for a cell."""


def run_path(name: str) -> Path:
    """`NAME` means runs/NAME; anything with a slash is a path of its own."""
    if not name or name in {".", ".."}:
        raise UserError(f"{name!r} is not the name of a run")
    return Path(name) if "/" in name else RUNS / name


class Store:
    """The results of one run. `Store(path)` reads; `Store.writable(path)` also writes."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self._scratch: Path | None = None
        self._lock: int | None = None
        self._counter = itertools.count()
        try:
            _document(self.path / MARK)
        except OtherVersion as error:
            raise UserError(
                f"cannot read the run in {self.path}: {error}; compute it again under another name "
                "with --run, or use the femnets that computed it (0.2 for schema 2)"
            ) from None
        except Damaged as error:
            if not is_marked(self.path):
                raise UserError(f"no run in {self.path}; {self.starts()} starts one") from None
            raise UserError(
                f"cannot read the run in {self.path}: {error}; move it away to compute it again, "
                "or give another name with --run"
            ) from None

    def starts(self) -> str:
        """The command that starts a run here."""
        return f"`{shell_command('femnets', 'run', '--run', self.argument)}`"

    def mends(self) -> str:
        """The command that computes again what is missing or damaged."""
        return f"`{shell_command('femnets', 'run', '--resume', '--run', self.argument)}`"

    @property
    def argument(self) -> str:
        """The value of `--run` for this directory."""
        return self.path.name if self.path.parent == RUNS else str(self.path)

    @classmethod
    def writable(cls, path: Path) -> Store:
        """Open a run for writing, or create it; refuse a folder that is not a femnets run."""
        path = Path(path)
        try:
            _mark(path)
            store = cls(path)
            for part in PARTS:
                (path / part).mkdir(exist_ok=True)
            store._check_own_folders()
            store._remove_abandoned()
            store._open_scratch()
        except UserError:
            raise
        except (OSError, ValueError) as error:
            raise cannot_write(path, error, "--run") from None
        return store

    # Reading

    def directory(self, kind: str, key: str) -> Path:
        return self.path.joinpath("cells", kind, key)

    def read(self, cell: Cell) -> StoredResult:
        """The cell's result; raises Missing, or Damaged naming the file."""
        directory = self.directory(cell.kind, cell.key)
        for _ in range(3):  # another run may be replacing it
            try:
                return decoded(directory, cell)
            except Damaged as error:
                damaged = error
            if not directory.exists():
                raise Missing
        raise damaged

    def records(
        self, damaged: Callable[[str, str], None] | None = None, *, verify: bool = True
    ) -> Iterator[StoredResult]:
        """Every intact result on disk, in the order of kind and key, its files read whole once.

        `damaged` is called for every other one, with KIND/KEY and what is wrong. Without `verify`
        arrays and weights are checked by their size only.
        """
        for kind in entries(self.path / "cells"):
            for directory in entries(kind):
                try:
                    record = decoded(directory)
                    if verify:
                        record.verify()
                except Damaged as error:
                    if damaged is not None and os.path.lexists(directory):
                        damaged(f"{kind.name}/{directory.name}", str(error))
                else:
                    yield record

    def failure(self, cell: Cell) -> dict[str, Any] | None:
        """The last failure of a cell that has no result since."""
        try:
            failure = _document(self.path / "failed" / f"{cell.key}.json")
        except Damaged:
            return None
        failure = {**dict.fromkeys(FAILURE_TEXTS, ""), **failure}
        return failure if all(isinstance(failure[name], str) for name in FAILURE_TEXTS) else None

    def plans(self, damaged: Callable[[str, str], None] | None = None) -> dict[str, dict[str, Any]]:
        """By study, its last preset and config; `damaged` is called for unreadable ones."""
        found = {}
        for path in entries(self.path / "studies"):
            if path.suffix != ".json":
                continue
            try:
                document = _document(path)
                if not isinstance(document.get("config"), dict):
                    raise Damaged(path.name, "the config is missing")
                if not isinstance(document.get("preset"), str):
                    raise Damaged(path.name, "the preset is missing")
                found[path.stem] = document
            except Damaged as error:
                if damaged is not None:
                    damaged(path.stem, str(error))
        return found

    def sessions(self) -> list[dict[str, Any]]:
        """The sessions in which cells were computed; damaged records are left out."""
        found = []
        for path in entries(self.path / "sessions"):
            with suppress(Damaged):
                document = _document(path)
                if all(isinstance(document.get(n), t) for n, t in SESSION.items()):
                    found.append({name: document[name] for name in SESSION})
        return found

    # Writing

    def commit(self, cell: Cell, files: Mapping[str, bytes], *, sync: bool = True) -> None:
        """Write a result aside, then rename it into place: it is there whole or not at all."""
        target = self.directory(cell.kind, cell.key)
        aside = self._aside(cell.key)
        try:
            aside.mkdir()
            for name, data in files.items():
                _write(aside / name, data, sync=sync)
            target.parent.mkdir(exist_ok=True)
            self._install(aside, target)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        (self.path / "failed" / f"{cell.key}.json").unlink(missing_ok=True)

    def fail(self, cell: Cell, failure: Mapping[str, Any]) -> None:
        document = {"key": cell.key, "kind": cell.kind, "config": cell.config, **failure}
        self.put(Path("failed") / f"{cell.key}.json", document)

    def plan(self, study: str, document: Mapping[str, Any]) -> None:
        self.put(Path("studies") / f"{study}.json", document)

    def put(self, name: Path, document: Mapping[str, Any]) -> None:
        """Write one sealed document, whole."""
        aside = self._aside(name.name)
        _write(aside, sealed({"schema": SCHEMA, **document}), sync=False)
        os.replace(aside, self.path / name)

    def lock(self, cell: Cell) -> int | None:
        """Lock the cell for computing; pass the lock to `unlock`. None if another run has it."""
        return _lock(self.path / "locks" / cell.key)

    def unlock(self, cell: Cell, lock: int) -> None:
        (self.path / "locks" / cell.key).unlink(missing_ok=True)
        os.close(lock)

    def _aside(self, name: str) -> Path:
        if self._scratch is None:
            raise RuntimeError("the store was opened for reading")
        return self._scratch / f"{next(self._counter)}-{name}"

    def _install(self, aside: Path, target: Path) -> None:
        """Rename `aside` to `target`, and remove an older (stale, damaged) result whole."""
        while True:
            try:
                os.rename(aside, target)
                return
            except OSError:
                if not os.path.lexists(target):
                    raise
            replaced = aside.with_name(f"{aside.name}-replaced")
            with suppress(FileNotFoundError):
                os.rename(target, replaced)
            if replaced.is_dir() and not replaced.is_symlink():
                shutil.rmtree(replaced)
            else:
                replaced.unlink(missing_ok=True)

    def _check_own_folders(self) -> None:
        """Refuse links in place of folders: a packed run could otherwise make us write and remove
        files elsewhere."""
        for folder in (*(self.path / part for part in PARTS), *entries(self.path / "cells")):
            no_link(folder)

    def _open_scratch(self) -> None:
        """Make a directory of this process's own, locked before others can see it."""
        name = secrets.token_hex(6)
        hidden = self.path / "scratch" / f".{name}"
        hidden.mkdir()
        self._lock = _lock(hidden / "lock")
        self._scratch = self.path / "scratch" / name
        os.rename(hidden, self._scratch)

    def _remove_abandoned(self) -> None:
        """Remove what killed runs left behind: no process holds the lock on it any more."""
        for path in (self.path / "locks").iterdir():
            with suppress(OSError):  # other files are reported if they obstruct a write
                descriptor = _lock(path)
                if descriptor is not None:
                    path.unlink(missing_ok=True)
                    os.close(descriptor)
        for directory in (self.path / "scratch").iterdir():
            with suppress(OSError):
                if directory.is_symlink():
                    directory.unlink()
                elif directory.name.startswith("."):
                    if time.time() - directory.stat().st_mtime > 60:
                        shutil.rmtree(directory, ignore_errors=True)
                elif (abandoned := _lock(directory / "lock")) is not None:
                    shutil.rmtree(directory, ignore_errors=True)
                    os.close(abandoned)

    def close(self) -> None:
        """Remove this process's scratch directory. A store that is not closed loses nothing."""
        if self._scratch is not None and self._lock is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
            os.close(self._lock)
            self._scratch = self._lock = None


def is_marked(path: Path) -> bool:
    """Whether the folder has an entry where the mark of a run would be."""
    try:
        return os.path.lexists(path / MARK)
    except ValueError:  # an invalid file name
        return False


def entries(folder: Path) -> list[Path]:
    """The entries of a directory of the store, by name; none if it cannot be read."""
    try:
        return sorted(folder / name for name in os.listdir(folder))
    except OSError:
        return []


def _document(path: Path) -> dict[str, Any]:
    """A sealed document of the store."""
    return unsealed(trusted_bytes(path, MOST_JSON_BYTES), path.name)


def _is_aside(name: str) -> bool:
    """Whether a name is that of a mark which another run is writing."""
    return name.startswith(".") and name.endswith(Path(MARK).suffix)


def _mark(path: Path) -> None:
    """Mark the directory as a run, unless it contains something else."""
    if is_marked(path):
        return
    foreign = os.path.lexists(path) and (
        not path.is_dir() or any(not _is_aside(entry.name) for entry in path.iterdir())
    )
    if foreign and not is_marked(path):  # another run may have marked it meanwhile
        raise UserError(f"{path} exists and is not a femnets run; give another name with --run")
    path.mkdir(parents=True, exist_ok=True)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with written_whole(path / MARK) as part:
        _write(part, sealed({"schema": SCHEMA, "format": "femnets run", "created": created}))


def _write(path: Path, data: bytes, *, sync: bool = True) -> None:
    with open(path, "wb") as file:
        file.write(data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def _lock(path: Path) -> int | None:
    """A descriptor that holds the file's lock, or None if another process does."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
