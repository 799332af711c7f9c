"""The benchmark page: what `pytest --benchmark` measured, group by group."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.guards.output import write_whole
from reports.document import Block, Column, Document, Paragraph, Section, Source, Table, Value

COMMAND = "pytest --benchmark"


def compile_benchmarks(results: Path) -> Path:
    """Writes an HTML page beside pytest-benchmark's JSON file and returns its path."""
    from reports.html import render_html

    document = benchmark_document(json.loads(results.read_text(encoding="utf-8")))
    page = results.with_suffix(".html")
    write_whole(page, render_html(document).encode())
    return page


def benchmark_document(data: Mapping[str, Any]) -> Document:
    measured = data.get("benchmarks", [])
    groups = sorted({_group(entry) for entry in measured})
    machine, commit = data.get("machine_info", {}), data.get("commit_info", {})
    facts = [
        ("when", str(data.get("datetime", "unknown"))[:16]),
        ("commit", str(commit.get("id", "unknown"))[:12] + ("+" if commit.get("dirty") else "")),
        ("processor", str(machine.get("cpu", {}).get("brand_raw", "unknown"))),
        ("Python", str(machine.get("python_version", "unknown"))),
    ]
    return Document(
        title="femnets benchmarks",
        subtitle="Times are medians on this machine; compare ratios within one run, not seconds "
        "across machines. Each benchmark states its own quality figures beside its time.",
        sections=[
            Section(group, _blocks(group, [e for e in measured if _group(e) == group]))
            for group in groups
        ],
        facts=facts,
    )


def _group(entry: Mapping[str, Any]) -> str:
    return str(entry.get("group") or "other")


def _blocks(group: str, entries: Sequence[Mapping[str, Any]]) -> list[Block]:
    """One table per group; the columns are the quality figures that its benchmarks give."""
    names = list(dict.fromkeys(name for entry in entries for name in entry["extra_info"]))
    columns = [
        Column("benchmark"),
        Column("median", "seconds"),
        Column("spread", "seconds"),
        Column("rounds", "count"),
        *(Column(name.replace("_", " "), "number") for name in names),
    ]
    rows = [
        (
            entry["name"],
            entry["stats"]["median"],
            entry["stats"]["iqr"],
            entry["stats"]["rounds"],
            *(_plain(entry["extra_info"].get(name)) for name in names),
        )
        for entry in entries
    ]
    if not rows:
        return [Paragraph("Nothing was measured in this group.")]
    return [Table(group, f"Benchmarks: {group}.", columns, rows, Source(COMMAND))]


def _plain(value: Any) -> Value:
    """A figure as a table cell: numbers stay numbers, lists become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value)
