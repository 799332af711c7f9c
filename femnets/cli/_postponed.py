"""A module that a library imports but no command uses is loaded when a name of it is asked for."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

F2PY = "numpy.f2py"


class _Later(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(F2PY), name)  # it takes the place of this object in numpy


def postpone_f2py() -> None:
    """Before SciPy is imported, which takes every name of NumPy, f2py too: 0.09 CPU seconds."""
    import numpy as np

    if "f2py" not in vars(np):
        vars(np)["f2py"] = _Later(F2PY)
