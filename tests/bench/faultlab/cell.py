"""A cell with a known result. While the file $FAULTLAB_CUE exists, it does `mischief` instead."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.cells import Result


@dataclass(frozen=True, kw_only=True)
class Config:
    i: int
    seconds: float = 0.0
    floats: int = 20
    mischief: str = ""
    gib: float = 0.05
    threads: int = 1


ALONE = False
TIMED = ()
competitor = None


def needs_bytes(config):
    return int(config.gib * 2**30)


def run(config):
    cue = os.environ.get("FAULTLAB_CUE")
    if config.mischief and cue and Path(cue).exists():
        MISCHIEF[config.mischief]()
    time.sleep(config.seconds)
    numbers = np.random.Generator(np.random.Philox(config.i)).random(config.floats)
    values = {"i": config.i, "mean": numbers.mean(), "seconds": config.seconds}
    return Result(
        values, {"numbers": numbers}, {"net": numbers.tobytes()}, config.mischief == "diverge"
    )


def raises():
    print("said before the end")
    raise ValueError("a cell that raises")


def hangs():
    time.sleep(3600)


def eats():
    hoard = [np.empty(2**24) for _ in range(64)]  # 8 GiB; touching them would take seconds
    raise AssertionError(f"{len(hoard)} blocks of 128 MiB fitted")


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


def dies_once():
    Path(os.environ["FAULTLAB_CUE"]).unlink()
    dies()


MISCHIEF = {
    "raise": raises,
    "hang": hangs,
    "eat": eats,
    "die": dies,
    "die once": dies_once,
    "diverge": lambda: None,
}
