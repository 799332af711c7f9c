"""Ratios compared with their targets, and kernels with what the machine can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.benchmarks.entries import interval, mapping, plain, real, source, times
from reports.benchmarks.saved import Timed
from reports.document import Block, Column, Paragraph, Table, Value
from reports.formatting import show


def _held(timed: Sequence[Timed]) -> list[tuple[Timed, str, Mapping[str, Any]]]:
    return [
        (entry, name, held)
        for entry in timed
        for name, held in mapping(entry, "targets").items()
        if isinstance(held, Mapping)
    ]


def headline(timed: Sequence[Timed]) -> str:
    held = [entry for _, _, entry in _held(timed)]
    if not held:
        return ""
    met = sum(bool(entry.get("met")) for entry in held)
    unsure = sum(not entry.get("sure") for entry in held)
    noise = f"; {unsure} of them within noise of the target" if unsure else ""
    return f"{met} of {len(held)} targets were met in this run{noise}."


def targets(timed: Sequence[Timed]) -> list[Block]:
    columns = [
        Column("benchmark"),
        Column("what"),
        Column("measured", "number"),
        Column("95 % interval"),
        Column("target"),
        Column("verdict"),
    ]
    held = sorted(_held(timed), key=lambda found: real(found[2].get("by")) or 0.0)
    rows = [(entry.name, name, *_cells(how)) for entry, name, how in held]
    if not rows:
        return []
    lead = (
        headline(timed) + " A target is aimed at and never asserted: whether a clock meets it "
        "depends on the machine."
    )
    caption = "Ratios compared with their targets, the furthest from it first."
    return [Paragraph(lead), Table("targets", caption, columns, rows, source())]


def _cells(held: Mapping[str, Any]) -> tuple[Value, ...]:
    by = real(held.get("by"))
    factor = f" by {times(by)}" if by else ""
    word = ("met" if held.get("met") else "missed") + factor
    return (
        real(held.get("value")),
        interval(held.get("low"), held.get("high")),
        f"{held.get('sense', '')} {show(real(held.get('target')), 'number')}",
        word + ("" if held.get("sure") else ", within noise"),
    )


def _kernels(timed: Sequence[Timed]) -> list[tuple[Timed, Mapping[str, Any]]]:
    """Those with a limit, the furthest from it first."""
    found = [(entry, mapping(entry, "limit")) for entry in timed if "limit" in entry.info]
    return sorted(found, key=lambda pair: real(pair[1].get("share")) or 0.0)


def furthest(timed: Sequence[Timed]) -> str:
    for entry, limit in _kernels(timed):
        share = real(limit.get("share"))
        if share is not None:
            return (
                f"The kernel furthest from what the machine can do is `{entry.name}`: "
                f"{share:.2f} of the limit set by {limit.get('bound_by')}."
            )
    return ""


def limits(timed: Sequence[Timed]) -> list[Block]:
    columns = [
        Column("kernel"),
        Column("CPU time", "seconds"),
        Column("bound by"),
        Column("operations per byte", "number"),
        Column("share of the limit", "number"),
        Column("cost ~ size to the", "rate"),
    ]
    found = _kernels(timed)
    if not found:
        return []
    rows = [
        (
            entry.name,
            real(limit.get("seconds")) or entry.median,
            plain(limit.get("bound_by")),
            real(limit.get("intensity")),
            real(limit.get("share")),
            plain(entry.info.get("slope")),
        )
        for entry, limit in found
    ]
    first = found[0][1]
    traffic = show(real(first.get("bandwidth_gb_per_second")), "number")
    products = show(real(first.get("product_gflops")), "number")
    lead = (
        f"Measured in the same run on one thread: {traffic} GB/s of memory traffic and {products} "
        "Gflop/s of matrix products. The limit is the longer of two times, that of the traffic and "
        "that of the operations which the algorithm cannot avoid; a share of 1 would be a kernel "
        "that does nothing else."
    )
    caption = "Kernels as a share of what the machine can do, the furthest from it first."
    return [Paragraph(lead), Table("limits", caption, columns, rows, source())]
