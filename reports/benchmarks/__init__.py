"""The benchmark page: what `pytest --benchmark` measured, with targets, limits, peers and the last
run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.core.guards.output import write_whole
from bench.measure.load import BUSY_CORES
from reports.benchmarks import groups, peers, targets
from reports.benchmarks.saved import SavedRun, Timed, compare, read, saved_files
from reports.document import Document, Section


def compile_benchmarks(results: Path) -> Path:
    """Writes an HTML page beside pytest-benchmark's JSON file and returns its path."""
    from reports.html import render_html

    document = benchmark_document(read(results), _run_before(results))
    page = results.with_suffix(".html")
    write_whole(page, render_html(document).encode())
    return page


def _run_before(results: Path) -> SavedRun | None:
    """The run saved last before this one, if it can be read."""
    older = [path for path in saved_files(results.parent) if path != results]
    try:
        return read(older[-1]) if older else None
    except UserError:
        return None


def benchmark_document(run: SavedRun, before: SavedRun | None = None) -> Document:
    timed = list(run.timed.values())
    compared = None if before is None else compare(before, run)
    sections = [
        Section("Targets", targets.targets(timed)),
        Section("Kernels and their limits", targets.limits(timed)),
        Section("Peers", peers.peers(timed)),
        Section("Since the last saved run", groups.since(before, compared)),
        Section("What is measured", groups.what(timed)),
        *(
            Section(f"All of {group}", groups.tables(group, timed, compared))
            for group in sorted({entry.group for entry in timed})
        ),
    ]
    return Document(
        title="femnets benchmarks",
        subtitle="Medians on one machine, in one run: compare ratios, not seconds across machines.",
        abstract=[sentence for sentence in headlines(timed) if sentence],
        sections=[section for section in sections if section.blocks],
        facts=facts(run),
    )


def facts(run: SavedRun) -> list[tuple[str, str]]:
    kind = _mapping(run.machine.get("kind"))
    processor = _mapping(run.machine.get("cpu")).get("brand_raw")
    found: dict[str, Any] = {
        "when": run.when,
        "commit": run.commit,
        "processor": processor,
        "cores": kind.get("cores"),
        "python": run.machine.get("python_version"),
        **_mapping(run.machine.get("versions")),
    }
    return [(name, str(value)) for name, value in found.items() if value]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def headlines(timed: Sequence[Timed]) -> list[str]:
    """The page in a few sentences, the state of the machine first."""
    return [
        load_sentence(timed),
        targets.headline(timed),
        peers.headline(timed),
        targets.furthest(timed),
    ]


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
        f"**The machine was busy**: {len(busy)} of {len(loads)} benchmarks ran beside other work, "
        f"up to {max(loads):.2g} cores of it. Read ratios, not seconds."
    )
