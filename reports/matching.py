"""At equal error: the mesh or order with which a finite element reaches it, a net's time to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.statistics import observed_rate
from bench.store.results import Results, StoredResult, median
from reports.contenders import Contender
from reports.names import element_title, in_place

FURTHEST = 2  # the factor of n up to which a rate is carried on: one refinement


@dataclass(frozen=True)
class Match:
    """`measured` is False beyond the finest mesh solved: there the last rate is carried on, but
    not further than by one refinement (`n` twice the finest, `unknowns` None: finer than that)."""

    n: int
    order: int | None  # of the p-version
    unknowns: float | None
    seconds: float | None
    measured: bool

    @property
    def label(self) -> str:
        size = f"{self.n}" if self.order is None else f"{self.n}, p = {self.order}"
        if self.unknowns is None:
            return f"beyond {size}"
        return size if self.measured else f"≈ {size}"


def families(results: Results, problem: str) -> dict[str, Results]:
    """Best approximations by element, uniform meshes and one cell with growing order, by name.

    Families of one mesh are left out: nothing can be carried on from them.
    """
    oracle = results.select("fem", problem=problem, solve=False, grading=None)
    elements = in_place("finite element", oracle.distinct("element"))
    found = [oracle.select("fem", element=element) for element in elements]
    return {element_title(rows.records[0]): rows for rows in found if len(rows) > 1}


def matching_mesh(error: float, rows: Results) -> Match | None:
    """The smallest of a family with an error no larger than this, solved or extrapolated."""
    ordered = sorted((r for r in rows if r.values.get("l2_error")), key=_size)
    for record in ordered:
        if record.values["l2_error"] <= error:
            values = record.values
            return Match(
                int(values["n"]),
                record.config.get("order"),
                values["dofs"],
                values["seconds"],
                measured=True,
            )
    return _carried_on(error, ordered[-2].values, ordered[-1].values) if len(ordered) > 1 else None


def _size(record: StoredResult) -> tuple[int, int]:
    return int(record.config["n"]), int(record.config.get("order") or 0)


def _carried_on(error: float, coarse: Mapping[str, Any], fine: Mapping[str, Any]) -> Match | None:
    """By the rate of the two finest meshes; there is none between two orders on one mesh."""
    rate = observed_rate(coarse, fine, "l2_error")
    if rate is None or rate <= 0 or coarse["h"] < fine["h"]:
        return None
    refinement = (fine["l2_error"] / error) ** (1 / rate)
    if refinement > FURTHEST:
        return Match(FURTHEST * fine["n"], None, None, None, measured=False)
    n, unknowns = math.ceil(fine["n"] * refinement), fine["dofs"] * refinement**3
    return Match(n, None, unknowns, None, measured=False)


@dataclass(frozen=True)
class Reached:
    """The net that reaches an error soonest: in `seconds` (median), in so many of its seeds."""

    net: Contender
    seconds: float
    seeds: int


def soonest_net(error: float, field: Sequence[Contender]) -> Reached | None:
    """Among the nets that reach the error in more than half of their seeds."""
    able = []
    for net in (c for c in field if c.is_net):
        times = [_seconds_to_reach(record, error) for record in net.records]
        reached = sum(math.isfinite(time) for time in times)
        if 2 * reached > net.seeds:
            able.append(Reached(net, median(times), reached))
    return min(able, key=lambda found: found.seconds, default=None)


def _seconds_to_reach(record: StoredResult, error: float) -> float:
    """Read off the recorded curve, after what went before it (a tuned net's search); or never."""
    if "curve_l2_error" not in record.arrays:  # a kind that records its end only
        reached = (record.values.get("l2_error") or math.inf) <= error
        return float(record.values["seconds"]) if reached else math.inf
    below = np.flatnonzero(np.asarray(record.arrays["curve_l2_error"]) <= error)
    if not below.size:
        return math.inf
    seconds = np.asarray(record.arrays["curve_seconds"], dtype=float)
    before = max(0.0, float(record.values["seconds"]) - float(seconds[-1]))
    return before + float(seconds[below[0]])
