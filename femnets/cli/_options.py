"""Command options made from the fields of a config: names, types, ranges, help, defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any

import typer

from bench.core.settings import about, parsed, types_of
from femnets.user_files import used

Command = Callable[..., Any]


def options_of(
    *kinds: type, defaults: Mapping[str, Any] | None = None, verbatim: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Decorate `command(given, …)` with one option per field; `given` holds those used.

    Options that are not used are not in `given`, so that the config decides;
    `defaults` are used, and shown in the help text, where they differ from the config's. A field
    of several configs is described as in the first; where their types differ, it stays text until
    the config is known (`read_as`). An option that the command itself declares is left to it. A
    path in an option becomes the name of a plugin, except in those that are taken `verbatim`.
    """
    ours = defaults or {}
    fields = dict.fromkeys(name for kind in kinds for name in types_of(kind))

    def decorate(command: Command) -> Command:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        names = [name for name in fields if name not in {parameter.name for parameter in own}]
        generated = [_parameter(name, kinds, ours) for name in names]

        def with_options(**arguments: Any) -> Any:
            values = {name: arguments.pop(name) for name in names}
            given = {
                name: value if name in verbatim else used(value)
                for name, value in values.items()
                if value is not None
            }
            return command({**ours, **given}, **arguments)

        with_options.__doc__ = command.__doc__
        with_options.__signature__ = inspect.Signature([*generated, *own])  # type: ignore[attr-defined]
        with_options.__annotations__ = {}
        return with_options

    return decorate


def _parameter(
    name: str, kinds: Collection[type], defaults: Mapping[str, Any]
) -> inspect.Parameter:
    homes = [kind for kind in kinds if name in types_of(kind)]
    details, wanted = about(homes[0], name), types_of(homes[0])[name]
    default = defaults.get(name, getattr(homes[0], name, None))
    mixed = len({types_of(kind)[name].item for kind in homes}) > 1
    option = typer.Option(
        help=details.help + _described(default, details.unset),
        rich_help_panel=details.panel or None,
        min=None if mixed else details.min,
        max=None if mixed else details.max,
        show_default=False,  # typer would show None, or add parentheses
    )
    item = str if mixed or wanted.many else wanted.item
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[item | None, option],
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


def _described(default: Any, unset: str) -> str:
    """Return the default as the help text shows it; empty if there is none."""
    if default is None:
        text = unset
    elif isinstance(default, bool):
        text = "yes" if default else "no"
    else:
        text = f"{default:g}" if isinstance(default, float) else str(default)
    return f" \\[default: {text}]" if text else ""  # rich takes a bare bracket for markup
