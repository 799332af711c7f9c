"""Signals at random moments, once or twice: 130 or 143, one line, no traceback, nothing left."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# The byte says that the interpreter is up: before the first line of `main` nobody can answer.
START = (
    "import os, sys; sys.argv[0] = 'femnets'; from femnets.cli import main; "
    "os.write({ready}, b'x'); main()"
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 900.0  # seconds: a busy machine takes minutes over a cell, a process that hangs for ever
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143}
COMMANDS = (
    ("list",),
    ("fem", "--n", "1,2,4", "--vtu", "out.vtu", "--plot", "out.png"),
    ("train", "--steps", "400", "--samples", "200", "--width", "8", "--save", "out.safetensors"),
    ("run", "slips", "convergence", "--run", "new", "--jobs", "1"),
    ("run", "slips", "convergence", "--run", "here", "--jobs", "0", "--no-report"),
    ("report", "whole", "--out", "page"),
    ("export", "whole", "--to", "parquet", "--out", "table"),
    ("export", "whole", "--to", "vtu", "--n", "2", "--out", "fields"),
    ("status", "whole"),
    ("compare", "whole", "part"),
    ("train", "--track", "solve", "--steps", "30", "--save", "out.safetensors", "--json"),
    ("prune", "net.safetensors", "--save", "out.safetensors"),
    ("check", "./mine.py"),
    ("gradients", "--net", "resnet", "--hidden", "8"),
)


def kill_once(folder: Path, draw: random.Random, longest: float = 6.0) -> tuple[object, list[str]]:
    """Starts a command, signals it, and says what was wrong with how it ended."""
    words = list(draw.choice(COMMANDS))
    numbers = draw.choice([[n] for n in SIGNALS] + [[a, b] for a in SIGNALS for b in SIGNALS])
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(ready=writing), *words],
        cwd=folder,
        pass_fds=[writing],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)},
    )
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    wait = draw.choice((0.05, 0.3, 1.0, longest)) * draw.random()
    time.sleep(wait)
    for number in numbers:
        process.send_signal(number)
        time.sleep(draw.choice((0.0, 0.02, 0.3)))
    try:
        _, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hangs", [f"{words} hangs after {numbers}"]
    return process.returncode, _judged(words, numbers, wait, process.returncode, err, folder)


def _judged(
    words: list[str], numbers: list[int], wait: float, code: int, err: str, folder: Path
) -> list[str]:
    said = f"{words} after {wait:.2f} s and {[n.name for n in numbers]}: code {code}"
    faults = []
    if "Traceback" in err or "Exception ignored" in err:
        faults.append(f"{said}: {err[-600:]}")
    if code not in {0, 130, 143}:
        faults.append(f"{said}: {err[-300:]}")
    if code in {130, 143}:
        if code not in {CODES[n] for n in numbers}:
            faults.append(said)
        if not any(word in err for word in ("resumes", "starts again")):
            faults.append(f"{said}: no way on in {err[-200:]!r}")
    aside = [folder / n for n in os.listdir(folder) if n.startswith(".") and len(n) >= 13]
    left = [*aside, *(folder / "temporary").glob("femnets-*")]
    if left:
        faults.append(f"{said}: left behind {[path.name for path in left]}")
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return faults
