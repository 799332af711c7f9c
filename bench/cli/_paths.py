"""The files that a command has written, one line each or as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import typer


def show_paths(paths: Iterable[Path], as_json: bool) -> None:
    names = [str(path) for path in paths]
    typer.echo(json.dumps({"files": names}, indent=1) if as_json else "\n".join(names))
