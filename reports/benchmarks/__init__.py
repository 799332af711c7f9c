"""The benchmark page: what `pytest --benchmark` measured, with targets, limits and peers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.core.guards.output import write_whole
from bench.measure.load import BUSY_CORES
from reports.benchmarks import peers, tables, targets
from reports.benchmarks.saved import SavedRun, Timed, read
from reports.document import Document, Section


def compile_benchmarks(results: Path) -> Path:
    """Write an HTML page next to pytest-benchmark's JSON file and return its path."""
    from reports.html import render_html

    page = results.with_suffix(".html")
    write_whole(page, render_html(benchmark_document(read(results))).encode())
    return page


def benchmark_document(run: SavedRun) -> Document:
    """The page of one run."""
    timed = run.timed
    sections = [
        Section("Targets", targets.compared(timed)),
        Section("Kernels and their limits", targets.limits(timed)),
        Section("Peers", peers.compared(timed)),
        Section("What is measured", tables.described(timed)),
        *(
            Section(f"All of {group}", tables.grouped(group, timed))
            for group in sorted({entry.group for entry in timed})
        ),
    ]
    headlines = [
        load_sentence(timed),
        targets.headline(timed),
        peers.headline(timed),
        targets.furthest(timed),
    ]
    return Document(
        title="femnets benchmarks",
        subtitle="Medians on one machine, in one run: compare ratios, not seconds across machines.",
        abstract=[sentence for sentence in headlines if sentence],
        sections=[section for section in sections if section.blocks],
        facts=facts(run),
    )


def facts(run: SavedRun) -> list[tuple[str, str]]:
    """When, from which commit and where the run was made."""
    entries: dict[str, Any] = {
        "when": run.when,
        "commit": run.commit,
        "processor": run.machine["cpu"].get("brand_raw"),
        "cores": run.machine["kind"].get("cores"),
        "python": run.machine["python_version"],
        **run.machine["versions"],
    }
    return [(name, str(value)) for name, value in entries.items() if value]


def load_sentence(timed: Sequence[Timed]) -> str:
    """Whether the machine was busy with something else while it was measured."""
    loads = [
        float(e.info["cores_busy_elsewhere"]) for e in timed if "cores_busy_elsewhere" in e.info
    ]
    if not loads:
        return "How busy the machine was with other work was not recorded."
    busy = [load for load in loads if load > BUSY_CORES]
    if not busy:
        return f"**The machine was quiet**: at most {max(loads):.2g} cores busy with other work."
    return (
        f"**The machine was busy**: {len(busy)} of {len(loads)} benchmarks ran during other work, "
        f"up to {max(loads):.2g} cores of it. Read ratios, not seconds."
    )
