"""A cell that measures seconds, and so runs alone."""

import time
from dataclasses import dataclass

from bench.cells import Result


@dataclass(frozen=True, kw_only=True)
class Config:
    i: int
    seconds: float = 0.1
    threads: int = 1


ALONE = True
TIMED = ()
competitor = None


def needs_bytes(config):
    return 2**20


def run(config):
    import os

    time.sleep(config.seconds)
    return Result({"threads_told": int(os.environ["OMP_NUM_THREADS"])})
