"""Helpers of the commands that train, evaluate and prune nets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from femnets.cli._json import show_json


def use_threads(threads: int) -> None:
    """Set the number of threads of matrix products, in NumPy and torch."""
    from bench.core.threads import limit_threads

    limit_threads(threads)
    import torch

    torch.set_num_threads(threads)


def show_values(values: Mapping[str, Any], as_json: bool, **more: Any) -> None:
    """Print names and values in two columns, or with `more` as one JSON document."""
    if as_json:
        show_json({**values, **more})
        return
    width = max(map(len, values))
    for name, value in values.items():
        typer.echo(f"{name:<{width}}  {_shown(value)}")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return " ".join(map(_shown, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    return str(value)
