"""`--json`: one document on stdout, in which every number is finite or null."""

from __future__ import annotations

import json
from typing import Any

import typer


def show_json(document: Any) -> None:
    from bench.core.plain_values import finite

    typer.echo(json.dumps(finite(document), indent=1, allow_nan=False))
