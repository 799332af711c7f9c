"""`femnets help`: what a study computes, its settings, and how long it takes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from femnets.cli._json import show_json

if TYPE_CHECKING:
    from bench.cells import Cell
    from bench.store.forecast import KnownTimes


def command(
    study: Annotated[str, typer.Argument(help="A study of `femnets list`, or ./mine.py.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show a study's settings with types, defaults and presets, its cells and their time."""
    from bench import studies

    found = document(studies.use(study))
    if json_output:
        show_json(found)
    else:
        show(found)


def document(study: str) -> dict[str, Any]:
    """Return a study's description, settings and presets, with cells and predicted times."""
    from bench import studies
    from bench.core.plain_values import jsonable
    from bench.core.settings import about, types_of
    from bench.store.forecast import KnownTimes

    module, known = studies.load(study), KnownTimes()
    types = types_of(module.Config)
    presets = {name: dataclasses.asdict(config) for name, config in module.PRESETS.items()}
    return {
        "study": study,
        "about": (module.__doc__ or "").strip(),
        "yields": list(module.YIELDS),
        "settings": [
            {
                "name": field.name,
                "type": str(types[field.name]).removeprefix("of type "),
                "help": about(module.Config, field.name).help,
                "default": jsonable(getattr(module.Config(), field.name)),
                "presets": {name: jsonable(values[field.name]) for name, values in presets.items()},
            }
            for field in dataclasses.fields(module.Config)
        ],
        "presets": {
            name: {"cells": len(cells), "seconds": seconds_of(cells, known)}
            for name, config in module.PRESETS.items()
            if (cells := list(dict.fromkeys(module.cells(config)))) is not None
        },
    }


def seconds_of(cells: list[Cell], known: KnownTimes) -> float | None:
    """Return core-seconds by earlier runs; None if some kind of cell was never computed."""
    times = [time for cell in cells if (time := known.predicted(cell)) is not None]
    return sum(times) if len(times) == len(cells) else None


def show(found: dict[str, Any]) -> None:
    import shutil
    import textwrap

    width = max(60, min(100, shutil.get_terminal_size().columns))
    typer.echo(found["about"])
    typer.echo("\nsettings (femnets run … --set NAME=VALUE), by preset:")
    for entry in found["settings"]:
        head = f"  {entry['name']} ({entry['type']})" + (
            f": {entry['help']}" if entry["help"] else ""
        )
        typer.echo(textwrap.fill(head, width, subsequent_indent="      "))
        for value, names in _grouped(entry["presets"]).items():
            line = f"    {', '.join(names)}: {value}"
            typer.echo(textwrap.fill(line, width, subsequent_indent="      "))
    typer.echo("\ncells and time:")
    for name, facts in found["presets"].items():
        seconds = facts["seconds"]
        took = "time unknown" if seconds is None else f"about {seconds:.0f} core-seconds"
        typer.echo(f"  {name}: {facts['cells']} cells, {took}")


def _grouped(presets: dict[str, Any]) -> dict[str, list[str]]:
    """Group the presets by value."""
    groups: dict[str, list[str]] = {}
    for name, value in presets.items():
        text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        groups.setdefault(text or "none", []).append(name)
    return groups
