"""Something from a file of the user's own, named as `path/to/file.py:name`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from bench.errors import UserError, nearest


def named(reference: str) -> Any:
    """What `file.py:name` refers to. The file is executed; what it raises is one line."""
    path, colon, name = reference.rpartition(":")
    if not colon or not name or not path.endswith(".py"):
        raise UserError(f"{reference!r} must be FILE.py:NAME, for example my_nets.py:make")
    module = _executed(Path(path))
    if not hasattr(module, name):
        known = [key for key in vars(module) if not key.startswith("_")]
        raise UserError(f"{path} has no {name!r}; {nearest(name, known)}")
    return getattr(module, name)


_files: dict[Path, Any] = {}


def _executed(path: Path) -> Any:
    place = path.expanduser().resolve()
    if place in _files:
        return _files[place]
    if not place.is_file():
        raise UserError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"outside_{place.stem}", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses and pickles look
    sys.path.insert(0, str(place.parent))  # its neighbours, as if it were run
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        said = " ".join(str(error).split())
        raise UserError(f"{path.name} fails: {type(error).__name__}: {said}") from error
    finally:
        sys.path.remove(str(place.parent))
    _files[place] = module
    return module
