"""The benchmark page: what `pytest --benchmark` measured, with targets, limits and the last run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.errors import UserError
from bench.guards.output import write_whole
from bench.measure.load import BUSY_CORES
from bench.measure.saved import SavedRun, Timed, compare, read, saved_files
from reports.document import Block, Column, Document, Paragraph, Section, Source, Table, Value
from reports.formatting import show

COMMAND = "pytest --benchmark"
# Figures that have tables of their own.
APART = ("targets", "limit", "peers", "cpu_seconds", "cores_busy_elsewhere", "threads")


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
    groups = sorted({entry.group for entry in timed})
    kind = run.machine.get("kind")
    cores = kind.get("cores") if isinstance(kind, dict) else None
    facts = [
        ("when", run.when),
        ("commit", run.commit),
        ("processor", str(run.machine.get("cpu", {}).get("brand_raw", "unknown"))),
        ("cores", str(cores or "unknown")),
        ("Python", str(run.machine.get("python_version", "unknown"))),
        ("other work", load_sentence(timed)),
    ]
    sections = [
        Section("Targets", _targets(timed)),
        Section("Kernels and their limits", _limits(timed)),
        Section("Peers", _peers(timed)),
        Section("Since the last saved run", _since(before, run)),
        *(
            Section(f"All of {group}", _blocks(group, [e for e in timed if e.group == group]))
            for group in groups
        ),
    ]
    return Document(
        title="femnets benchmarks",
        subtitle="Times are medians on this machine; compare ratios within one run, not seconds "
        "across machines. Each benchmark states its own quality figures beside its time.",
        sections=[section for section in sections if section.blocks],
        facts=facts,
    )


def load_sentence(timed: Sequence[Timed]) -> str:
    """Whether the machine was busy with something else while it was measured."""
    loads = [
        float(e.info["cores_busy_elsewhere"]) for e in timed if "cores_busy_elsewhere" in e.info
    ]
    if not loads:
        return "not recorded"
    busy = [load for load in loads if load > BUSY_CORES]
    if not busy:
        return f"the machine was quiet: at most {max(loads):.2g} cores busy with something else"
    return (
        f"the machine was busy: {len(busy)} of {len(loads)} benchmarks ran beside other work, up "
        f"to {max(loads):.2g} cores of it; read ratios, not seconds"
    )


def _targets(timed: Sequence[Timed]) -> list[Block]:
    columns = [
        Column("benchmark"),
        Column("what"),
        Column("measured", "number"),
        Column("95 % interval"),
        Column("target"),
        Column("verdict"),
    ]
    rows = [
        (entry.name, name, *_held(held))
        for entry in timed
        for name, held in _dictionary(entry, "targets").items()
        if isinstance(held, Mapping)
    ]
    if not rows:
        return []
    met = sum(str(row[-1]).startswith("met") for row in rows)
    lead = (
        f"{met} of {len(rows)} targets were met in this run. A target is aimed at and never "
        "asserted: whether a clock meets it depends on the machine."
    )
    return [
        Paragraph(lead),
        Table("targets", "Ratios beside their targets.", columns, rows, _source()),
    ]


def _held(held: Mapping[str, Any]) -> tuple[Value, ...]:
    interval = f"{show(held.get('low'), 'number')} to {show(held.get('high'), 'number')}"
    target = f"{held.get('sense', '')} {show(held.get('target'), 'number')}"
    by = held.get("by")
    factor = (
        f" by {show(max(by, 1 / by), 'ratio')}" if isinstance(by, int | float) and by > 0 else ""
    )
    word = ("met" if held.get("met") else "missed") + factor
    return (
        held.get("value"),
        interval,
        target,
        word + ("" if held.get("sure") else ", within noise"),
    )


def _limits(timed: Sequence[Timed]) -> list[Block]:
    columns = [
        Column("kernel"),
        Column("median", "seconds"),
        Column("bound by"),
        Column("share of the limit", "number"),
        Column("cost ~ size to the", "rate"),
    ]
    found = [(entry, _dictionary(entry, "limit")) for entry in timed if "limit" in entry.info]
    rows = [
        (e.name, e.median, limit.get("bound_by"), limit.get("share"), _plain(e.info.get("slope")))
        for e, limit in sorted(found, key=lambda pair: pair[1].get("share") or 0.0)
    ]
    if not rows:
        return []
    limits = found[0][1]
    traffic = show(limits.get("bandwidth_gb_per_second"), "number")
    products = show(limits.get("product_gflops"), "number")
    lead = (
        f"Measured in the same run on one thread: {traffic} GB/s of memory traffic and {products} "
        "Gflop/s of matrix products. A share of 1 would be a kernel that does nothing else."
    )
    caption = "Kernels as a share of what the machine can do, the furthest from it first."
    return [Paragraph(lead), Table("limits", caption, columns, rows, _source())]


def _peers(timed: Sequence[Timed]) -> list[Block]:
    """Ours beside each peer: the same data, tolerance and thread, as `extra_info` tells."""
    columns = [
        Column("question"),
        Column("peer"),
        Column("version"),
        Column("seconds", "seconds"),
        Column("error", "error"),
        Column("ours", "seconds"),
        Column("our error", "error"),
        Column("peer over ours", "ratio"),
        Column("ahead"),
    ]
    rows = [
        (e.name, name, *_peer(peer, e))
        for e in timed
        for name, peer in _dictionary(e, "peers").items()
        if isinstance(peer, Mapping)
    ]
    if not rows:
        return []
    ours = sum(row[-1] == "ours" for row in rows)
    lead = (
        f"Ours is ahead in {ours} of {len(rows)} comparisons. Peers are used as their "
        "documentation recommends; they are general codes, while our fast paths know the cube."
    )
    return [Paragraph(lead), Table("peers", "Peers in the same run.", columns, rows, _source())]


def _peer(peer: Mapping[str, Any], entry: Timed) -> tuple[Value, ...]:
    ours, error = peer.get("ours_seconds", entry.median), peer.get("ours_error")
    seconds = peer.get("seconds")
    ratio = seconds / ours if isinstance(seconds, int | float) and ours else None
    ahead = "–" if ratio is None else "ours" if ratio > 1 else "peer"
    return peer.get("version"), seconds, peer.get("error"), ours, error, ratio, ahead


def _since(before: SavedRun | None, run: SavedRun) -> list[Block]:
    if before is None:
        return []
    found = compare(before, run)
    moved = [change for change in found.changes if change.moved]
    drift = f"Everything takes {found.drift:.2f} times as long as on {before.when}; beyond that, "
    lead = (
        drift + f"{len(moved)} of {len(found.changes)} benchmarks moved by more than their noise."
    )
    columns = [
        Column("benchmark"),
        Column("before", "seconds"),
        Column("now", "seconds"),
        Column("ratio", "ratio"),
        Column("noise", "number"),
    ]
    rows = [(c.name, c.before, c.after, c.ratio, c.noise) for c in moved]
    caption = "What moved beyond noise, the common drift taken out."
    table: list[Block] = [Table("since", caption, columns, rows, _source())] if rows else []
    return [Paragraph(lead), *table]


def _blocks(group: str, entries: Sequence[Timed]) -> list[Block]:
    """One table per group; the columns are the quality figures that its benchmarks give."""
    names = list(dict.fromkeys(name for entry in entries for name in _figures(entry)))
    columns = [
        Column("benchmark"),
        Column("median", "seconds"),
        Column("spread", "seconds"),
        Column("rounds", "count"),
        *(Column(name.replace("_", " "), "number") for name in names),
    ]
    rows = [
        (e.name, e.median, e.spread, e.rounds, *(_plain(e.info.get(name)) for name in names))
        for e in entries
    ]
    return [Table(group, f"Benchmarks: {group}.", columns, rows, _source())]


def _figures(entry: Timed) -> Iterator[str]:
    return (name for name in entry.info if name not in APART)


def _dictionary(entry: Timed, name: str) -> Mapping[str, Any]:
    found = entry.info.get(name)
    return found if isinstance(found, Mapping) else {}


def _source() -> Source:
    return Source(COMMAND)


def _plain(value: Any) -> Value:
    """A figure as a table cell: numbers stay numbers, lists become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value)
