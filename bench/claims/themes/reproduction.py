"""How close the runs come to the numbers that the paper prints.

The paper states neither γ nor the initial τ, the initial weights or the line search, so a number
may be missed without a contradiction; the distance of the closest run is what can be said.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bench.claims.arms import PAPER, Arm, arm, title
from bench.claims.claim import quoted
from bench.claims.findings import Checked, Finding, need
from bench.claims.paper import PRUNING_REL_TEST_ERROR, TAU, U3_RANGE
from bench.claims.rules import count, numbers, over
from bench.claims.themes.pruning import EXPERIMENT, STEPS
from bench.store.results import Results, StoredResult

TAU_WITHIN = 0.1  # of every entry; the table prints two digits
U3_WITHIN = 2.0  # a factor, at both ends
FRACTIONAL = arm(net="fractional", tau="learned", hidden=2)


@dataclass(frozen=True)
class Closest:
    """A printed number, the run that comes closest, and how the runs spread about it.

    `distance` is the largest absolute difference of the entries.
    """

    quantity: str
    paper: tuple[float, ...]
    ours: tuple[float, ...]
    distance: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    runs: int
    cell: str


@dataclass(frozen=True)
class Printed:
    """A number of the paper, and in which values of which runs it would be found."""

    quantity: str
    paper: tuple[float, ...]
    arm: Arm
    values: tuple[str, ...]

    def closest(self, results: Results) -> Closest:
        """The run that comes closest, of those that have all numbers."""
        rows = {record.key: self._row(record) for record in results.select("net", **self.arm)}
        whole = {
            k: row for k, row in rows.items() if None not in row and len(row) == len(self.paper)
        }
        found = np.array([*need(whole).values()], dtype=float)
        distances = np.abs(found - np.array(self.paper)).max(axis=1)
        at = int(distances.argmin())
        ours, low, high = (tuple(row.tolist()) for row in (found[at], found.min(0), found.max(0)))
        runs, cell = len(found), [*whole][at]
        return Closest(self.quantity, self.paper, ours, float(distances[at]), low, high, runs, cell)

    def _row(self, record: StoredResult) -> list[float | None]:
        """The numbers of a run; a list stands for its entries."""
        values = [record.values.get(name) for name in self.values]
        return values[0] if isinstance(values[0], list) else values


def _table_of_tau(lambda2: float = 0.0) -> list[Printed]:
    """The eight rows of the table of τ, trained with this penalty on τ."""
    return [
        Printed(
            f"τ, {title(net, ordering)} {hidden}-{PAPER['width']}",
            values,
            arm(net=net, tau="learned", hidden=hidden, bias_ordering=ordering, lambda2=lambda2),
            ("tau",),
        )
        for (net, ordering, hidden), values in TAU.items()
    ]


OTHERS = [
    Printed(
        "relative test error, 5-10 ResNet + τ + B.O.",
        (PRUNING_REL_TEST_ERROR,),
        EXPERIMENT,
        ("rel_test_error",),
    ),
    Printed("range of u₃, Fractional-DNN + τ 2-50", U3_RANGE, FRACTIONAL, ("u3_min", "u3_max")),
]


def closest(results: Results) -> list[Closest]:
    """For each printed number the run that comes closest; numbers without a run are left out."""
    return _closest(results, [*OTHERS, *_table_of_tau()])


def _closest(results: Results, printed: Iterable[Printed]) -> list[Closest]:
    by_quantity = {number.quantity: number for number in printed}
    return [*over(by_quantity, lambda name: by_quantity[name].closest(results)).values()]


def closest_with_penalty(results: Results) -> tuple[float, list[Closest]]:
    """The table of τ in the second reading: the λ₂ > 0 whose runs come closest, and its rows."""
    nets = results.select("net", tau="learned", width=PAPER["width"])
    tried = {
        lambda2: _closest(results, _table_of_tau(lambda2)) for lambda2 in nets.distinct("lambda2")
    }
    found = {lambda2: rows for lambda2, rows in tried.items() if lambda2 and rows}
    if not found:
        return 0.0, []
    best = min(found, key=lambda value: (-len(found[value]), max(r.distance for r in found[value])))
    return best, found[best]


def _tau_table(results: Results) -> Finding:
    rows = _closest(results, _table_of_tau())
    need(rows if len(rows) == len(TAU) else [])
    distances = [row.distance for row in rows]
    hits = sum(distance <= TAU_WITHIN for distance in distances)
    return Checked(
        hits == len(rows),
        tuple(row.cell for row in rows),
        f"the closest seed is within {TAU_WITHIN:g} of every entry in {hits} of {len(rows)} rows; "
        f"the distance is {min(distances):.2g} at best, {max(distances):.2g} at worst",
        effect=max(distances),
        interval=(min(distances), max(distances)),
        seeds=min(row.runs for row in rows),
        printed=True,
    )


def _near_printed_range(record: StoredResult) -> bool:
    ends = zip(numbers(record, "u3_min", "u3_max"), U3_RANGE, strict=True)
    return all(1 / U3_WITHIN <= ours / printed <= U3_WITHIN for ours, printed in ends)


def _range(results: Results) -> Finding:
    what = (
        f"both ends within a factor of {U3_WITHIN:g} of the printed range in {{hits}} of {{runs}}"
    )
    return count(results.select("net", **FRACTIONAL), _near_printed_range, what)


CLAIMS = [
    quoted(
        name="table-of-tau",
        sentence="The learned τ of the eight nets are those of the table.",
        where="Section 7.1, Table 1",
        words="“Optimal learned τ variables”: 32 numbers, all between 0.04 and 1",
        criterion=f"some seed within {TAU_WITHIN:g} of every entry, in every row of the table",
        declared="2026-11-18 3d08c40a",
        domain=STEPS,
        needs="training --preset paper",
        examine=_tau_table,
        note="the paper states neither the initial τ nor the weights; here τ₀ = 1",
    ),
    quoted(
        name="range-of-u3",
        sentence="For the 2-50 Fractional-DNN with learned τ, −0.0051 ≤ u₃ ≤ 0.0077 in the "
        "cylinder.",
        where="Section 7.1, on the quiver plots",
        words="“inside Ω, we observe that −0.0051 ≤ u₃ ≤ 0.0077”",
        criterion=f"both ends within a factor of {U3_WITHIN:g}, in most seeds",
        declared="2026-11-18 1b423aaf",
        family="training",
        domain="cylinder",
        examine=_range,
    ),
]
