"""How much memory there is, and how much a run took at its peak."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from pathlib import Path

import numpy as np

_LIMIT, _USED = (Path("/sys/fs/cgroup") / name for name in ("memory.max", "memory.current"))
_SHARE = 0.9  # of the available memory; the rest is left to the system


def available_bytes() -> int:
    """Return the memory that a new run may take: MemAvailable, within a container's limit."""
    try:
        with open("/proc/meminfo", "rb") as meminfo:
            available = int(meminfo.read().partition(b"MemAvailable:")[2].split(None, 1)[0]) * 1024
    except FileNotFoundError:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if _LIMIT.exists() and _USED.exists() and _LIMIT.read_text().strip() != "max":
        available = min(available, int(_LIMIT.read_text()) - int(_USED.read_text()))
    return available


def limit_bytes() -> int:
    """Return the largest memory that a new run should take."""
    return int(_SHARE * available_bytes())


def reset_peak() -> None:
    """Start the count of `peak_bytes` again, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    """The largest resident memory of this process since `reset_peak`."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def keep_freed() -> None:
    """Let freed arrays of up to 31 MB be used again instead of returning to the system.

    glibc keeps blocks up to the size of the largest mapped one freed so far (mallopt(3)). Without
    it a third of the time of load and error on large cubes went into fresh pages.
    """
    np.empty(31 << 20, np.uint8)
