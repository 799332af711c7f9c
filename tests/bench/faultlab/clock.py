"""A cell that measures seconds, and so runs alone."""

import time

from bench.cells import Result

DEFAULTS = {"i": ..., "seconds": 0.1, "threads": 1}
DEPENDS = ()
TIMING = True


def needs_bytes(config):
    return 2**20


def run(config):
    import os

    time.sleep(config["seconds"])
    return Result({"threads_told": int(os.environ["OMP_NUM_THREADS"])})
