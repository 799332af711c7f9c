"""femnets list: everything that can be named on the command line, each in a line or two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from femnets.cli._output import show_json


def command(
    study: Annotated[
        str | None, typer.Argument(help="Show the settings of this study, or of ./mine.py.")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List studies, presets, problems, domains, architectures, optimisers, elements, baselines,
    families; or the settings of a study, by preset."""
    if study is not None:
        show_settings(study, json_output)
        return
    known = catalogue()
    if json_output:
        show_json({noun: list(names) for noun, names in known.items()})
        return
    for noun, explained in known.items():
        typer.echo(f"{noun}:")
        for line in lines(explained):
            typer.echo(line)


def show_settings(study: str, json_output: bool) -> None:
    """Print the settings of a study with types, meanings and the values of each preset."""
    from bench import studies
    from femnets.cli._output import show_table

    module = studies.load(studies.use(study))
    found = settings(module)
    if json_output:
        show_json({"study": study, "about": module.__doc__, "settings": found})
        return
    typer.echo((module.__doc__ or "").strip())
    rows = [(row["name"], row["type"], *map(_shown, row["presets"].values())) for row in found]
    show_table(("--set", "type", *module.PRESETS), rows)
    for name, text in ((row["name"], row["help"]) for row in found if row["help"]):
        typer.echo(f"{name}: {text}")


def settings(study: Any) -> list[dict[str, Any]]:
    """Return name, type, meaning and the values of each preset for the settings of a study."""
    from bench.core.settings import about, types_of

    return [
        {
            "name": name,
            "type": str(wanted).removeprefix("of type "),
            "help": about(study.Config, name).help,
            "presets": {preset: getattr(c, name) for preset, c in study.PRESETS.items()},
        }
        for name, wanted in types_of(study.Config).items()
    ]


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def lines(explained: dict[str, str]) -> Iterator[str]:
    """Yield names and explanations in two columns, wrapped to the terminal."""
    import shutil
    import textwrap

    indent = 4 + max(map(len, explained), default=0)
    width = max(60, min(100, shutil.get_terminal_size().columns))
    for name, text in explained.items():
        start = f"  {name}".ljust(indent)
        yield textwrap.fill(text, width, initial_indent=start, subsequent_indent=" " * indent)


def catalogue() -> dict[str, dict[str, str]]:
    """Return all names with explanations from the docstrings of their files, importing nothing."""
    from bench import domains, problems, studies
    from fem import elements

    return {
        "studies": {name: studies.title(name) for name in studies.names()},
        "presets": dict(studies.PRESETS),
        "problems": {name: explanation("bench.problems", name) for name in problems.names()},
        "domains": {name: domains.get(name).title for name in domains.names()},
        "architectures": files_of("nets.architectures"),
        "optimisers": files_of("nets.optimizers"),
        "elements": {name: e.about for name, e in elements.elements().items()},
        "baselines": files_of("bench.methods.baselines"),
        "families": files_of("bench.problems.families"),
    }


def files_of(package: str) -> dict[str, str]:
    """Return the plugins in a package's folder and in installed packages, with explanations."""
    import importlib

    registry = importlib.import_module(package).REGISTRY
    return {name: explanation(package, name) for name in registry.names()}


def explanation(package: str, name: str) -> str:
    """Return the first line of a file's docstring, without its name and references to the docs."""
    import ast
    import importlib
    import re

    from bench.store.sources import module_path

    path = module_path(importlib.import_module(package).REGISTRY.files.get(name, ""))
    if path is None:
        return "from an installed package"  # its code is not loaded for a list
    text = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]
    return re.sub(rf"^`{name}`: | \(maths \d+\)", "", text)
