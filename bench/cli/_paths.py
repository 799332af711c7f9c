"""The files that a command has written, one line each or as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import typer

from bench.guards.text import printable


def show_paths(paths: Iterable[Path], as_json: bool) -> None:
    names = [str(path) for path in paths]
    if not names and not as_json:
        return
    shown = "\n".join(printable(name) for name in names)
    typer.echo(json.dumps({"files": names}, indent=1) if as_json else shown)
