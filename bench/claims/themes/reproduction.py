"""How close the runs come to the numbers that the paper prints.

The paper states neither γ nor the initial τ, the initial weights or the line search, so a number
may be missed without a contradiction; the distance of the closest run is what can be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.claims import Checked, Claim, Finding, NotTested, quoted
from bench.claims.arms import NAMES, arm
from bench.claims.paper import PRUNING_REL_TEST_ERROR, TAU, U3_RANGE
from bench.claims.rules import is_true_of
from bench.claims.themes.pruning import EXPERIMENT
from bench.store.results import Results, StoredResult

TRAINING = "femnets run training --preset paper"

WIDTH = 50  # of the nets in the table of τ
PRINTED_TEST_ERROR = PRUNING_REL_TEST_ERROR

TAU_WITHIN = 0.1  # of every entry; the table prints two digits
U3_WITHIN = 2.0  # a factor, at both ends


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
class PrintedNumber:
    """A number of the paper and where a run has it."""

    quantity: str
    paper: tuple[float, ...]
    arm: Mapping[str, Any]
    measure: Callable[[StoredResult], tuple[float | None, ...]]


def printed_tables(lambda2: float = 0.0) -> list[PrintedNumber]:
    """The eight rows of the table of τ, trained with this penalty on τ."""
    return [
        PrintedNumber(
            f"τ, {NAMES[net]}{' + B.O.' if ordering else ''} {hidden}-{WIDTH}",
            values,
            arm(net=net, tau="learned", hidden=hidden, bias_ordering=ordering, lambda2=lambda2),
            lambda record: tuple(record.values.get("tau") or ()),
        )
        for (net, ordering, hidden), values in TAU.items()
    ]


def printed() -> list[PrintedNumber]:
    """0.07, the range of u₃, and the eight rows of the table of τ."""
    return [
        PrintedNumber(
            "relative test error, 5-10 ResNet + τ + B.O.",
            (PRUNING_REL_TEST_ERROR,),
            EXPERIMENT,
            lambda record: (record.values.get("rel_test_error"),),
        ),
        PrintedNumber(
            "range of u₃, Fractional-DNN + τ 2-50",
            U3_RANGE,
            arm(net="fractional", tau="learned", hidden=2),
            lambda record: (record.values.get("u3_min"), record.values.get("u3_max")),
        ),
        *printed_tables(),
    ]


def closest(results: Results) -> list[Closest]:
    """For each printed number the run that comes closest; numbers without a run are left out."""
    return _all_closest(results, printed())


def closest_with_penalty(results: Results) -> tuple[float, list[Closest]]:
    """The table of τ in the second reading: the λ₂ > 0 whose runs come closest, and its rows."""
    tried = {r.config["lambda2"] for r in results.select("net", tau="learned", width=WIDTH)}
    found = {
        lambda2: rows
        for lambda2 in sorted(tried - {0.0})
        if (rows := _all_closest(results, printed_tables(lambda2)))
    }
    if not found:
        return 0.0, []
    best = min(found, key=lambda value: (-len(found[value]), max(r.distance for r in found[value])))
    return best, found[best]


def _all_closest(results: Results, numbers: Iterable[PrintedNumber]) -> list[Closest]:
    found = (_closest(number, results.select("net", **number.arm)) for number in numbers)
    return [entry for entry in found if entry is not None]


def _closest(number: PrintedNumber, runs: Iterable[StoredResult]) -> Closest | None:
    measured = [(record, number.measure(record)) for record in runs]
    finite = [(r, m) for r, m in measured if len(m) == len(number.paper) and None not in m]
    if not finite:
        return None
    rows = np.array([m for _, m in finite], dtype=float)
    distances = np.abs(rows - np.array(number.paper)).max(axis=1)
    at = int(distances.argmin())
    return Closest(
        number.quantity,
        number.paper,
        tuple(rows[at].tolist()),
        float(distances[at]),
        tuple(rows.min(axis=0).tolist()),
        tuple(rows.max(axis=0).tolist()),
        len(finite),
        finite[at][0].key,
    )


def _tau_table(results: Results) -> Finding:
    rows = [entry for entry in closest(results) if entry.quantity.startswith("τ")]
    if len(rows) < len(TAU):
        return NotTested(TRAINING)
    hits = sum(row.distance <= TAU_WITHIN for row in rows)
    distances = [row.distance for row in rows]
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


def _fractional(results: Results) -> Results:
    return results.select("net", **arm(net="fractional", tau="learned", hidden=2))


def _near_printed_range(record: StoredResult) -> bool:
    low, high = record.values.get("u3_min"), record.values.get("u3_max")
    if low is None or high is None:
        return False
    ratios = (low / U3_RANGE[0], high / U3_RANGE[1])
    return all(1 / U3_WITHIN <= ratio <= U3_WITHIN for ratio in ratios)


NEAR_RANGE = (
    f"both ends within a factor of {U3_WITHIN:g} of the printed range in {{hits}} of {{runs}}"
)

CLAIMS = [
    Claim(
        name="table-of-tau",
        sentence="The learned τ of the eight nets are those of the table.",
        **quoted(
            "Section 7.1, Table 1",
            "“Optimal learned τ variables”: 32 numbers, all between 0.04 and 1",
        ),
        declared="2026-11-18 3d08c40a",
        criterion=f"some seed within {TAU_WITHIN:g} of every entry, in every row of the table",
        domain="the τ of a net",
        examine=_tau_table,
        note="the paper states neither the initial τ nor the weights; here τ₀ = 1",
    ),
    Claim(
        name="range-of-u3",
        sentence="For the 2-50 Fractional-DNN with learned τ, −0.0051 ≤ u₃ ≤ 0.0077 in the "
        "cylinder.",
        **quoted(
            "Section 7.1, on the quiver plots", "“inside Ω, we observe that −0.0051 ≤ u₃ ≤ 0.0077”"
        ),
        declared="2026-11-18 1b423aaf",
        domain="cylinder",
        criterion=f"both ends within a factor of {U3_WITHIN:g}, in most seeds",
        **is_true_of(_fractional, _near_printed_range, NEAR_RANGE, TRAINING),
    ),
]
