"""Cells: the unit of work and of resume. A cell is a pure function from a config to a result.

Every file of this folder is a *kind* of cell, found by its name. It defines

    Config        a frozen dataclass: every setting with type, default, help text and range
    ALONE         True if the cell measures seconds, and so needs the machine to itself
    TIMED         patterns of the values and arrays that differ from run to run with the machine
    needs_bytes   Config -> bytes of memory it will take; cells run together only if they fit
    run           Config -> Result, importing what is heavy inside
    competitor    (Config, values) -> Competitor: track, title, unknowns in comparisons, made
                  without torch and scikit-fem; None if the kind does not compete

A kind with a dot in its name is an importable module outside this package: `mine.cells.heat`. Code
that makes such a cell imports that module; reading a run folder that names it does not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from base.errors import UnknownPlugin, UserError
from base.registry import Registry
from bench.core import plugins
from bench.core.plain_values import jsonable
from bench.core.settings import configured, mistyped, types_of
from bench.methods.competitor import Competitor

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MACHINE", "Cell", "Competitor", "Result"]

# Values whose names contain these units (time, memory) differ from machine to machine.
MACHINE = ("*seconds*", "*peak_bytes*")
KEY_BYTES = 10  # 80 bits: among 10^6 cells two keys coincide with probability 4e-13


@dataclass(frozen=True)
class Result:
    """What a cell yields. Numbers go to `values`, curves to `arrays`, nets to `weights`.

    `weights` holds whole safetensors documents (what `nets.save` writes), by name. A value that
    is not finite (NaN, ±inf) is stored as null; arrays keep theirs. `diverged` is a result, not a
    failure: the method ran as configured and did not converge.
    """

    values: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, bytes] = field(default_factory=dict)
    diverged: bool = False


@dataclass(frozen=True, eq=False)
class Cell:
    """A kind and its config, typed and completed by the kind's dataclass; its key is their hash.

    `config` is what JSON will hold, `settings` the dataclass itself.
    """

    kind: str
    config: Mapping[str, Any]

    def __post_init__(self) -> None:
        plugins.admit(self.kind)  # cells are made by code, never from a file of a run
        settings = settings_of(self.kind, self.config)
        object.__setattr__(self, "config", plain(settings))
        self.__dict__["settings"] = settings

    @cached_property
    def settings(self) -> Any:
        return settings_of(self.kind, self.config)

    @cached_property
    def key(self) -> str:
        return key_of(self.kind, self.config)

    @property
    def label(self) -> str:
        """Kind and what differs from the defaults: `fem n=4`."""
        return label_of(self.kind, self.config)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the dataclass: a worker may be unable to import the cell's kind.

        It includes the user's files that the config names: the worker has no other copy of them.
        """
        kept = {name: value for name, value in self.__dict__.items() if name != "settings"}
        return {**kept, "plugins": plugins.travelling(self.config)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        files = state.pop("plugins", ())
        self.__dict__.update(state)
        plugins.arrived(files, self.config)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cell) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def paired(seed: int) -> dict[str, int]:
    """The seeds of initial weights and data, equal for the two arms of a study."""
    return {"seed": seed, "data_seed": seed}


def settings_of(kind: str, config: Mapping[str, Any]) -> Any:
    """Return the kind's dataclass with these values; raise a UserError if one does not fit."""
    return configured(load_kind(kind).Config, config, where=f"a {kind} cell")


def not_of_kind(kind: str, config: Mapping[str, Any]) -> list[str]:
    """The settings in a stored config that a cell of this kind does not have, or not so typed.

    The list is empty for a kind that the current code does not have.
    """
    try:
        return mistyped(load_kind(kind).Config, config)
    except UserError:
        return []


def plain(settings: Any) -> dict[str, Any]:
    """Return a config as JSON stores it, with lists in place of tuples."""
    values = {name: getattr(settings, name) for name in settings.__dataclass_fields__}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def key_of(kind: str, config: Mapping[str, Any]) -> str:
    """The hash of kind and config as canonical JSON: sorted keys, no spaces, no NaN."""
    text = json.dumps([kind, config], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()


def label_of(kind: str, config: Mapping[str, Any]) -> str:
    try:
        defaults = _defaults(kind)
    except UserError:  # a result whose kind has since been removed
        defaults = {}
    changed = [f"{name}={config[name]}" for name in config if config[name] != defaults.get(name)]
    return " ".join([kind, *changed])


@cache
def _defaults(kind: str) -> dict[str, Any]:
    declared = {field.name: field.default for field in fields(load_kind(kind).Config)}
    return {name: jsonable(value) for name, value in declared.items() if value is not MISSING}


def _kind(module: Any, name: str) -> ModuleType:
    parts = ("Config", "ALONE", "TIMED", "needs_bytes", "run", "competitor")
    absent = [part for part in parts if not hasattr(module, part)]
    if absent:
        raise UserError(f"{name} is not a kind of cell: it defines no {', '.join(absent)}")
    if module.competitor and "problem" not in types_of(module.Config):
        raise UserError(f"{name} defines a competitor, so its Config needs a field 'problem'")
    return cast(ModuleType, module)


# A user's studies name their kinds of cells by module; installed packages register none.
REGISTRY: Registry[ModuleType] = Registry("kind of cell", __name__, _kind, files=True)
kinds = REGISTRY.names


def load_kind(kind: str) -> ModuleType:
    """The module that defines a kind of cell."""
    plugins.check_admitted(kind, "the kind of cell")
    return REGISTRY.get(kind)


def threads_of(cell: Cell) -> int:
    """How many threads the cell computes with: its config's `threads`, else one."""
    return int(cell.config.get("threads") or 1)


def needs_bytes(cell: Cell) -> int:
    """The memory the cell declares."""
    return int(load_kind(cell.kind).needs_bytes(cell.settings))


def runs_alone(cell: Cell) -> bool:
    """Whether the cell measures seconds and must not share the machine."""
    return bool(load_kind(cell.kind).ALONE)


def is_timing(kind: str, name: str) -> bool:
    """Whether a value of this name measures the machine and so differs from run to run."""
    try:
        patterns = load_kind(kind).TIMED
    except UserError:  # a result whose kind has since been removed
        patterns = MACHINE
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def competitor_of(
    kind: str, config: Mapping[str, Any], values: Mapping[str, Any]
) -> Competitor | None:
    """How a result appears in comparisons; None if its kind does not compete.

    None also for a result whose kind, config or method the current code no longer has.
    """
    try:
        declared = load_kind(kind).competitor
        settings = settings_of(kind, config) if declared else None
    except UserError:
        return None
    try:
        return declared(settings, values) if declared else None
    except UnknownPlugin:
        return None
