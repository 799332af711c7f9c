"""Settings from text and from TOML, checked against the types of a config dataclass."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from pathlib import Path
from typing import Any

from bench.errors import UserError, nearest

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def parsed(config_type: type, name: str, text: str, *, where: str) -> Any:
    """The value that `name=text` means: `1,2,4` and `1-10` are tuples, `true` a bool."""
    wanted = _wanted(config_type, name, where)
    item = _item(wanted)
    try:
        if item is None:
            return _scalar(wanted, text)
        parts = [part.strip() for part in text.split(",") if part.strip()]
        return tuple(value for part in parts for value in _range(item, part))
    except ValueError:
        raise UserError(f"{name} of {where} must be {_described(wanted)}, got {text!r}") from None


def typed(config_type: type, name: str, value: Any, *, where: str) -> Any:
    """A value read from TOML or JSON, as the dataclass wants it."""
    wanted = _wanted(config_type, name, where)
    item = _item(wanted)
    try:
        if item is None:
            return _exact(wanted, value)
        if not isinstance(value, list | tuple):
            raise ValueError
        return tuple(_exact(item, part) for part in value)
    except ValueError:
        raise UserError(f"{name} of {where} must be {_described(wanted)}, got {value!r}") from None


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not TOML: {error}") from None


def _wanted(config_type: type, name: str, where: str) -> Any:
    known = [field.name for field in dataclasses.fields(config_type)]
    if name not in known:
        raise UserError(f"{where} has no setting {name!r}; {nearest(name, known)}")
    return typing.get_type_hints(config_type)[name]


def _item(wanted: Any) -> Any:
    """The type of a tuple's items, or None for a scalar."""
    return typing.get_args(wanted)[0] if typing.get_origin(wanted) is tuple else None


def _described(wanted: Any) -> str:
    item = _item(wanted)
    if item is None:
        return f"of type {wanted.__name__}"
    return f"a list of {item.__name__}" + (" (1,2,4 or 1-10)" if item is int else "")


def _scalar(wanted: Any, text: str) -> Any:
    if wanted is bool:
        if text.lower() in TRUE + FALSE:
            return text.lower() in TRUE
        raise ValueError
    return wanted(text)


def _range(item: Any, part: str) -> list[Any]:
    """`1-10` for integers, else the one value."""
    low, dash, high = part.partition("-")
    if item is int and dash and low:
        return list(range(int(low), int(high) + 1))
    return [_scalar(item, part)]


def _exact(wanted: Any, value: Any) -> Any:
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
        raise ValueError
    return value
