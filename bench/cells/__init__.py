"""Cells: the unit of work and of resume. A cell is a pure function from a config to a result.

Every file beside this one is a *kind* of cell, found by its name. It defines

    DEFAULTS      what a config may hold, with defaults; `...` marks what must be given
    DEPENDS       packages or modules whose sources decide the result (its own file always does)
    TIMING        True if the cell measures seconds, and therefore runs alone
    needs_bytes   config -> the memory it will take, so that two that do not fit do not meet
    run           config -> Result, importing what is heavy inside

A kind with a dot in its name is an importable module outside this package: `mine.cells.heat`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np

from bench.errors import UserError, nearest

KEY_BYTES = 10  # 80 bits: among 10^6 cells two keys meet with probability 4e-13


@dataclass(frozen=True)
class Result:
    """What a cell yields. Numbers go to `values`, curves to `arrays`, nets to `weights`.

    `weights` holds whole safetensors documents (what `nets.save` writes), by name. A value that
    is no number (NaN, ±inf) is stored as null; arrays keep theirs. `diverged` is a result, not a
    failure: the method ran as told and did not converge.
    """

    values: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, bytes] = field(default_factory=dict)
    diverged: bool = False


@dataclass(frozen=True, eq=False)
class Cell:
    """A kind and its config, completed with the kind's defaults; its key is their hash."""

    kind: str
    config: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", completed(self.kind, self.config))

    @cached_property
    def key(self) -> str:
        return key_of(self.kind, self.config)

    @property
    def label(self) -> str:
        """Kind and what differs from the defaults: `fem n=4`."""
        return label_of(self.kind, self.config)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def key_of(kind: str, config: Mapping[str, Any]) -> str:
    """The hash of kind and config as canonical JSON: sorted keys, no spaces, no NaN."""
    text = json.dumps([kind, config], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()


def label_of(kind: str, config: Mapping[str, Any]) -> str:
    try:
        defaults = load_kind(kind).DEFAULTS
    except UserError:  # a result whose kind has since been removed
        defaults = {}
    told = [f"{name}={config[name]}" for name in config if config[name] != defaults.get(name)]
    return " ".join([kind, *told])


def completed(kind: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """`config` with the kind's defaults filled in, and every value as JSON will hold it."""
    defaults = load_kind(kind).DEFAULTS
    unknown = [name for name in config if name not in defaults]
    if unknown:
        raise UserError(
            f"a cell of kind {kind!r} has no {unknown[0]!r}; {nearest(unknown[0], list(defaults))}"
        )
    merged = {**defaults, **config}
    lacking = [name for name, value in merged.items() if value is ...]
    if lacking:
        raise UserError(f"a cell of kind {kind!r} needs a value for {lacking[0]!r}")
    return {name: _plain(kind, name, merged[name], defaults[name]) for name in merged}


def _plain(kind: str, name: str, value: Any, default: Any) -> Any:
    """One value in JSON's types, of the default's type: 1 and 1.0 must not be two cells."""
    value = jsonable(value)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{name} of a {kind} cell must be finite, got {value}")
    if isinstance(default, bool | int | float | str) and value is not None:
        wanted = type(default)
        if not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
            raise UserError(
                f"{name} of a {kind} cell must be of type {wanted.__name__}, got {value!r}"
            )
    return value


def jsonable(value: Any) -> Any:
    """The value in JSON's own types: NumPy scalars become numbers, tuples and arrays lists."""
    if isinstance(value, np.ndarray | np.generic):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): jsonable(item) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a cell cannot hold {type(value).__name__}: use numbers, strings, lists")


@cache
def load_kind(kind: str) -> ModuleType:
    """The module that defines a kind of cell."""
    if "." not in kind and kind not in kinds():
        raise UserError(f"no cell kind {kind!r}; {nearest(kind, kinds())}")
    name = kind if "." in kind else f"{__name__}.{kind}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise
        raise UserError(f"no cell kind {kind!r}: no module {error.name!r} on the path") from None
    absent = [
        part
        for part in ("DEFAULTS", "DEPENDS", "TIMING", "needs_bytes", "run")
        if not hasattr(module, part)
    ]
    if absent:
        raise UserError(f"{name} is no cell kind: it defines no {', '.join(absent)}")
    return module


@cache
def kinds() -> list[str]:
    return sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")


def threads_of(cell: Cell) -> int:
    """How many threads the cell computes with: its config's `threads`, else one."""
    return int(cell.config.get("threads") or 1)


def needs_bytes(cell: Cell) -> int:
    """The memory the cell declares."""
    return int(load_kind(cell.kind).needs_bytes(cell.config))


def runs_alone(cell: Cell) -> bool:
    """Whether the cell measures seconds and must not share the machine."""
    return bool(load_kind(cell.kind).TIMING)


def is_timing(name: str) -> bool:
    """Whether a value of this name measures the machine and so differs from run to run."""
    return "seconds" in name or "peak_bytes" in name
