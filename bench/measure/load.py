"""How busy the machine was with other work while something was timed."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

BUSY_CORES = 0.25  # other load above a quarter of a core is reported


class OtherWork:
    """`with OtherWork() as other: …; other.cores`: cores busy with other processes meanwhile."""

    cores: float | None = None

    def __enter__(self) -> Self:
        self._clock, self._all, self._own = time.perf_counter(), _busy_seconds(), _own_seconds()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        seconds = time.perf_counter() - self._clock
        if seconds < 0.05:  # the system counts in hundredths of a second
            return
        others = (_busy_seconds() - self._all) - (_own_seconds() - self._own)
        self.cores = max(0.0, others / seconds)


def _busy_seconds() -> float:
    """CPU seconds that all processes together have used."""
    import psutil

    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    # guest times are counted within user and nice
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    return float(sum(times) - idle - guests)


def _own_seconds() -> float:
    """CPU seconds of this process and its children, living and waited for."""
    import psutil

    me = psutil.Process()
    times = me.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in me.children(recursive=True):
        try:
            spent = child.cpu_times()
        except psutil.Error:  # it has just ended and is counted among those waited for
            continue
        total += spent.user + spent.system
    return float(total)
