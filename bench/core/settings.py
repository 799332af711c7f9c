"""Settings: the fields of a frozen dataclass, with type, default, help text and range in one place.

Cells, studies and the command line read the same declaration:

    @dataclass(frozen=True, kw_only=True)
    class Config:
        n: int = setting(help="cells per side", min=1)          # no default: must be given
        tol: float = setting(1e-8, help="relative residual at which the solver stops", above=0)

A field is a bool, int, float or str, a tuple of them, or one of these or None. Values come from
Python and JSON (`configured`, `typed`) or from text (`parsed`), and end up of the declared
type: 300.0 is accepted for an int, True is not a number, infinities are refused.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from base.errors import UserError, nearest

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
LONGEST = 100_000  # values of one setting; a longer range is a typing error
SCALARS = (bool, int, float, str)
LARGEST_WHOLE = 2**63 - 1  # seeds, counts and sizes end up in 64 bits
LONGEST_TEXT = 10_000
MOST_THREADS = 256  # beyond this, libraries fail with unclear errors
ConfigType = TypeVar("ConfigType")


@dataclasses.dataclass(frozen=True, kw_only=True)
class About:
    """What a setting declares beyond type and default."""

    help: str = ""
    panel: str = ""  # the heading under which the command line lists it
    unset: str = ""  # what None means, where None is the default
    min: float | None = None
    max: float | None = None
    above: float | None = None  # a bound that is itself excluded


@dataclasses.dataclass(frozen=True)
class Type:
    """The declared type of a field: one `item`, or `many`; `optional` admits None."""

    item: type
    many: bool
    optional: bool

    def __str__(self) -> str:
        name = self.item.__name__
        if self.many:
            return f"a list of {name}" + (" (1,2,4 or 1-10)" if self.item is int else "")
        return f"of type {name}" + (" or none" if self.optional else "")


def setting(default: Any = dataclasses.MISSING, **about: Any) -> Any:
    """Declare a field with help text and range; without a default it must be given."""
    return dataclasses.field(default=default, metadata={"about": About(**about)})


def inherited(base: type, name: str, **default: Any) -> Any:
    """Repeat a field of `base` with its help text and range; `default=…` changes the default."""
    field = _fields(base)[name]
    return dataclasses.field(**{"default": field.default, **default}, metadata=field.metadata)


def required(base: type, name: str) -> Any:
    """Repeat a field of `base` without its default, so that it must be given."""
    return inherited(base, name, default=dataclasses.MISSING)


def about(config_type: type, name: str) -> About:
    return _fields(config_type)[name].metadata.get("about", About())


@cache
def types_of(config_type: type) -> dict[str, Type]:
    """Return the type of every field, by name."""
    hints = typing.get_type_hints(config_type)
    return {name: _type(name, hints[name]) for name in _fields(config_type)}


def configured(
    config_type: type[ConfigType], values: Mapping[str, Any], *, where: str
) -> ConfigType:
    """Make the dataclass from these values, after checking types, ranges and missing values."""
    given = {name: typed(config_type, name, value, where=where) for name, value in values.items()}
    for name, field in _fields(config_type).items():  # type: ignore[arg-type]
        if name not in given and field.default is dataclasses.MISSING:
            raise UserError(f"{where} needs a value for {name!r}")
    return config_type(**given)


def typed(config_type: type, name: str, value: Any, *, where: str) -> Any:
    """Convert a value from Python or JSON to the type of the field."""
    return _read(_exact, config_type, name, value, where)


def mistyped(config_type: type, values: Mapping[str, Any]) -> list[str]:
    """Return the names of values that do not have the declared type; unknown names are ignored."""
    known = types_of(config_type)
    return [name for name in values if name in known and not _is(known[name], values[name])]


def _is(wanted: Type, value: Any) -> bool:
    try:
        _exact(wanted, value)
    except ValueError:
        return False
    return True


def parsed(config_type: type, name: str, text: str, *, where: str) -> Any:
    """Parse the text of `name=text`: `1,2,4` and `1-10` are tuples, `true` a bool."""
    return _read(_from_text, config_type, name, text, where)


def _read(read: Callable[..., Any], config_type: type, name: str, value: Any, where: str) -> Any:
    known = types_of(config_type)
    if name not in known:
        raise UserError(f"{where} has no setting {name!r}; {nearest(name, list(known))}")
    try:
        return _within(about(config_type, name), read(known[name], value))
    except Refused as error:
        raise UserError(f"{name} of {where} {error}") from None
    except ValueError:
        got = _shortened(value)
        raise UserError(f"{name} of {where} must be {known[name]}, got {got}") from None


def whole_numbers(text: str) -> list[int]:
    """Parse `1,2,4` and `1-10` in the order written; empty and too long ranges are refused."""
    found: list[int] = []
    for part in (part.strip() for part in text.split(",")):
        low, dash, high = part.partition("-")
        first, last = (_whole(low), _whole(high)) if dash and low else (_whole(part),) * 2
        if last < first:
            raise Refused(f"has the empty range {part}; write the smaller number first")
        if len(found) + last - first >= LONGEST:
            raise Refused(f"has more than {LONGEST:,} values")
        found.extend(range(first, last + 1))
    return found


class Refused(ValueError):
    """A value of the right type that is out of range; the text says why."""


@cache
def _fields(config_type: type) -> dict[str, dataclasses.Field[Any]]:
    return {field.name: field for field in dataclasses.fields(config_type)}


def _type(name: str, hint: Any) -> Type:
    parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    (core,) = [part for part in parts if part is not type(None)] or (None,)
    many = typing.get_origin(core) is tuple
    item = typing.get_args(core)[0] if many else core
    if item not in SCALARS:
        raise TypeError(f"{name}: a setting cannot be {hint}; use bool, int, float, str")
    return Type(item, many, optional=len(parts) > 1)


def _shortened(value: Any) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else "a huge number"
    return text if len(text) < 100 else f"{text[:96]}…"


def _within(bounds: About, value: Any) -> Any:
    for number in value if isinstance(value, tuple) else (value,):
        if isinstance(number, bool | str) or number is None:
            continue
        if bounds.min is not None and number < bounds.min:
            raise Refused(f"must be at least {bounds.min:g}, got {number}")
        if bounds.above is not None and number <= bounds.above:
            raise Refused(f"must be greater than {bounds.above:g}, got {number}")
        if bounds.max is not None and number > bounds.max:
            raise Refused(f"must be at most {bounds.max:g}, got {number}")
    return value


def _exact(wanted: Type, value: Any) -> Any:
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        value = value.tolist()
    if value is None and wanted.optional:
        return None
    if not wanted.many:
        return _scalar(wanted.item, value)
    if not isinstance(value, list | tuple):
        raise ValueError
    if len(value) > LONGEST:
        raise Refused(f"has more than {LONGEST:,} values")
    return tuple(_scalar(wanted.item, part) for part in value)


def _scalar(item: type, value: Any) -> Any:
    if isinstance(value, bool) != (item is bool) or isinstance(value, str) != (item is str):
        raise ValueError
    if item is int:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if not isinstance(value, int):
            raise ValueError
        if abs(value) > LARGEST_WHOLE:
            raise Refused("must fit into 64 bits")
    if item is float:
        if not isinstance(value, int | float):
            raise ValueError
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise Refused("must fit into 64 bits")
        if not math.isfinite(value):
            raise Refused(f"must be finite, got {value}")
        return float(value)
    if item is str and len(value) > LONGEST_TEXT:
        raise Refused(f"must have at most {LONGEST_TEXT:,} characters")
    return value


def _from_text(wanted: Type, text: str) -> Any:
    if wanted.optional and text.strip().lower() == "none":
        return None
    if not wanted.many:
        return _scalar_from_text(wanted.item, text)
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if wanted.item is int and parts:
        return tuple(whole_numbers(",".join(parts)))
    return tuple(_scalar_from_text(wanted.item, part) for part in parts)


def _scalar_from_text(item: type, text: str) -> Any:
    if item is bool:
        if text.lower() in TRUE + FALSE:
            return text.lower() in TRUE
        raise ValueError
    return _whole(text) if item is int else _scalar(item, item(text))


def _whole(text: str) -> int:
    """Parse an integer; `300.0` is accepted too."""
    try:
        number: float = int(text)
    except ValueError:
        number = float(text)
    return int(_scalar(int, number))
