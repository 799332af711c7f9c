"""Tables: medians by configuration, only the columns that differ.

A column in which every row says the same is a sentence of the caption; one in which no row says
anything is nothing. What is left is as wide as its longest entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bench.methods.titles import net_title
from bench.store.results import Results, StoredResult, median
from reports.document import Block, Column, Section, Source, Table, Value
from reports.formatting import Kind, show

if TYPE_CHECKING:
    from reports.context import Run

Key = TypeVar("Key")
FEWEST_ROWS = 3  # of one or two rows nothing can be said to be the same
# Title and kind of a column, and a value, of which the median is shown, or a function of the group.
Measure = tuple[str, Kind, str | Callable[[Results], Value]]
Entry = tuple[str, Kind, Callable[[Any], Value]]  # the same, as a function of what a row is about
SEEDS: Measure = ("seeds", "count", len)
DIVERGED: Measure = ("diverged", "count", lambda group: sum(map(bool, group.value("diverged"))))


def split(settings: Sequence[Mapping[str, str]]) -> tuple[dict[str, str], list[str]]:
    """What all settings have in common, and the names of what differs."""
    names = sorted({name for each in settings for name in each})
    differing = [name for name in names if len({each.get(name, "") for each in settings}) > 1]
    return {n: settings[0].get(n, "") for n in names if n not in differing}, differing


def known_median(values: Iterable[float | None]) -> float | None:
    """The median of those that exist, if any does."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def smallest(name: str) -> Measure:
    """The smallest of an error over a group."""
    return ("smallest", "error", lambda group: min(group.errors(name)))


def largest(name: str) -> Measure:
    """The largest of an error over a group; infinite where a run diverged."""
    return ("largest", "error", lambda group: max(group.errors(name)))


def grouped(results: Iterable[StoredResult], *names: str) -> dict[tuple[Value, ...], Results]:
    """Results by entries of their configuration, in the order in which these first appear."""
    return grouped_by(results, lambda record: tuple(record.config.get(name) for name in names))


def grouped_by(
    results: Iterable[StoredResult], key: Callable[[StoredResult], Key]
) -> dict[Key, Results]:
    """Results by a function of theirs, in the order in which its values first appear."""
    return Results([*results]).grouped(key)


def medians_by(
    name: str,
    caption: str,
    heads: Sequence[str],
    groups: Mapping[Any, Results],
    measures: Sequence[Measure],
    source: Source | None = None,
) -> Table:
    """Medians by configuration: a row per group, its key under `heads`, a column per measure."""
    columns = [*map(Column, heads), *(Column(title, kind) for title, kind, _ in measures)]
    rows = [
        (*key, *(group.median(of) if isinstance(of, str) else of(group) for *_, of in measures))
        for key, group in groups.items()
    ]
    return Table(name, caption, columns, rows, source)


def table_of(
    name: str,
    caption: str,
    things: Iterable[Any],
    entries: Sequence[Entry],
    source: Source | None = None,
) -> Table:
    """A row per thing, a column per entry."""
    columns = [Column(title, kind) for title, kind, _ in entries]
    return Table(name, caption, columns, [[of(t) for *_, of in entries] for t in things], source)


def study_table(
    run: Run,
    study: str,
    results: Results,
    name: str,
    caption: str,
    by: Mapping[str, str],
    measures: Sequence[Measure],
) -> Table:
    """Medians of one study's results: `by` has a column title per entry of the configuration.

    Nets appear with their titles.
    """
    entries = [*by.values()]
    groups = grouped(results, *entries)
    if "net" in entries:
        k = entries.index("net")
        groups = {(*key[:k], net_title(str(key[k])), *key[k + 1 :]): groups[key] for key in groups}
    return medians_by(name, caption, [*by], groups, measures, run.source(study, results))


def lean_section(section: Section) -> Section:
    """A section with lean tables."""
    blocks: list[Block] = [lean(b) if isinstance(b, Table) else b for b in section.blocks]
    below = [lean_section(part) for part in section.subsections]
    return replace(section, blocks=blocks, subsections=below)


def lean(table: Table) -> Table:
    """Without columns that are empty or constant; what was constant stands in the caption.

    The first column names the rows and stays, and so does every column with a tint.
    """
    if len(table.rows) < FEWEST_ROWS:
        return table
    tinted = {column for _, column in (*table.tints, *table.notes)}
    constant: dict[int, Value] = {}
    for k in range(1, len(table.columns)):
        entries = {row[k] for row in table.rows}
        if len(entries) == 1 and k not in tinted:
            constant[k] = entries.pop()
    kept = [k for k in range(len(table.columns)) if k not in constant]
    if not constant or len(kept) < 2:
        return table
    return replace(
        table,
        caption=f"{table.caption}{_sentence(table, constant)}",
        columns=[table.columns[k] for k in kept],
        rows=[tuple(row[k] for k in kept) for row in table.rows],
        tints={(row, kept.index(k)): tint for (row, k), tint in table.tints.items()},
        notes={(row, kept.index(k)): note for (row, k), note in table.notes.items()},
    )


def _sentence(table: Table, constant: dict[int, Value]) -> str:
    """` In all rows: seeds 2, inputs x.`; what no row has is left out without a word."""
    entries = [
        f"{table.columns[k].title} {show(value, table.columns[k].kind)}"
        for k, value in constant.items()
        if show(value, table.columns[k].kind) not in ("–", "")
    ]
    return f" In all rows: {', '.join(entries)}." if entries else ""
