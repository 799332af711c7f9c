"""What the benchmarks share: one thread, rounds in turns with what they are compared with, targets.

A benchmark measures: ratios and bounds go to `extra_info` with their target, and only
correctness is asserted. Sizes are part of every id (`n32`, `2-50`), so that `-k n4` costs what it
selects: set-up belongs in fixtures or in the test, never in a module. `GROUP` names a file's group.
"""

import time

import numpy as np
import pytest
from turns import Turns, against_target


@pytest.fixture(autouse=True)
def one_thread():
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(limits=1):
        yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def group(request):
    """The group of a file, unless a benchmark sets its own."""
    if "benchmark" in request.fixturenames:
        request.getfixturevalue("benchmark").group = request.module.GROUP


class Measured:
    """The `benchmark` fixture with company: others take turns with what is benchmarked."""

    def __init__(self, benchmark):
        self.benchmark, self.info = benchmark, benchmark.extra_info
        self.info["threads"] = 1

    def in_turns(self, ours, rounds=5, warm=True, **others):
        """Rounds ABAB of CPU seconds: the others go first in each, then ours, by the same clock."""
        if warm:
            for call in (ours, *others.values()):
                call()
        seconds = {name: [] for name in ("ours", *others)}

        def timed(name, call):
            start = time.process_time()
            result = call()
            seconds[name].append(time.process_time() - start)
            return result

        def company():
            for name, call in others.items():
                timed(name, call)

        self.result = self.benchmark.pedantic(
            lambda: timed("ours", ours), setup=company, rounds=rounds
        )
        turns = Turns({name: np.array(values) for name, values in seconds.items()})
        self.info["cpu_seconds"] = {name: turns.median(name) for name in seconds}
        return turns

    def target(self, name, measured, **bound):
        """Keeps a ratio with its target (`at_least=` or `at_most=`): nothing fails by it."""
        self.info.setdefault("targets", {})[name] = against_target(measured, **bound)


@pytest.fixture
def measured(benchmark):
    return Measured(benchmark)


@pytest.fixture
def share_of_limit(measured):
    """Writes how near a kernel comes to the roofline: the longer of the times of its memory traffic
    and of its operations at the speed of matrix products."""
    import limits

    def share(seconds, *, traffic=None, flops=None, dtype="float64"):
        bounds = {}
        if traffic is not None:
            bounds["memory traffic"] = traffic / limits.bandwidth()
        if flops is not None:
            bounds["matrix products"] = flops / limits.product_flops(dtype)
        name = max(bounds, key=bounds.get)
        measured.info["limit"] = {
            "bound_by": name,
            "share": bounds[name] / seconds,
            "seconds": seconds,
            "intensity": flops / traffic if flops and traffic else None,
            "bandwidth_gb_per_second": limits.bandwidth() / 1e9,
            "product_gflops": limits.product_flops(dtype) / 1e9,
        }

    return share
