"""Compiled kernels are loaded before anything is timed, and a message says, once, that they are
being compiled: only the first call of each is slow."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


@cache
def announce() -> None:
    """Announce on a terminal, from now on, the first kernel that is not in numba's cache."""
    from nets.training.progress import is_watched

    if not is_watched():
        return
    from numba.core import event

    class Listener(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            kept = getattr(event.data.get("dispatcher"), "_cache", None)
            if self.said or type(kept).__name__ == "NullCache":
                return
            self.said = True
            where = getattr(kept, "cache_path", "numba's cache")
            print(f"compiling numerical kernels, once: they are kept in {where}", file=sys.stderr)

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Listener())
