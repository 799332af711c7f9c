"""Runs command lines in this process, one after the other, and judges what they leave."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import stat
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

CODES = {0, 1, 2, 130, 143}
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SECONDS = 10.0


class Overdue(BaseException):
    """The line computes for longer than the harness waits."""


@dataclass
class Outcome:
    """What a line did. `faults` says what it should not have done."""

    words: Sequence[str]
    code: int | None
    out: str
    err: str
    seconds: float
    where: str = ""  # an overdue line was
    faults: tuple[str, ...] = ()


def invoke(words: Sequence[str], folder: Path, seconds: float = SECONDS) -> Outcome:
    """One line, inside this process."""
    from bench.cli import invoke as command_line

    out, err = io.StringIO(), io.StringIO()
    start = time.monotonic()
    code, where, faults = None, "", []
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            with alarm(seconds):
                code = command_line(list(words))
        except Overdue as late:
            where = "".join(traceback.format_tb(late.__traceback__)[-8:])
        except BaseException as error:
            if time.monotonic() - start >= seconds:  # swallowed by compiled code on its way
                where = f"{type(error).__name__}: {error}"
            told = "".join(traceback.format_exception(error)[-6:])
            faults += [] if where else [f"{type(error).__name__}: {error}\n{told}"]
    taken = time.monotonic() - start
    found = Outcome(words, code, out.getvalue(), err.getvalue(), taken, where)
    late = where or taken >= seconds  # the alarm rang, and compiled code may have swallowed it
    found.faults = () if late else (*faults, *judged(found))
    return found


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise Overdue

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def judged(found: Outcome) -> list[str]:
    """The rules that every line keeps, whatever it says."""
    faults = []
    if found.code is not None and found.code not in CODES:
        faults.append(f"exit code {found.code}")
    for name, text in (("stdout", found.out), ("stderr", found.err)):
        if "Traceback (most recent call last)" in text:
            faults.append(f"a traceback on {name}")
        if RAW.search(text):
            faults.append(f"a raw control character on {name}: {RAW.search(text)!r}")
    if found.code == 2:
        last = (found.err.strip().splitlines() or [""])[-1]
        if not last.startswith("femnets: "):
            faults.append(f"a refusal without its line: {found.err[-300:]!r}")
        if found.seconds > SECONDS:
            faults.append(f"{found.seconds:.0f} s before a refusal")
    if found.code == 0 and "--json" in found.words and "--help" not in found.words:
        try:
            json.loads(found.out, parse_constant=_no_number)
        except ValueError as error:
            faults.append(f"--json is no JSON document: {error}: {found.out[:200]!r}")
    return faults


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


@dataclass
class Playground:
    """A working folder with runs, nets and meshes, beside folders that must stay as they are."""

    root: Path

    @classmethod
    def make(cls, root: Path, template: Path) -> Playground:
        for name in ("outside", "home", "tmp"):
            (root / name).mkdir(parents=True)
        copied(template, root / "work")
        return cls(root)

    @property
    def folder(self) -> Path:
        return self.root / "work"

    def strays(self) -> list[str]:
        """Files where none belongs."""
        found = [name for name in os.listdir(self.root) if name not in SIDES]
        for name in ("outside", "home", "tmp"):
            found += [
                f"{name}/{entry}"
                for entry in os.listdir(self.root / name)
                # of matplotlib and numba, and of idlelib where a line names it as its study
                if entry not in {".cache", ".config", ".idlerc"}
            ]
        found += [name for name in os.listdir(self.folder) if name == "boom" or _aside(name)]
        return found


def copied(source: Path, target: Path) -> None:
    """With its links and pipes as they are."""
    shutil.copytree(source, target, symlinks=True, copy_function=_copy)


def _copy(source: str, target: str) -> None:
    if stat.S_ISFIFO(os.lstat(source).st_mode):
        os.mkfifo(target)
    elif os.lstat(source).st_size < 2**30:
        shutil.copy2(source, target, follow_symlinks=False)
    else:
        with open(target, "wb") as file:
            file.truncate(os.lstat(source).st_size)


SIDES = {"outside", "home", "tmp", "work"}


def _aside(name: str) -> bool:
    return re.match(r"\.[0-9a-f]{8,12}(\.|$)", name) is not None
