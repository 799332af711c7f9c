"""Runs command lines in this process, one after the other, and judges what they leave."""

from __future__ import annotations

import contextlib
import functools
import importlib
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
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from unittest import mock

from command_lines import may_be_long, outputs

CODES = {0, 1, 2, 130, 143}
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Ours: colours, the cursor shown, hidden, up and down, a line erased. Never the whole screen.
RAW_ON_TERMINAL = re.compile(
    r"\x1b(?!\[[0-9;?]*[ABKhlm])|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
SECONDS = 10.0
COMPUTING_SECONDS = 4.0  # of an accepted line: what it finds is other tests' business
SHORT_SECONDS = 60.0  # of one that has little to compute, on a busy machine


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
    began: str = ""  # what it computed first
    faults: tuple[str, ...] = ()


class Stream(io.StringIO):
    """What a line prints to; a terminal is shown colours and bars."""

    def __init__(self, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def invoke(
    words: Sequence[str], folder: Path, seconds: float = SECONDS, *, terminal: bool = False
) -> Outcome:
    """One line, inside this process."""
    from femnets.cli import invoke as command_line

    out, err = Stream(terminal), Stream(terminal)
    start = time.monotonic()
    code, where, faults = None, "", []
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
        watched(words, hurried=seconds == SECONDS) as work,
    ):
        warnings.simplefilter("ignore")
        try:
            with alarm(seconds) as rang:
                code = command_line(list(words))
        except Overdue as late:
            where = "".join(traceback.format_tb(late.__traceback__)[-8:])
        except BaseException as error:
            if rang:  # swallowed by compiled code on its way
                where = f"{type(error).__name__}: {error}"
            told = "".join(traceback.format_exception(error)[-6:])
            faults += [] if where else [f"{type(error).__name__}: {error}\n{told}"]
    taken = time.monotonic() - start
    found = Outcome(words, code, out.getvalue(), err.getvalue(), taken, where)
    # Compiled code may have swallowed the alarm.
    found.faults = () if where or rang else (*faults, *judged(found, terminal))
    found.began = work.began
    found.faults += tuple(work.faults)
    return found


@dataclass
class Work:
    """What a line did before it began to compute; refusals have their place there."""

    outputs: Sequence[str]
    longest: float | None  # seconds that anybody waits for what it computes
    began: str = ""  # what it computes first
    tried: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def begin(self, what: str) -> None:
        if self.began:
            return
        self.began = what
        if self.longest is not None:
            signal.setitimer(signal.ITIMER_REAL, self.longest)
            # Cells that are computed in this process set the clock anew for their time limit.
            signal.setitimer(signal.ITIMER_PROF, self.longest, self.longest)
        untried = [path for path in self.outputs if str(Path(path)) not in self.tried]
        if untried:
            self.faults.append(f"{what} began before {untried} was tried")


# Where computing begins, by module; everything before is quick, or it is a fault.
COMPUTING = {
    "bench.runner": "run_cells",
    "femnets.cli._fem_jobs": "fields",
    "bench.methods.training": "train_net net_metrics",
    "bench.methods.solving": "solve_net evaluated",
    "femnets.cli.prune": "pruned",
    "bench.methods.gradient_atlas": "portrait",
    "femnets.cli._laboratory": "study_of",
    "femnets.cli.export": "write write_verdicts keep",
    "femnets.cli.compare": "results_of",
    "bench.store.vtu": "write_fields",
    "bench.claims.comparison": "compare verdicts_of",
    "femnets.trials": "tried",
    "reports.compile": "_compiled _figures",
}


@contextlib.contextmanager
def watched(words: Sequence[str], hurried: bool = True) -> Iterator[Work]:
    """Notes which outputs a line tries and when it begins to compute."""
    from bench.core.guards import output

    longest = COMPUTING_SECONDS if may_be_long(words) else SHORT_SECONDS
    work = Work(outputs(words), longest if hurried else None)

    def noting(what: str, call: Any) -> Any:
        @functools.wraps(call)
        def noted(*arguments: Any, **named: Any) -> Any:
            work.begin(what)
            return call(*arguments, **named)

        return noted

    def trying(path: Path) -> None:
        work.tried |= {str(path), str(path.parent)}
        try_it(path)

    try_it = output._try
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(output, "_try", trying))
        for module, names in COMPUTING.items():
            place = importlib.import_module(module)
            for name in names.split():
                call = getattr(place, name)
                stack.enter_context(mock.patch.object(place, name, noting(name, call)))
        yield work


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[list[int]]:
    """Raises Overdue in time; the list says whether it did."""
    rang: list[int] = []

    def ring(number: int, frame: FrameType | None) -> None:
        rang.append(number)
        raise Overdue

    before = {number: signal.signal(number, ring) for number in (signal.SIGALRM, signal.SIGPROF)}
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield rang
    finally:
        for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF):
            signal.setitimer(clock, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def judged(found: Outcome, terminal: bool = False) -> list[str]:
    """The rules that every line keeps, whatever it says."""
    faults = []
    acts = RAW_ON_TERMINAL if terminal else RAW
    if found.code is not None and found.code not in CODES:
        faults.append(f"exit code {found.code}")
    for name, text in (("stdout", found.out), ("stderr", found.err)):
        if "Traceback (most recent call last)" in text:
            faults.append(f"a traceback on {name}")
        if acts.search(text):
            faults.append(f"a raw control character on {name}: {acts.search(text)!r}")
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
