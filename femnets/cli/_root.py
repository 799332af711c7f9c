"""Options before the command: `femnets --version`, `femnets --plug MODULE status RUN`."""

from __future__ import annotations

from typing import Annotated

import typer


def _version(asked: bool) -> None:
    if asked:
        from femnets.version import __version__

        typer.echo(f"femnets {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
    plug: Annotated[
        list[str] | None,
        typer.Option(
            help="A module or file outside femnets that a run was computed with; may be "
            "repeated. Modules named only in a run folder are not imported."
        ),
    ] = None,
) -> None:
    from bench.core.plugins import admit

    for name in plug or ():
        admit(name)
