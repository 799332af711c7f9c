"""Two runs compared: errors, rates and times as ratios, verdicts, and agreement to digits.

Numbers a and b agree to d digits if |a − b| ≤ ½·10^(e − d + 1), where 10^e ≤ |a| < 10^(e + 1): half
a unit of a's last digit. Seeds fix weights and data, so that another machine differs by rounding
alone, which a long training magnifies: what does not agree is named, with the digits that do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

from bench.cells import is_timing, label_of
from bench.claims import ledger
from bench.measure.medians import median
from bench.measure.rates import observed_rate
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
Pairs = Sequence[tuple[StoredResult, StoredResult]]
Ledger = Sequence[Mapping[str, Any]]  # the verdicts as `verdicts.json` has them


@dataclass(frozen=True)
class Ratios:
    """One value over all cells of a kind that both runs have: b / a, median and spread."""

    kind: str
    value: str
    cells: int
    moved: int
    median: float
    low: float  # quartiles
    high: float
    worst: float  # farthest from 1
    worst_cell: str


@dataclass(frozen=True)
class Rate:
    """The order of convergence over the two finest meshes that both runs have."""

    series: str
    value: str
    a: float
    b: float


@dataclass(frozen=True)
class Comparison:
    """Two runs compared. `only_a` and `only_b` count cells that the other lacks."""

    common: int
    only_a: int
    only_b: int
    states: list[tuple[str, str, str]]  # cells that are done in one and diverged in the other
    errors: list[Ratios]
    times: list[Ratios]
    rates: list[Rate]
    verdicts: list[tuple[str, str, str, str]]  # that differ: claim, in a, in b, from both together


@dataclass(frozen=True)
class Deviation:
    """The value of a cell that agrees least; None where a run has no such number."""

    cell: str
    key: str
    value: str
    a: float | None
    b: float | None
    digits: float
    same_code: bool


@dataclass(frozen=True)
class KindTally:
    """Cells of a kind that have errors, and how many of them agree in all errors."""

    kind: str
    cells: int
    reproduced: int
    fewest_digits: float


@dataclass(frozen=True)
class Reproduction:
    """Which results of run a run b reproduces."""

    digits: int
    cells: int  # that both have, with errors in them
    reproduced: int
    values: int
    values_reproduced: int
    other_code: int  # cells whose code has changed in between
    kinds: list[KindTally]
    deviations: list[Deviation]  # one per cell that is not reproduced, the worst first


@dataclass(frozen=True)
class Agreement:
    """Two ledgers: what both have tested, and where they differ.

    `contradictions` are claims that hold in one and fail in the other.
    """

    tested: int
    same: int
    contradictions: list[tuple[str, str, str]]  # claim, in a, in b
    differing: list[tuple[str, str, str]]  # decided in one of them only


def compare(a: Iterable[StoredResult], b: Iterable[StoredResult]) -> Comparison:
    """Compare finished cells of the same key.

    A verdict that differs comes with that of all cells together.
    """
    ours, theirs = ({record.key: record for record in records} for records in (a, b))
    pairs = [(ours[key], theirs[key]) for key in ours if key in theirs]
    ledgers = [verdicts_of(records.values()) for records in (ours, theirs, ours | theirs)]
    return Comparison(
        common=len(pairs),
        only_a=len(ours) - len(pairs),
        only_b=len(theirs) - len(pairs),
        states=[(_label(x), x.state, y.state) for x, y in pairs if x.state != y.state],
        errors=ratios(pairs, is_error),
        times=ratios(pairs, is_seconds),
        rates=rates(pairs),
        verdicts=different_verdicts(*ledgers),
    )


def is_error(kind: str, name: str) -> bool:
    """Whether a value of this name should be small."""
    return ("error" in name or "mse" in name) and not is_timing(kind, name)


def is_seconds(kind: str, name: str) -> bool:
    """Whether a value of this name is a time."""
    return "seconds" in name and is_timing(kind, name)


def _label(record: StoredResult) -> str:
    return label_of(record.kind, record.config)


def ratios(pairs: Pairs, wanted: Callable[[str, str], bool]) -> list[Ratios]:
    """b / a of every wanted value, by kind; only where both are positive numbers."""
    found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for x, y in pairs:
        for name, value in x.values.items():
            other = y.values.get(name)
            if wanted(x.kind, name) and _positive(value) and _positive(other):
                ratio = min(max(other / value, FARTHEST[0]), FARTHEST[1])
                found[x.kind, name].append((ratio, _label(x)))
    return [_summary(kind, name, ratio) for (kind, name), ratio in sorted(found.items())]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _positive(value: Any) -> bool:
    return _number(value) and value > 0


def _summary(kind: str, name: str, labelled: list[tuple[float, str]]) -> Ratios:
    values = [ratio for ratio, _ in labelled]
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    worst, cell = max(labelled, key=lambda pair: abs(math.log(pair[0])))
    moved = sum(abs(ratio - 1) > SAME for ratio in values)
    return Ratios(kind, name, len(values), moved, median(values), low, high, worst, cell)


def rates(pairs: Pairs) -> list[Rate]:
    """Orders of convergence of every series of meshes that differ in n only."""
    series: dict[str, list[tuple[StoredResult, StoredResult]]] = defaultdict(list)
    for x, y in pairs:
        if "n" in x.config and _positive(x.values.get("h")):
            rest = {name: value for name, value in x.config.items() if name != "n"}
            series[label_of(x.kind, rest)].append((x, y))
    found = []
    for name, members in sorted(series.items()):
        if len(members) < 2:
            continue
        coarse, fine = sorted(members, key=lambda pair: pair[0].config["n"])[-2:]
        for value in ("l2_error", "hcurl_error"):
            a, b = (
                observed_rate(x.values, y.values, value) for x, y in zip(coarse, fine, strict=True)
            )
            if a is not None and b is not None:
                found.append(Rate(name, value, a, b))
    return found


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


def reproduction(
    a: Iterable[StoredResult], b: Iterable[StoredResult], digits: int = DIGITS
) -> Reproduction:
    """Compare the errors of a that b has too, cell by cell."""
    theirs = {record.key: record for record in b}
    pairs = [(record, theirs[record.key]) for record in a if record.key in theirs]
    cells = [values for x, y in pairs if (values := [*_deviations(x, y)])]
    worst = [min(values, key=lambda value: value.digits) for values in cells]
    tallies: dict[str, list[float]] = defaultdict(list)
    kinds = {x.key: x.kind for x, _ in pairs}
    for value in worst:
        tallies[kinds[value.key]].append(value.digits)
    return Reproduction(
        digits=digits,
        cells=len(cells),
        reproduced=sum(value.digits >= digits for value in worst),
        values=sum(map(len, cells)),
        values_reproduced=sum(value.digits >= digits for values in cells for value in values),
        other_code=sum(x.fingerprint != y.fingerprint for x, y in pairs),
        kinds=[
            KindTally(kind, len(fewest), sum(d >= digits for d in fewest), min(fewest))
            for kind, fewest in sorted(tallies.items())
        ],
        deviations=sorted(
            (value for value in worst if value.digits < digits), key=lambda value: value.digits
        ),
    )


def _deviations(a: StoredResult, b: StoredResult) -> Iterator[Deviation]:
    """Every error of a, at any depth of its values; a diverged result has none."""
    theirs = _errors(b)
    for name, value in _errors(a).items():
        yield Deviation(
            cell=_label(a),
            key=a.key,
            value=name,
            a=value,
            b=theirs.get(name),
            digits=agreeing_digits(value, theirs.get(name), square="mse" in name),
            same_code=a.fingerprint == b.fingerprint,
        )


def _errors(record: StoredResult) -> Mapping[str, float | None]:
    return {
        name: None if value is None else float(value)
        for name, value in leaves(record.values)
        if is_error(record.kind, name) and (value is None or _number(value))
    }


def verdicts_of(records: Iterable[StoredResult]) -> list[dict[str, Any]]:
    """The ledger of some results as `verdicts.json` has it."""
    return [entry.document() for entry in ledger(Results(list(records)))]


def different_verdicts(
    a: Ledger, b: Ledger, together: Ledger | None = None
) -> list[tuple[str, str, str, str]]:
    """Claims on which two ledgers differ: name, in a, in b, and the verdict of both together.

    Without the cells the last entry only says whether the two contradict each other.
    """
    joint = {entry["name"]: word_of(entry) for entry in together or ()}
    return [
        (name, x, y, joint.get(name, "contradict each other" if contradict else ""))
        for name, x, y, contradict in _both(a, b)
        if x != y
    ]


def agreement_of(a: Ledger, b: Ledger) -> Agreement:
    """Compare the claims that both ledgers have tested; a run of one study tests few of them."""
    words = [{e["name"]: word_of(e) for e in side if is_tested(e)} for side in (a, b)]
    rows = [row for row in _both(a, b) if row[0] in words[0] and row[0] in words[1]]
    same = {name for name, *_ in rows if words[0][name] == words[1][name]}
    return Agreement(
        tested=len(rows),
        same=len(same),
        contradictions=[(name, x, y) for name, x, y, contradict in rows if contradict],
        differing=[
            (name, x, y) for name, x, y, contradict in rows if name not in same and not contradict
        ],
    )


def _both(a: Ledger, b: Ledger) -> Iterator[tuple[str, str, str, bool]]:
    """Claim, verdict in a, verdict in b, and whether they contradict each other."""
    ours, theirs = ({entry["name"]: entry for entry in entries} for entries in (a, b))
    for name in dict.fromkeys((*ours, *theirs)):
        sides = [ours.get(name), theirs.get(name)]
        x, y = ("no entry" if entry is None else _in_full(entry) for entry in sides)
        words = {word_of(entry) for entry in sides if entry is not None}
        yield name, x, y, {"holds", "fails"} <= words


# The words of version 0.2.0, whose files have a `status` too.
EARLIER = {
    "does not hold": "fails",
    "not testable as stated": "not testable",
    "not tested yet": "not testable",
}


def word_of(entry: Mapping[str, Any]) -> str:
    """The verdict of an entry of `verdicts.json`, in today's words."""
    word = str(entry.get("status", entry["verdict"]))
    return EARLIER.get(word, word)


def is_tested(entry: Mapping[str, Any]) -> bool:
    """Whether the run of an entry had the cells that the claim needs."""
    return bool(entry.get("tested", entry.get("status") != "not tested yet"))


def _in_full(entry: Mapping[str, Any]) -> str:
    """`holds (confirmed)`."""
    standing = entry["standing"]
    return f"{word_of(entry)} ({standing})" if standing else word_of(entry)
