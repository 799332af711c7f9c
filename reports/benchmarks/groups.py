"""What is measured, what moved since the last run, and every figure of every benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from reports.benchmarks.entries import interval, mapping, plain, real, source
from reports.benchmarks.saved import Change, Compared, SavedRun, Timed
from reports.document import Block, Column, Paragraph, Table, Value
from reports.formatting import Kind, show

# What has a table or a column of its own.
APART = ("about", "targets", "limit", "peers", "cpu_seconds", "threads")
UNITS: dict[str, Kind] = {"error": "error", "seconds": "seconds", "bytes": "bytes"}


def stem(entry: Timed) -> str:
    """The benchmark without its sizes: `load_and_solve` of `test_load_and_solve[n64-kuhn]`."""
    return entry.name.partition("[")[0].removeprefix("test_")


def sizes(entry: Timed) -> str:
    return entry.name.partition("[")[2].removesuffix("]") or "–"


def kinds(timed: Sequence[Timed], group: str) -> dict[tuple[str, str], list[Timed]]:
    """The group's benchmarks by file and stem: the same test at several sizes."""
    found: dict[tuple[str, str], list[Timed]] = {}
    for entry in timed:
        if entry.group == group:
            found.setdefault((entry.file, stem(entry)), []).append(entry)
    return found


def what(timed: Sequence[Timed]) -> list[Block]:
    columns = [Column("group"), Column("benchmark"), Column("measures"), Column("sizes", "count")]
    rows: list[tuple[Value, ...]] = []
    for group in sorted({entry.group for entry in timed}):
        rows += [
            (group, name.replace("_", " "), _about(entries), len(entries))
            for (_, name), entries in kinds(timed, group).items()
        ]
    caption = f"{len(timed)} benchmarks of {len(rows)} kinds, each with its own quality figures."
    return [Table("what", caption, columns, rows, source())] if rows else []


def _about(entries: Sequence[Timed]) -> str:
    return str(entries[0].info.get("about") or "–")


def since(before: SavedRun | None, compared: Compared | None) -> list[Block]:
    if before is None or compared is None:
        return []
    moved = [change for change in compared.changes if change.moved]
    lead = (
        f"Everything takes {compared.drift:.2f} times as long as on {before.when}; beyond that, "
        f"{len(moved)} of {len(compared.changes)} benchmarks moved by more than their noise."
    )
    columns = [
        Column("benchmark"),
        Column("before", "seconds"),
        Column("now", "seconds"),
        Column("ratio", "ratio"),
        Column("interval"),
    ]
    rows = [(c.name, c.before, c.after, c.ratio, _spread(c)) for c in moved]
    caption = "What moved beyond noise, the common drift taken out."
    table: list[Block] = [Table("since", caption, columns, rows, source())] if rows else []
    return [Paragraph(lead), *table]


def _spread(change: Change) -> str:
    noise = 1 + change.noise
    return interval(change.ratio / noise, change.ratio * noise)


def tables(group: str, timed: Sequence[Timed], compared: Compared | None) -> list[Block]:
    """One table for each kind of benchmark in the group: its columns are the figures it gives."""
    changes = {change.name: change for change in compared.changes} if compared else {}
    return [
        _table(" ".join(kind), entries, changes) for kind, entries in kinds(timed, group).items()
    ]


def _table(name: str, entries: Sequence[Timed], changes: dict[str, Change]) -> Table:
    names = list(dict.fromkeys(key for e in entries for key in e.info if key not in APART))
    constant = [key for key in names if len(entries) > 1 and _same(entries, key)]
    shown = [key for key in names if key not in constant]
    clocked = any("cpu_seconds" in entry.info for entry in entries)
    columns = [
        Column("sizes"),
        Column("median", "seconds"),
        Column("spread", "seconds"),
        Column("rounds", "count"),
        *([Column("CPU time", "seconds")] if clocked else []),
        *([Column("over the last run"), Column("interval")] if changes else []),
        *(Column(key.replace("_", " "), _kind(key, entries)) for key in shown),
    ]
    rows = [
        (
            sizes(entry),
            entry.median,
            entry.spread if entry.rounds > 1 else None,
            entry.rounds,
            *([real(mapping(entry, "cpu_seconds").get("ours"))] if clocked else []),
            *(_last(changes.get(entry.name)) if changes else ()),
            *(plain(entry.info.get(key)) for key in shown),
        )
        for entry in entries
    ]
    caption = f"{stem(entries[0]).replace('_', ' ').capitalize()}. {_about(entries)}"
    if constant:
        first = entries[0].info
        shared = (
            f"{key.replace('_', ' ')} {show(plain(first[key]), _kind(key, entries))}"
            for key in constant
        )
        caption += f" In all rows: {', '.join(shared)}."
    return Table(name, caption, columns, rows, source())


def _same(entries: Sequence[Timed], key: str) -> bool:
    values = [plain(entry.info.get(key)) for entry in entries]
    return all(value == values[0] and value is not None for value in values)


def _last(change: Change | None) -> tuple[Value, Value]:
    return (None, None) if change is None else (show(change.ratio, "ratio"), _spread(change))


def _kind(key: str, entries: Sequence[Timed]) -> Kind:
    """How a figure is written: by the last word of its name that is a unit, or as a count."""
    for word, kind in UNITS.items():
        if word in key.split("_"):
            return kind
    whole = all(isinstance(entry.info.get(key, 0), int) for entry in entries)
    return "count" if whole else "number"
