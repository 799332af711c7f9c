"""Whether another run reproduces a result: cell by cell, to the digits that the report claims.

Numbers a and b agree to d digits if |a − b| ≤ ½·10^(e − d + 1), where 10^e ≤ |a| < 10^(e + 1): half
a unit of a's last digit. Seeds fix weights and data, so that another machine differs by rounding
alone, which a long training magnifies: what does not agree is named, with the digits that do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bench.cells import is_timing, label_of
from bench.store.files import StoredResult
from bench.store.tables import leaves

DIGITS = 3  # one more than the report shows of an error: 1.2·10⁻⁴
EXACT = 16  # digits of numbers that are the same
# An L² error below it is what summation leaves over, and has no digits (a mean square may be this
# small in earnest: it is the square of an error).
ROUNDING = 1e-11


@dataclass(frozen=True)
class Deviation:
    """The value of a cell that agrees least; None where a run has no number there."""

    cell: str
    key: str
    value: str
    a: float | None
    b: float | None
    digits: float
    same_code: bool


@dataclass(frozen=True)
class KindTally:
    """Cells of a kind that have errors, and how many of them agree in all."""

    kind: str
    cells: int
    reproduced: int
    fewest_digits: float


@dataclass(frozen=True)
class Reproduction:
    """What of run a is found again in b."""

    digits: int
    cells: int  # that both have, with errors in them
    reproduced: int
    values: int
    values_reproduced: int
    other_code: int  # cells whose code has changed in between
    kinds: list[KindTally]
    deviations: list[Deviation]  # one per cell that is not reproduced, the worst first

    def document(self) -> dict[str, Any]:
        return asdict(self)


def is_error(kind: str, name: str) -> bool:
    """Whether a value of this name should be small."""
    return ("error" in name or "mse" in name) and not is_timing(kind, name)


def agreeing_digits(a: float | None, b: float | None, *, square: bool = False) -> float:
    """To how many digits b is a; 0 where one of them is no number, `EXACT` where they are equal."""
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


def reproduction(
    a: Iterable[StoredResult], b: Iterable[StoredResult], digits: int = DIGITS
) -> Reproduction:
    """Of the errors of a, those that b has too."""
    theirs = {record.key: record for record in b}
    pairs = [(record, theirs[record.key]) for record in a if record.key in theirs]
    tallies: dict[str, list[float]] = defaultdict(list)
    deviations, values, agreed = [], 0, 0
    for ours, other in pairs:
        found = [*_compared(ours, other)]
        if not found:
            continue
        worst = min(found, key=lambda deviation: deviation.digits)
        tallies[ours.kind].append(worst.digits)
        values += len(found)
        agreed += sum(deviation.digits >= digits for deviation in found)
        if worst.digits < digits:
            deviations.append(worst)
    return Reproduction(
        digits=digits,
        cells=sum(map(len, tallies.values())),
        reproduced=sum(map(len, tallies.values())) - len(deviations),
        values=values,
        values_reproduced=agreed,
        other_code=sum(x.fingerprint != y.fingerprint for x, y in pairs),
        kinds=[
            KindTally(kind, len(fewest), sum(d >= digits for d in fewest), min(fewest))
            for kind, fewest in sorted(tallies.items())
        ],
        deviations=sorted(deviations, key=lambda deviation: deviation.digits),
    )


def _compared(a: StoredResult, b: StoredResult) -> Iterator[Deviation]:
    """Every error of a, however deep it stands in the values; a diverged one has none."""
    ours, theirs = _errors(a), _errors(b)
    for name, value in ours.items():
        digits = agreeing_digits(value, theirs.get(name), square="mse" in name)
        yield Deviation(
            cell=label_of(a.kind, a.config),
            key=a.key,
            value=name,
            a=value,
            b=theirs.get(name),
            digits=digits,
            same_code=a.fingerprint == b.fingerprint,
        )


def _errors(record: StoredResult) -> Mapping[str, float | None]:
    return {
        name: None if value is None else float(value)
        for name, value in leaves(record.values)
        if is_error(record.kind, name) and (value is None or _number(value))
    }


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
