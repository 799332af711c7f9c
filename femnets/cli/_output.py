"""What commands print: one JSON document, tables, names with values, the paths of files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from bench.core.guards.text import one_line, printable

NARROW = 76  # columns of a terminal; in fewer, tables are set without lines


def show_json(document: Any) -> None:
    """Print one document, in which every number is finite or null."""
    from bench.core.plain_values import finite

    typer.echo(json.dumps(finite(document), indent=1, allow_nan=False))


def show_paths(paths: Iterable[Path], as_json: bool) -> None:
    """Print the files that a command has written, one line each or as one document."""
    names = [str(path) for path in paths]
    if as_json:
        show_json({"files": names})
    for name in () if as_json else names:
        typer.echo(printable(name))


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


def is_narrow() -> bool:
    """Return whether tables have to do with few columns of the terminal."""
    from rich.console import Console

    return Console().width < NARROW


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str | None = None,
    *,
    caption: str = "",
    numbers: bool = False,
) -> None:
    """Print a table without cutting columns or words; nothing if it has no rows.

    Long texts continue in the next line; `numbers` stay in theirs, aligned to the right. Texts are
    shown literally: markup and control characters have no effect.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    narrow = is_narrow()
    frame = None if narrow else box.SIMPLE_HEAD
    table = Table(title=title, caption=caption, box=frame, padding=(0, 1, 0, 0), pad_edge=False)
    for name in map(one_line, columns):
        if numbers:
            table.add_column(Text(name), justify="right", no_wrap=True)
        else:
            width = min(len(name), 8) if narrow else None
            table.add_column(Text(name), overflow="fold", min_width=width)
    for row in rows:
        table.add_row(*(Text(one_line(entry)) for entry in row))
    if table.row_count:
        Console().print(table)
