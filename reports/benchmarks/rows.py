"""Rows of the benchmark page, as named cells. `extra_info` of a benchmark is anybody's to write:
what should be a number and is none is left out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.document import Value
from reports.formatting import show

Entry = Mapping[str, Any]  # one benchmark as pytest-benchmark saves it
Row = dict[str, Value]
SAME = 1.1  # errors, or times, within a tenth of each other
APART = ("targets", "limit", "peers", "cpu_seconds", "threads")  # of `extra_info`: shown elsewhere


def targets(timed: Sequence[Entry]) -> list[Row]:
    """Every ratio with its target, the furthest from it first."""
    found = [(e["name"], *named) for e in timed for named in _entries(e, "targets")]
    return [
        {
            "benchmark": benchmark,
            "what": name,
            "measured": real(target.get("value")),
            "95 % interval": _interval(target),
            "target": f"{target.get('sense', '')} {show(real(target.get('target')), 'number')}",
            "verdict": _verdict(target),
        }
        for benchmark, name, target in sorted(found, key=lambda row: real(row[2].get("by")) or 0)
    ]


def _verdict(target: Entry) -> str:
    by = real(target.get("by"))
    factor = f" by {_times(by)}" if by else ""
    noise = "" if target.get("sure") else ", within noise"
    return ("met" if target.get("met") else "missed") + factor + noise


def limits(timed: Sequence[Entry]) -> list[Row]:
    """Every kernel as a share of what the machine can do, the furthest from it first."""
    found = [(e, limit) for e in timed if (limit := _entry(e, "limit"))]
    return [
        {
            "kernel": entry["name"],
            "CPU seconds": real(limit.get("seconds")) or entry["stats"]["median"],
            "bound by": _plain(limit.get("bound_by")),
            "operations per byte": real(limit.get("intensity")),
            "share of the limit": real(limit.get("share")),
            "slope of cost over size": _plain(entry["extra_info"].get("slope")),
            "memory GB/s": real(limit.get("bandwidth_gb_per_second")),
            "products Gflop/s": real(limit.get("product_gflops")),
        }
        for entry, limit in sorted(found, key=lambda pair: real(pair[1].get("share")) or 0.0)
    ]


def peers(timed: Sequence[Entry]) -> list[Row]:
    """Every benchmark with every peer it was compared with, on the same data."""
    found = [(entry, *named) for entry in timed for named in _entries(entry, "peers")]
    return [_peer(*each) for each in found]


def _peer(entry: Entry, name: str, peer: Entry) -> Row:
    seconds, ours = real(peer.get("seconds")), real(peer.get("ours_seconds", _median(entry)))
    error, our_error = real(peer.get("error")), real(peer.get("ours_error"))
    ratio = _entry({"extra_info": peer}, "ratio")
    sooner = real(ratio.get("value")) or _over(seconds, ours)
    return {
        "question": " ".join(_name(entry)),
        "peer": str(peer.get("peer") or name),
        "ours": str(peer.get("ours") or "–"),
        "ahead": ahead(sooner, _over(error, our_error)),
        "ratio of seconds, peer over ours": sooner,
        "interval": _interval(ratio) if (real(ratio.get("rounds")) or 0) > 1 else None,
        "seconds of the peer": seconds,
        "our seconds": ours,
        "error of the peer": error,
        "our error": our_error,
        "version": str(peer.get("version") or "–"),
    }


def ahead(sooner: float | None, closer: float | None) -> str:
    """Who is ahead, from the peer's time and error over ours: `ours 4× sooner, peer 2× closer`."""
    parts = [
        f"{'ours' if ratio > 1 else 'peer'} {_times(ratio)} {word}"
        for ratio, word in ((sooner, "sooner"), (closer, "closer"))
        if ratio is not None and not 1 / SAME <= ratio <= SAME
    ]
    return ", ".join(parts) or "equal"


def grouped(timed: Sequence[Entry], group: str) -> list[Row]:
    """Every figure of every benchmark of a group."""
    return [
        {
            "benchmark": _name(entry)[0],
            "sizes": _name(entry)[1] or "–",
            "median seconds": _median(entry),
            "spread seconds": entry["stats"]["iqr"] if entry["stats"]["rounds"] > 1 else None,
            "rounds": entry["stats"]["rounds"],
            "CPU seconds": real(_entry(entry, "cpu_seconds").get("ours")),
            **{
                key.replace("_", " "): _plain(value)
                for key, value in entry["extra_info"].items()
                if key not in APART
            },
        }
        for entry in timed
        if group_of(entry) == group
    ]


def group_of(entry: Entry) -> str:
    """The group of a benchmark."""
    return entry["group"] or "other"


def _name(entry: Entry) -> tuple[str, str]:
    """`load and solve` and `n64-kuhn` of `test_load_and_solve[n64-kuhn]`."""
    name, _, sizes = entry["name"].removeprefix("test_").partition("[")
    return name.replace("_", " "), sizes.removesuffix("]")


def _median(entry: Entry) -> float:
    return float(entry["stats"]["median"])


def _entry(entry: Entry, name: str) -> Entry:
    """What `extra_info` has under a name, if that has entries of its own."""
    found = entry["extra_info"].get(name)
    return found if isinstance(found, Mapping) else {}


def _entries(entry: Entry, name: str) -> Iterator[tuple[str, Entry]]:
    """Its entries that have entries themselves."""
    return ((key, v) for key, v in _entry(entry, name).items() if isinstance(v, Mapping))


def real(value: Any) -> float | None:
    """A finite number, or nothing."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if known else None


def _plain(value: Any) -> Value:
    """A figure as a table cell: numbers stay numbers, lists become text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return json.dumps(value)


def _over(theirs: float | None, ours: float | None) -> float | None:
    return theirs / ours if theirs and ours else None


def _interval(entry: Entry) -> str:
    """The interval of a median of ratios."""
    return f"{show(real(entry.get('low')), 'number')} – {show(real(entry.get('high')), 'number')}"


def _times(ratio: float) -> str:
    """How many times, either way round: 2.5×."""
    return show(max(ratio, 1 / ratio), "ratio")
