"""The large fuzz: `python tests/fuzz/drive.py lines 10000 --seed 1`, or others of WHAT.

Everything is drawn from the seed, which is printed; a failure prints what it takes to repeat it.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

from bench.core.threads import use_one_thread  # noqa: E402

use_one_thread()

from command_lines import playground_names  # noqa: E402

NAMES = playground_names()
WHAT = ("lines", "files", "nets", "documents", "subsets", "kills")
SHOWN = 40
CHUNK = 100  # lines of one process
Result = tuple[object, list[str], str, str]


class Report:
    """Counts, failures with what repeats them, and lines that were still computing."""

    def __init__(self, what: str, seed: int):
        self.what, self.seed = what, seed
        self.codes: Counter[object] = Counter()
        self.failures: list[str] = []
        self.slow: Counter[str] = Counter()
        self.harms = 0
        self.began = time.monotonic()

    def add(self, code: object, faults: tuple[str, ...], repeat: str) -> None:
        self.codes[code] += 1
        if faults:
            self.failures.append(f"{repeat}\n    " + "\n    ".join(faults))
            if len(self.failures) <= SHOWN:
                print(f"FAULT {self.failures[-1]}", flush=True)

    def finish(self) -> int:
        total = sum(self.codes.values())
        counts = ", ".join(f"{n} × {code}" for code, n in sorted(self.codes.items(), key=str))
        for where, number in self.slow.most_common(20):
            print(f"still computing, {number} ×: {where}")
        harms = f" with {self.harms} harms" if self.harms else ""
        seconds = time.monotonic() - self.began
        print(
            f"{self.what}, seed {self.seed}: {total}{harms} in {seconds:.0f} s; "
            f"exit codes {counts}; {len(self.failures)} faults"
        )
        return 1 if self.failures else 0


def lines(count: int, seed: int, root: Path) -> int:
    from templates import make_template

    template = make_template(root / "template")
    report = Report("command lines", seed)
    k = 0
    while k < count:
        results = in_a_child(partial(_some_lines, k, min(count, k + CHUNK), seed, root, template))
        for code, faults, repeat, slow in results:
            report.add(code, tuple(faults), repeat)
            if slow:
                report.slow[slow] += 1
        if not results or results[-1][0] == "died":
            report.add("died", ("the process died",), f"{k + len(results)}")
            k += 1
        k += len(results)
        if k // 500 > (k - len(results)) // 500:
            print(f"{k} lines, {len(report.failures)} faults", flush=True)
    return report.finish()


def _some_lines(first: int, last: int, seed: int, root: Path, template: Path) -> Iterator[Result]:
    """Until one is overdue: what was torn away in the middle may have left anything behind."""
    import command_lines
    from harness import Playground, invoke

    shutil.rmtree(root / "ground", ignore_errors=True)
    ground = Playground.make(root / "ground", template)
    os.environ.update(HOME=str(ground.root / "home"), TMPDIR=str(ground.root / "tmp"))
    tempfile.tempdir = None
    for k in range(first, last):
        words = command_lines.line(random.Random(seed * 1_000_003 + k), NAMES)
        found = invoke(words, ground.folder, terminal=k % 4 == 0)
        faults, slow = list(found.faults), ""
        if found.where:
            slow = f"{words[0]}: {found.began}"
            if not (found.began and command_lines.may_be_long(words)):
                faults.append(f"no answer after {found.seconds:.0f} s: {found.where}")
        elif strays := ground.strays():
            faults.append(f"left behind: {strays}")
        yield "overdue" if found.where else found.code, faults, f"{k}: {words!r}", slow
        if found.where or faults:
            return


def in_a_child(work: Callable[[], Iterator[Result]]) -> list[Result]:
    """The results of a forked process: whatever it breaks, it breaks for itself."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            with open(writing, "wb") as pipe:
                for result in work():
                    pickle.dump(result, pipe)
                    pipe.flush()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    results: list[Result] = []
    with open(reading, "rb") as pipe:
        while True:
            try:
                results.append(pickle.load(pipe))
            except EOFError:
                break
    _, status = os.waitpid(child, 0)
    if status:
        results.append(("died", [f"status {status}"], "?", ""))
    return results


def hostile(what: str, count: int, seed: int, root: Path) -> int:
    from templates import make_template

    template = make_template(root / "template")
    report = Report(f"harmed {what}", seed)
    k = 0
    while k < count:
        results = in_a_child(partial(_some_harm, what, k, min(count, k + 20), seed, template))
        for code, faults, repeat, harms in results:
            report.add(code, tuple(faults), repeat)
            report.harms += int(harms or 0)
        k += max(1, len(results))
        print(f"{k} harmed {what}, {len(report.failures)} faults", flush=True)
    return report.finish()


def _some_harm(what: str, first: int, last: int, seed: int, folder: Path) -> Iterator[Result]:
    from hostile import harmed_document, harmed_net, harmed_run

    harmed = {"nets": harmed_net, "files": harmed_run, "documents": harmed_document}[what]
    for k in range(first, last):
        done, outcomes = harmed(folder, random.Random(seed * 1_000_003 + k))
        faults = [f"{o.words!r}: {fault}" for o in outcomes for fault in o.faults]
        faults += [f"{o.words!r}: no answer: {o.where}" for o in outcomes if _hangs(o)]
        yield " ".join(str(o.code) for o in outcomes), faults, f"{k}: {done}", str(len(done))


def _hangs(found: Any) -> bool:
    from command_lines import may_be_long

    return bool(found.where) and not (found.began and may_be_long(found.words))


def a_run(root: Path) -> Path:
    """The quick preset of every study, widened to every kind of cell, which takes minutes; `--run`
    takes a run that is there."""
    from templates import WIDENED, set_

    wide = set_("gradient_atlas", WIDENED[4:])  # what is above stays as quick has it
    subprocess.run(
        [sys.executable, "-c", "from femnets.cli import main; main()",
         "run", "--preset", "quick", "--run", "all", "--no-report", *wide],
        cwd=root,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return root / "runs/all"


def subset_reports(count: int, seed: int, run: Path) -> int:
    import subsets

    whole = subsets.read(run)
    report = Report("report subsets", seed)
    for k in range(count):
        draw = random.Random(seed * 1_000_003 + k)
        part = subsets.subset(whole, draw)
        faults = []
        try:
            faults = subsets.compiled(part, draw)
            if k % 10 == 0:
                subsets.others(part, draw)
        except Exception as error:
            told = "".join(traceback.format_exception(error)[-4:])
            faults.append(f"{type(error).__name__}: {error}\n{told}")
        report.add("fault" if faults else "ok", tuple(faults), f"{k}: {len(part.records)} cells")
        if k % 100 == 99:
            print(f"{k + 1} subsets, {len(report.failures)} faults", flush=True)
    return report.finish()


def kills(count: int, seed: int, root: Path) -> int:
    from kills import kill_once
    from templates import make_template

    template = make_template(root / "template")
    report = Report("kills", seed)
    for k in range(count):
        code, faults = kill_once(template, random.Random(seed * 1_000_003 + k))
        report.add(code, tuple(faults), str(k))
    return report.finish()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", type=Path, help="subsets: a finished run to take cells from")
    arguments = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        if arguments.what == "lines":
            return lines(arguments.count, arguments.seed, root)
        if arguments.what == "subsets":
            return subset_reports(arguments.count, arguments.seed, arguments.run or a_run(root))
        if arguments.what == "kills":
            return kills(arguments.count, arguments.seed, root)
        return hostile(arguments.what, arguments.count, arguments.seed, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
