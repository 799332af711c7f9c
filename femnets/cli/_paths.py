"""The files that a command has written, one line each or as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from bench.core.guards.text import printable
from femnets.cli._json import show_json


def show_paths(paths: Iterable[Path], as_json: bool) -> None:
    names = [str(path) for path in paths]
    if not names and not as_json:
        return
    shown = "\n".join(printable(name) for name in names)
    show_json({"files": names}) if as_json else typer.echo(shown)
