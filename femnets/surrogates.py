"""Surrogates of families from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.methods.surrogates.making import made
from bench.methods.surrogates.surrogate import Plan, Surrogate


def surrogate(file: str | Path | None = None, **plan: Any) -> Surrogate:
    """Return the surrogate of a file, or make one; `surrogate(mu)(points)` is its field.

    Without a file the settings are those of `femnets train --track family`: family, dimension,
    contrast, method, order, snapshots, modes, tol, seed and those of nets.
    """
    from bench.core.settings import configured
    from bench.methods.surrogates.saving import load

    if file is not None:
        return load(file)
    return made(configured(Plan, plan, where="a surrogate"))
