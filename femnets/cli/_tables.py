"""Tables in a terminal: whole at 80 columns, and at 60 with words folded rather than cut."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.core.guards.text import one_line

NARROW = 76  # below it lines between columns would cost what numbers need


def plain(text: str) -> Text:
    """Text from outside: no markup, nothing that a terminal acts on."""
    return Text(one_line(text))


def plain_table(*columns: str, title: str | None = None) -> Table:
    """A table that loses no column and no letter: what is too long goes on in the next line."""
    narrow = Console().width < NARROW
    table = Table(
        title=title, box=None if narrow else box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False
    )
    for name in map(one_line, columns):
        table.add_column(
            Text(name), overflow="fold", min_width=min(len(name), 8) if narrow else None
        )
    return table
