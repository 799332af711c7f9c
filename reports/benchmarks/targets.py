"""Ratios compared with their targets, and kernels with what the machine can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.benchmarks.saved import Timed
from reports.benchmarks.tables import interval, plain, real, table, times
from reports.document import Block, Paragraph
from reports.formatting import show


def headline(timed: Sequence[Timed]) -> str:
    """How many targets were met."""
    targets = [target for entry in timed for target in entry.mappings("targets").values()]
    if not targets:
        return ""
    met = sum(bool(target.get("met")) for target in targets)
    unsure = sum(not target.get("sure") for target in targets)
    noise = f"; {unsure} of them within noise of the target" if unsure else ""
    return f"Targets met in this run: {met} of {len(targets)}{noise}."


def compared(timed: Sequence[Timed]) -> list[Block]:
    """Every ratio with its target."""
    targets = [
        (entry.name, name, target)
        for entry in timed
        for name, target in entry.mappings("targets").items()
    ]
    if not targets:
        return []
    rows = [
        {
            "benchmark": benchmark,
            "what": name,
            "measured": real(target.get("value")),
            "95 % interval": interval(target),
            "target": f"{target.get('sense', '')} {show(real(target.get('target')), 'number')}",
            "verdict": _verdict(target),
        }
        for benchmark, name, target in sorted(targets, key=lambda row: real(row[2].get("by")) or 0)
    ]
    lead = (
        headline(timed) + " A target is aimed at and never asserted: whether a clock meets it "
        "depends on the machine."
    )
    caption = "Ratios compared with their targets, the furthest from it first."
    return [Paragraph(lead), *table("targets", caption, rows)]


def _verdict(target: Mapping[str, Any]) -> str:
    by = real(target.get("by"))
    factor = f" by {times(by)}" if by else ""
    noise = "" if target.get("sure") else ", within noise"
    return ("met" if target.get("met") else "missed") + factor + noise


def _kernels(timed: Sequence[Timed]) -> list[tuple[Timed, Mapping[str, Any]]]:
    """Benchmarks with a limit, the furthest from it first."""
    kernels = [(entry, entry.mapping("limit")) for entry in timed if "limit" in entry.info]
    return sorted(kernels, key=lambda pair: real(pair[1].get("share")) or 0.0)


def furthest(timed: Sequence[Timed]) -> str:
    """The kernel that could gain most."""
    for entry, limit in _kernels(timed):
        share = real(limit.get("share"))
        if share is not None:
            return (
                f"The kernel furthest from what the machine can do is `{entry.name}`: "
                f"{share:.2f} of the limit set by {limit.get('bound_by')}."
            )
    return ""


def limits(timed: Sequence[Timed]) -> list[Block]:
    """Every kernel with its limit."""
    kernels = _kernels(timed)
    if not kernels:
        return []
    rows = [
        {
            "kernel": entry.name,
            "CPU seconds": real(limit.get("seconds")) or entry.median,
            "bound by": plain(limit.get("bound_by")),
            "operations per byte": real(limit.get("intensity")),
            "share of the limit": real(limit.get("share")),
            "slope of cost over size": plain(entry.info.get("slope")),
        }
        for entry, limit in kernels
    ]
    first = kernels[0][1]
    traffic = show(real(first.get("bandwidth_gb_per_second")), "number")
    products = show(real(first.get("product_gflops")), "number")
    lead = (
        f"Measured in the same run on one thread: {traffic} GB/s of memory traffic and {products} "
        "Gflop/s of matrix products. The limit is the longer of two times, that of the traffic and "
        "that of the operations which the algorithm cannot avoid; a share of 1 would be a kernel "
        "that does nothing else."
    )
    caption = "Kernels as a share of what the machine can do, the furthest from it first."
    return [Paragraph(lead), *table("limits", caption, rows)]
