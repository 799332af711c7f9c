"""Runs a command line in this process and judges what it prints, returns and leaves."""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import re
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from lines import outputs

CODES = {0, 1, 2, 130, 143}
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Ours: colours, the cursor shown, hidden, up and down, a line erased. Never the whole screen.
RAW_ON_TERMINAL = re.compile(
    r"\x1b(?!\[[0-9;?]*[ABKhlm])|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
SECONDS = 10.0  # until a line is refused or begins to compute
COMPUTING_SECONDS = 2.0  # of an accepted line: its numbers are other tests' business
PATIENCE = 600.0  # seconds for a line that is to be finished: a report on a busy machine
# Where computing begins, by module; everything before is quick, or it is a fault.
COMPUTING = {
    "bench.runner.resume": "run_cells",
    "bench.methods.training": "train_net net_metrics",
    "bench.methods.solving": "solve_net evaluated",
    "bench.methods.gradient_atlas": "gradient_profile",
    "bench.store.vtu": "write_fields",
    "bench.claims.comparison": "compare",
    "femnets.cli._fem_jobs": "fields",
    "femnets.cli.prune": "pruned",
    "femnets.cli._laboratory": "study_of",
    "femnets.cli.export": "write keep",
    "femnets.cli.compare": "results_of",
    "femnets.trials": "tried",
    "reports.compile": "build_document",
}


class Overdue(BaseException):
    """The line computes for longer than the harness waits."""


class Terminal(io.StringIO):
    """Where a line prints that is shown colours and bars."""

    def isatty(self) -> bool:
        return True


@dataclass
class Outcome:
    """What a line did; `faults` are what it should not have done."""

    words: Sequence[str]
    code: int | None = None  # None: overdue
    out: str = ""
    err: str = ""
    began: bool = False  # to compute
    tried: set[str] = field(default_factory=set)  # outputs
    faults: list[str] = field(default_factory=list)


def invoke(
    words: Sequence[str], folder: Path, seconds: float = SECONDS, *, terminal: bool = False
) -> Outcome:
    """One line within this process; with PATIENCE it may also finish what it computes."""
    from femnets.cli import invoke as command_line

    outcome = Outcome(words)
    out, err = (Terminal() if terminal else io.StringIO() for _ in range(2))
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
        watched(outcome, hurried=seconds == SECONDS),
    ):
        warnings.simplefilter("ignore")
        rang: list[int] = []
        try:
            with alarm(seconds, rang):
                outcome.code = command_line(list(words))
        except BaseException as error:
            if not (rang and outcome.began):
                late = "no answer in time: " if rang else ""
                outcome.faults.append(late + "".join(traceback.format_exception(error)[-6:]))
    if rang:  # compiled code may have swallowed the alarm: what follows proves nothing
        outcome.code = None
        return outcome
    outcome.out, outcome.err = out.getvalue(), err.getvalue()
    outcome.faults += judged(outcome, RAW_ON_TERMINAL if terminal else RAW)
    return outcome


@contextlib.contextmanager
def watched(outcome: Outcome, hurried: bool) -> Iterator[None]:
    """Notes which outputs a line tries and when it begins to compute."""
    from bench.core.guards import output

    def noting(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def noted(*arguments: Any, **named: Any) -> Any:
            untried = {str(Path(path)) for path in outputs(outcome.words)} - outcome.tried
            if untried and not outcome.began:
                outcome.faults.append(f"{call.__name__} began before {untried} was tried")
            if hurried and not outcome.began:
                # Both: cells that are computed in this process set the first for their time limit.
                for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF):
                    signal.setitimer(clock, COMPUTING_SECONDS, COMPUTING_SECONDS)
            outcome.began = True
            return call(*arguments, **named)

        return noted

    def trying(path: Path, call: Any = output._try) -> None:
        outcome.tried |= {str(path), str(path.parent)}
        call(path)

    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(output, "_try", trying))
        for module, names in COMPUTING.items():
            place = importlib.import_module(module)
            calls = {name: noting(getattr(place, name)) for name in names.split()}
            stack.enter_context(mock.patch.multiple(place, **calls))
        yield


@contextlib.contextmanager
def alarm(seconds: float, rang: list[int]) -> Iterator[None]:
    """Raises Overdue in time; the list gets the signal."""

    def ring(number: int, frame: Any) -> None:
        rang.append(number)
        raise Overdue

    before = {number: signal.signal(number, ring) for number in (signal.SIGALRM, signal.SIGPROF)}
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        for clock in (signal.ITIMER_REAL, signal.ITIMER_PROF):
            signal.setitimer(clock, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def judged(outcome: Outcome, raw: re.Pattern[str]) -> list[str]:
    """The rules that every line keeps, whatever its words."""
    faults = [] if outcome.code in CODES or outcome.faults else [f"exit code {outcome.code}"]
    for text in (outcome.out, outcome.err):
        if "Traceback (most recent call last)" in text or raw.search(text):
            faults.append(f"a traceback or a raw control character: {text[-2000:]!r}")
    last = (outcome.err.strip().splitlines() or [""])[-1]
    if outcome.code == 2 and not last.startswith("femnets: "):
        faults.append(f"a refusal without its line: {outcome.err[-300:]!r}")
    if outcome.code == 0 and "--json" in outcome.words and "--help" not in outcome.words:
        try:
            json.loads(outcome.out, parse_constant=lambda text: int(f"no number: {text}"))
        except ValueError as error:
            faults.append(f"--json is no JSON document: {error}: {outcome.out[:200]!r}")
    return faults
