"""How busy the machine is with other work."""

import subprocess
import sys

from bench.measure import load
from bench.measure.load import OtherWork


def test_cores_busy_elsewhere_are_all_work_less_ones_own(monkeypatch):
    everything, own, clock = iter([100.0, 103.0]), iter([10.0, 11.0]), iter([0.0, 2.0])
    monkeypatch.setattr(load, "_busy_seconds", lambda: next(everything))
    monkeypatch.setattr(load, "_own_seconds", lambda: next(own))
    monkeypatch.setattr(load.time, "perf_counter", lambda: next(clock))
    with OtherWork() as other:
        pass
    assert other.cores == 1.0  # 3 CPU seconds in 2 s, 1 of them one's own


def test_ones_own_work_is_counted_with_that_of_children():
    before = load._own_seconds()
    code = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert load._own_seconds() - before > 0.25  # the system counts in hundredths
    assert load._busy_seconds() > 0


def test_a_moment_is_too_short_to_say():
    with OtherWork() as other:
        pass
    assert other.cores is None
