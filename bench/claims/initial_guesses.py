"""Where a net stops being the better start: the mesh by iterations, and whether it was predicted.

`measured_n` of a cell is the first mesh on which the coarser solution is as good a start. On the
smallest mesh of a ladder that is often a tie, after which the net is ahead again; here it counts
from which mesh on the net never is.
"""

from __future__ import annotations

from math import inf

from bench.store.results import StoredResult

FACTOR = 2.0


def stops_helping(record: StoredResult) -> tuple[float, float]:
    """The net is ahead at the first n, never again from the second on: 0 and ∞ where the ladder
    does not tell."""
    meshes = record.config["n"]
    starts = (record.values[f"{start}_iterations"] for start in ("net", "coarse"))
    ahead = [n for n, net, coarse in zip(meshes, *starts, strict=True) if net < coarse]
    last = max(ahead, default=0)
    return last, min((n for n in meshes if n > last), default=inf)


def predicted(record: StoredResult) -> bool:
    """Whether the mesh that follows from the net's error is right up to a factor of two."""
    low, high = stops_helping(record)
    return bool(low / FACTOR <= record.values["predicted_n"] <= FACTOR * high)
