"""Two runs compared: errors by digits and ratios, times as ratios, and verdicts.

Numbers a and b agree to d digits if |a − b| ≤ ½·10^(e − d + 1), where 10^e ≤ |a| < 10^(e + 1): half
a unit of a's last digit. Seeds fix weights and data, so that another machine differs by rounding
alone, which a long training magnifies: what does not agree is named, with the digits that do.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

from bench.cells import is_timing, label_of
from bench.claims import ledger
from bench.measure.medians import median
from bench.store.files import StoredResult
from bench.store.results import Results
from bench.store.tables import leaves

SAME = 1e-9  # relative: below it, rounding on another machine
FARTHEST = (1e-300, 1e300)  # ratios that a float can represent
DIGITS = 3  # one more than the report shows of an error: 1.2·10⁻⁴
EXACT = 16  # digits of numbers that are the same
# An L² error below it is rounding of the summation and has no correct digits (a mean square can
# really be this small: it is the square of an error).
ROUNDING = 1e-11
Ledger = Sequence[Mapping[str, Any]]  # the verdicts as `verdicts.json` has them


@dataclass(frozen=True)
class Number:
    """A number of a cell that both runs have; None where a run has no such number."""

    cell: str
    kind: str
    value: str
    a: float | None
    b: float | None
    digits: float  # to which they agree

    @property
    def ratio(self) -> float | None:
        """b / a where both are positive."""
        if not self.a or not self.b or min(self.a, self.b) <= 0:
            return None
        return min(max(self.b / self.a, FARTHEST[0]), FARTHEST[1])


@dataclass(frozen=True)
class Ratios:
    """One value over all cells of a kind that both runs have: b / a, median and spread."""

    kind: str
    value: str
    numbers: int
    moved: int
    fewest_digits: float
    median: float
    low: float  # quartiles
    high: float
    worst: float  # farthest from 1
    worst_cell: str


@dataclass(frozen=True)
class Verdicts:
    """Two ledgers: how many claims both have tested, and those whose verdicts differ.

    `contradictions` are claims that hold in one and fail in the other.
    """

    tested: int
    same: int
    contradictions: list[tuple[str, str, str]]  # claim, in a, in b
    differing: list[tuple[str, str, str]]


@dataclass(frozen=True)
class Comparison:
    """Two runs compared. `only_a` and `only_b` count cells that the other lacks; `cells` have
    errors in both, `reproduced` of them agree to three digits in all."""

    common: int
    only_a: int
    only_b: int
    other_code: int  # cells whose code has changed in between
    states: list[tuple[str, str, str]]  # cells that are done in one and diverged in the other
    cells: int
    reproduced: int
    errors: list[Ratios]
    times: list[Ratios]
    deviations: list[Number]  # one per cell that is not reproduced, the worst first


def compare(a: Iterable[StoredResult], b: Iterable[StoredResult]) -> Comparison:
    """Compare finished cells of the same key."""
    ours, theirs = ({record.key: record for record in records} for records in (a, b))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    errors, times = ([_numbers(x, y, wanted) for x, y in pairs] for wanted in (is_error, is_time))
    worst = [min(numbers, key=lambda n: n.digits) for numbers in errors if numbers]
    lost = sorted((n for n in worst if n.digits < DIGITS), key=lambda n: n.digits)
    return Comparison(
        common=len(pairs),
        only_a=len(ours) - len(pairs),
        only_b=len(theirs) - len(pairs),
        other_code=sum(x.fingerprint != y.fingerprint for x, y in pairs),
        states=[(_label(x), x.state, y.state) for x, y in pairs if x.state != y.state],
        cells=len(worst),
        reproduced=len(worst) - len(lost),
        errors=_ratios(errors),
        times=_ratios(times),
        deviations=lost,
    )


def is_error(kind: str, name: str) -> bool:
    """Whether a value of this name should be small."""
    return ("error" in name or "mse" in name) and not is_timing(kind, name)


def is_time(kind: str, name: str) -> bool:
    """Whether a value of this name is a time."""
    return "seconds" in name and is_timing(kind, name)


def _label(record: StoredResult) -> str:
    return label_of(record.kind, record.config)


def _numbers(a: StoredResult, b: StoredResult, wanted: Callable[[str, str], bool]) -> list[Number]:
    """The wanted numbers of a, at any depth of its values, with those of b."""
    theirs, label = dict(leaves(b.values)), _label(a)
    numbers = []
    for name, x in leaves(a.values):
        if wanted(a.kind, name) and _number(x):
            y = theirs.get(name) if _number(theirs.get(name)) else None
            digits = agreeing_digits(x, y, square="mse" in name)
            numbers.append(Number(label, a.kind, name, x, y, digits))
    return numbers


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _ratios(cells: Iterable[Sequence[Number]]) -> list[Ratios]:
    """A summary by kind and value; entries of a list are one value."""
    found: dict[tuple[str, str], list[Number]] = defaultdict(list)
    for number in (number for numbers in cells for number in numbers):
        if number.ratio is not None:
            found[number.kind, re.sub(r"\[\d+\]", "", number.value)].append(number)
    return [_summary(*place, numbers) for place, numbers in sorted(found.items())]


def _summary(kind: str, value: str, numbers: Sequence[Number]) -> Ratios:
    ratios = [number.ratio or 1.0 for number in numbers]
    low, _, high = quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    worst, at = max(zip(ratios, numbers, strict=True), key=lambda pair: abs(math.log(pair[0])))
    moved = sum(abs(ratio - 1) > SAME for ratio in ratios)
    fewest = min(number.digits for number in numbers)
    return Ratios(
        kind, value, len(ratios), moved, fewest, median(ratios), low, high, worst, at.cell
    )


def agreeing_digits(a: float | None, b: float | None, *, square: bool = False) -> float:
    """The number of digits to which a and b agree; 0 if one is None, `EXACT` if they are equal."""
    if a == b:
        return EXACT
    if a is None or b is None:
        return 0.0
    if not square and max(abs(a), abs(b)) < ROUNDING:
        return EXACT
    if a == 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(abs(a)))
    return min(max(1 - math.log10(2 * abs(a - b) / unit), 0.0), float(EXACT))


def verdicts_of(records: Iterable[StoredResult]) -> list[dict[str, Any]]:
    """The ledger of some results as `verdicts.json` has it."""
    return [entry.document() for entry in ledger(Results(list(records)))]


def compare_verdicts(a: Ledger, b: Ledger) -> Verdicts:
    """Compare the claims that both ledgers have tested; a run of one study tests few of them."""
    ours, theirs = ({e["name"]: e for e in side if _is_tested(e)} for side in (a, b))
    rows = [(ours[name], theirs[name]) for name in ours if name in theirs]
    differing = [(x, y) for x, y in rows if _word(x) != _word(y)]
    opposed = [{_word(x), _word(y)} == {"holds", "fails"} for x, y in differing]
    named = [(x["name"], _in_full(x), _in_full(y)) for x, y in differing]
    return Verdicts(
        tested=len(rows),
        same=len(rows) - len(differing),
        contradictions=[row for row, opposite in zip(named, opposed, strict=True) if opposite],
        differing=[row for row, opposite in zip(named, opposed, strict=True) if not opposite],
    )


# The words of version 0.2.0, whose files have a `status` too.
EARLIER = {
    "does not hold": "fails",
    "not testable as stated": "not testable",
    "not tested yet": "not testable",
}


def _word(entry: Mapping[str, Any]) -> str:
    """The verdict of an entry of `verdicts.json`, in today's words."""
    word = str(entry.get("status", entry["verdict"]))
    return EARLIER.get(word, word)


def _is_tested(entry: Mapping[str, Any]) -> bool:
    """Whether the run of an entry had the cells that the claim needs."""
    return bool(entry.get("tested", entry.get("status") != "not tested yet"))


def _in_full(entry: Mapping[str, Any]) -> str:
    """`holds (confirmed)`."""
    standing = entry["standing"]
    return f"{_word(entry)} ({standing})" if standing else _word(entry)
