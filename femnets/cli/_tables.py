"""Tables in a terminal of 80 or 60 columns; long words are folded, not cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.core.guards.text import one_line as plain

__all__ = ["plain", "show_table"]

NARROW = 76  # below it there are no lines between columns


def show_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print a table without cutting columns or words; nothing if it has no rows.

    Long texts continue in the next line. Texts are shown literally: markup and control characters
    have no effect.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    narrow = console.width < NARROW
    table = Table(
        title=title, box=None if narrow else box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    for name in map(plain, columns):
        table.add_column(
            Text(name), overflow="fold", min_width=min(len(name), 8) if narrow else None
        )
    for row in rows:
        table.add_row(*(Text(plain(entry)) for entry in row))
    if table.row_count:
        console.print(table)
