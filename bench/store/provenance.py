"""Where a result comes from: versions, commit, machine, threads, seed, start, seconds, memory.

Nothing personal: no path, no user, no host name, so that a results directory can be published.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

PACKAGES = ("femnets", "numpy", "scipy", "scikit-fem", "numba", "pyamg", "torch")
ROOT = Path(__file__).resolve().parents[2]  # the checkout, if there is one


@cache
def versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


@cache
def commit() -> str | None:
    """The commit of the checkout this code runs from, `+` appended if files differ from it."""
    if not (ROOT / ".git").exists():
        return None
    head = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return f"{head.strip()}{'+' if changed else ''}" if head else None


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


@cache
def machine() -> dict[str, Any]:
    """The kind of machine, not its name."""
    import psutil

    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
    }


def processor() -> str:
    """The processor's model where the system names it, else its architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def provenance(
    *,
    threads: int,
    seed: Any,
    start: float,
    seconds: float,
    cpu_seconds: float | None = None,
    other_cores: float | None = None,
) -> dict[str, Any]:
    """The record of one execution that began at `start` (seconds since 1970) in this process.

    `cpu_seconds` below `seconds` shows that the machine was busy with other things;
    `other_cores`, of cells that measure seconds, how many cores other processes took meanwhile.
    """
    from fem.memory import peak_bytes

    return {
        "versions": versions(),
        "commit": commit(),
        "machine": machine(),
        "threads": threads,
        "seed": seed,
        "start": datetime.fromtimestamp(start, UTC).isoformat(timespec="milliseconds"),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_bytes": peak_bytes(),
        **({} if other_cores is None else {"other_cores": other_cores}),
    }
