"""femnets list: everything that can be named on the command line."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def command(
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Studies, presets, problems, architectures, optimisers, elements."""
    known = catalogue()
    if json_output:
        typer.echo(json.dumps(known, indent=1))
        return
    from bench import studies

    for noun, names in known.items():
        typer.echo(f"{noun}:")
        for name in names:
            told = f"  {studies.title(name)}" if noun == "studies" else ""
            typer.echo(f"  {name:<14}{told}".rstrip())


def catalogue() -> dict[str, list[str]]:
    """The names, read off the files that define them: nothing heavy is imported."""
    from bench import problems, studies
    from fem import elements

    return {
        "studies": studies.names(),
        "presets": list(studies.PRESETS),
        "problems": problems.names(),
        "architectures": files_of("nets.architectures"),
        "optimisers": files_of("nets.optimizers"),
        "elements": list(elements.elements()),
    }


def files_of(package: str) -> list[str]:
    """The modules of a package, by their file names."""
    from bench.store.fingerprint import located

    return sorted(path.stem for folder in located(package) for path in folder.glob("[!_]*.py"))
