"""The benchmark page: what `pytest --benchmark` measured, with targets, limits and peers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.core.guards.output import write_whole
from bench.measure.load import BUSY_CORES
from reports.benchmarks import rows
from reports.benchmarks.rows import Entry, Row
from reports.document import Column, Document, Paragraph, Section, Source, Table, Value
from reports.formatting import Kind
from reports.tables import lean

KINDS: dict[str, Kind] = {
    "error": "error", "seconds": "seconds", "bytes": "bytes", "ratio": "ratio", "slope": "rate",
}  # fmt: skip
TARGETS = (
    "Ratios compared with their targets, the furthest from it first. A target is aimed at and "
    "never asserted: whether a clock meets it depends on the machine."
)
LIMITS = (
    "Kernels as a share of what the machine can do, measured in the same run on one thread. The "
    "limit is the longer of two times, that of the memory traffic and that of the operations which "
    "the algorithm cannot avoid; a share of 1 would be a kernel that does nothing else."
)
PEERS = (
    "Peers on the same data, to the same tolerance, on one thread, used as their documentation "
    "recommends. They are general codes; the path called structured knows the uniform cube, the "
    "one called general does not."
)


def compile_benchmarks(results: Path) -> Path:
    """Write an HTML page next to pytest-benchmark's JSON file and return its path."""
    from reports.html import render_html

    saved = json.loads(results.read_bytes(), parse_constant=lambda _: None)
    page = results.with_suffix(".html")
    write_whole(page, render_html(benchmark_document(saved)).encode())
    return page


def benchmark_document(saved: Entry) -> Document:
    """The page of one file of pytest-benchmark."""
    timed = saved["benchmarks"]
    parts = [
        ("Targets", TARGETS, rows.targets(timed)),
        ("Kernels and their limits", LIMITS, rows.limits(timed)),
        ("Peers", PEERS, rows.peers(timed)),
        *(
            (f"All of {group}", f"Benchmarks of the group {group}.", rows.grouped(timed, group))
            for group in sorted({rows.group_of(entry) for entry in timed})
        ),
    ]
    return Document(
        title="femnets benchmarks",
        subtitle="Medians on one machine, in one run: compare ratios, not seconds across machines.",
        abstract=[load_sentence(timed)],
        sections=[_section(title, text, found) for title, text, found in parts if found],
        facts=_facts(saved),
    )


def _section(title: str, text: str, found: Sequence[Row]) -> Section:
    """A sentence, and a table with a column for each name in the rows."""
    heads = list(dict.fromkeys(head for row in found for head in row))
    columns = [Column(head, _kind(head, [row.get(head) for row in found])) for head in heads]
    cells = [tuple(row.get(head) for head in heads) for row in found]
    table = Table(title, f"{title}.", columns, cells, Source("pytest --benchmark"))
    return Section(title, [Paragraph(text), lean(table)])


def _kind(title: str, values: Sequence[Value]) -> Kind:
    """How a column is written: by a word of its title, else by what stands in it."""
    if any(isinstance(value, str) for value in values):
        return "text"
    for word in title.split():
        if word in KINDS:
            return KINDS[word]
    return "number" if any(isinstance(value, float) for value in values) else "count"


def _facts(saved: Entry) -> list[tuple[str, str]]:
    """When, from which commit and where the run was made."""
    machine = saved["machine_info"]
    entries: dict[str, Any] = {
        "when": saved["datetime"][:16],
        "commit": str(saved["commit_info"].get("id", "unknown"))[:12],
        "processor": machine["cpu"].get("brand_raw"),
        "cores": machine["kind"].get("cores"),
        "python": machine["python_version"],
        **machine["versions"],
    }
    return [(name, str(value)) for name, value in entries.items() if value]


def load_sentence(timed: Sequence[Entry]) -> str:
    """Whether the machine was busy with something else while it was measured."""
    found = [rows.real(entry["extra_info"].get("cores_busy_elsewhere")) for entry in timed]
    loads = [load for load in found if load is not None]
    if not loads:
        return "How busy the machine was with other work was not recorded."
    busy = [load for load in loads if load > BUSY_CORES]
    if not busy:
        return f"**The machine was quiet**: at most {max(loads):.2g} cores busy with other work."
    return (
        f"**The machine was busy**: {len(busy)} of {len(loads)} benchmarks ran during other work, "
        f"up to {max(loads):.2g} cores of it. Read ratios, not seconds."
    )
