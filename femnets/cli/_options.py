"""Command options made from the fields of a config: names, types, ranges, help, defaults."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any

import typer

from bench.core.settings import Type, about, parsed, types_of
from femnets.user_files import used

Command = Callable[..., Any]


def options_of(
    config_type: type,
    *others: type,
    leave_out: Collection[str] = (),
    defaults: Mapping[str, Any] | None = None,
    insist: bool = True,
    verbatim: Collection[str] = (),
) -> Callable[[Command], Command]:
    """Decorate `command(given, …)` with one option per field; `given` holds those used.

    Options that are not used are not in `given`, so that a recipe or the config decides;
    `defaults` are only shown in the help text, where they differ from the config's. Fields that
    only `others` have follow those of the first config. Without `insist` a missing required field
    is reported by the config and not by the command line. A path in an option becomes the name of
    a plugin, except in the options that are taken `verbatim`. Where two configs give an option
    different types, it stays text until the config is known (`read_as`).
    """
    shown = defaults or {}
    homes = {field.name: kind for kind in (*others[::-1], config_type) for field in _fields(kind)}
    every = {field.name: field for kind in (config_type, *others) for field in _fields(kind)}
    fields = [
        next(f for f in _fields(homes[name]) if f.name == name)
        for name in every
        if name not in leave_out
    ]

    def decorate(command: Command) -> Command:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        kinds = (config_type, *others)
        generated = [
            _parameter(homes[field.name], field, shown, insist, _mixed(field.name, kinds))
            for field in fields
        ]

        def with_options(**arguments: Any) -> Any:
            values = {field.name: arguments.pop(field.name) for field in fields}
            given = {
                name: value if name in verbatim else used(value)
                for name, value in values.items()
                if value is not None
            }
            return command({**shown, **given}, **arguments)

        with_options.__doc__ = command.__doc__
        with_options.__signature__ = inspect.Signature([*generated, *own])  # type: ignore[attr-defined]
        with_options.__annotations__ = {}
        return with_options

    return decorate


def _fields(config_type: type) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(config_type)


def _parameter(
    config_type: type,
    field: dataclasses.Field[Any],
    shown: Mapping[str, Any],
    insist: bool,
    mixed: bool,
) -> inspect.Parameter:
    details, wanted = about(config_type, field.name), types_of(config_type)[field.name]
    default = shown.get(field.name, field.default)
    option = typer.Option(
        help=details.help + _described(default, details.unset),
        rich_help_panel=details.panel or None,
        min=None if mixed else details.min,
        max=None if mixed else details.max,
        show_default=False,  # typer would show None, or add parentheses
    )
    needed = insist and default is dataclasses.MISSING
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if needed else None,
        annotation=Annotated[str | None if mixed else _annotation(wanted, needed), option],
    )


def read_as(config_type: type, given: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """Convert the options that stayed text, because configs differ, to the types of this one."""
    known = types_of(config_type)
    return {
        name: parsed(config_type, name, value, where=where)
        if isinstance(value, str) and name in known and known[name].item is not str
        else value
        for name, value in given.items()
    }


def _mixed(name: str, kinds: Collection[type]) -> bool:
    """Whether two configs have an option of this name with different types."""
    return len({types_of(kind)[name].item for kind in kinds if name in types_of(kind)}) > 1


def _annotation(wanted: Type, needed: bool) -> Any:
    item = str if wanted.many else wanted.item
    return item if needed else item | None


def _described(default: Any, unset: str) -> str:
    """Return the default as the help text shows it; empty if there is none."""
    if default is None or default is dataclasses.MISSING:
        text = unset
    elif isinstance(default, bool):
        text = "yes" if default else "no"
    else:
        text = f"{default:g}" if isinstance(default, float) else str(default)
    return f" \\[default: {text}]" if text else ""  # rich takes a bare bracket for markup
