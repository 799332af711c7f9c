"""Signals at random moments, once or twice: 130 or 143, one line, no traceback, nothing left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM
from typing import Any

from hypothesis import strategies as st

# The byte says that the interpreter is up: before the first line of `main` nothing can answer.
START = (
    "import os, sys; sys.argv[0] = 'femnets'; from femnets.cli import main; "
    "os.write({ready}, b'x'); main()"
)
PATIENCE = 900.0  # seconds: a cell takes minutes on a busy machine, a process that hangs for ever
CODES = {SIGINT: 130, SIGTERM: 143, SIGHUP: 143}
COMMANDS = (
    "run slips convergence --run new --jobs 1",
    "run slips convergence --run here --jobs 0 --no-report",
    "fem --n 1,2,4 --vtu out.vtu",
    "train --steps 400 --samples 200 --width 8 --save out.safetensors",
    "train --track solve --steps 30 --save out.safetensors --json",
    "report whole --out page",
    "export whole --to parquet --out table",
    "prune net.safetensors --save out.safetensors",
    "check ./mine.py",
    "status whole",
    "list",
)


def check_kill(folder: Path, draw: Callable[[st.SearchStrategy], Any]) -> None:
    """Starts a command, signals it, and looks how it ends."""
    command = draw(st.sampled_from(COMMANDS))
    numbers = draw(st.lists(st.sampled_from(sorted(CODES)), min_size=1, max_size=2))
    wait = draw(st.sampled_from((0.05, 0.3, 1.0, 2.0, 6.0))) * draw(st.floats(0, 1))
    pause = draw(st.sampled_from((0.0, 0.02, 0.3)))
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", START.format(ready=writing), *command.split()],
        cwd=folder,
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)},
    )
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    time.sleep(wait)
    for number in numbers:
        process.send_signal(number)
        time.sleep(pause)
    try:
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    code = process.returncode
    assert code in {0, *(CODES[number] for number in numbers)}, err
    assert "Traceback" not in err, err
    assert "Exception ignored" not in err, err
    assert code == 0 or "the same command" in err, err
    aside = [name for name in os.listdir(folder) if name.startswith(".") and len(name) >= 13]
    assert not [*aside, *temporary.glob("femnets-*")]
