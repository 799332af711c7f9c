"""Break-even: after how many points or solves a net's training is paid back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import isinf

from bench.claims.effects import FEWEST
from bench.core.information import INFORMATION
from bench.store.results import Results
from reports.competitors import Competitor, competitors, contested
from reports.context import Run
from reports.decision import POINTS, Conditions
from reports.decision.break_even import BreakEven, Count, break_even
from reports.document import (
    Block,
    Column,
    Formula,
    Paragraph,
    Picture,
    Section,
    Table,
    Value,
)
from reports.figures.break_even import pay_back_counts
from reports.formatting import count, scientific

TITLE = "When a net pays off"
ORDER = 59
STUDIES = ()  # whatever competes
GAP = ""

COLUMNS = [
    Column("required L² error", "error"),
    Column("given to both"),
    Column("net"),
    Column("training", "seconds"),
    Column("its search", "seconds"),
    Column("net, per point", "seconds"),
    Column("element"),
    Column("seconds", "seconds"),
    Column("element, per point", "seconds"),
    Column("ahead after points"),
    Column("ahead after solves"),
]


TEXT = Paragraph(
    "A net costs T seconds to train, once, and p per point; a finite element of equal error t "
    "to compute and q per point. The break-even count is the number N of evaluated points "
    "after which the net has cost less in all; or the number of solves, if the element is "
    f"computed again each time and evaluated at {POINTS:,} points."
)
FORMULA = Formula(
    'T + N p <= t + N q quad arrow.l.r.double quad N >= (T - t) / (q - p) quad "if" q > p',
    "The net is ahead once T plus N p is at most t plus N q, that is from N = (T − t)/(q − p) on.",
)


def contents(run: Run) -> list[Block | Section]:
    found, fields = _found(run)
    if not found:
        return []
    tables = [_table(run, problem, rows, fields[problem]) for problem, rows in found.items()]
    return [TEXT, FORMULA, *_picture(run, found, fields), *tables]


def _picture(
    run: Run, found: Mapping[str, list[BreakEven]], fields: Mapping[str, list[Competitor]]
) -> list[Block]:
    """The counts as one figure."""
    if not any(found.values()):
        return []
    looks = {
        c.declared.series: c.look for field in fields.values() for c in field if _is_element(c)
    }
    caption = (
        "Number of evaluated points after which a net has cost less than an element, by required "
        "error: the net that is trained soonest, its search included where it was counted, "
        "compared with the cheapest mesh of each element that is given the same and reaches that "
        "error; intervals over the net's seeds."
    )
    records = [r for problem in found for c in fields[problem] for r in c.records]
    draw = partial(pay_back_counts, found, looks)
    return [Picture("pay-back", caption, draw, caption, run.made_by(Results(records)))]


def _found(run: Run) -> tuple[dict[str, list[BreakEven]], dict[str, list[Competitor]]]:
    """By problem on which nets and elements are given the same."""
    fields = {problem: competitors(run.results, problem) for problem in contested(run.results)}
    met = {problem: field for problem, field in fields.items() if shared(field)}
    return {problem: pay_backs(field) for problem, field in met.items()}, fields


def shared(field: Sequence[Competitor]) -> list[tuple[list[Competitor], list[Competitor]]]:
    """Nets and elements by the conditions under which both were computed."""
    groups: dict[Conditions, tuple[list[Competitor], list[Competitor]]] = {}
    for c in field:
        if c.is_net or _is_element(c):
            groups.setdefault(c.conditions, ([], []))[0 if c.is_net else 1].append(c)
    return [both for both in groups.values() if all(both)]


def pay_backs(field: Sequence[Competitor]) -> list[BreakEven]:
    """Nets against elements under equal conditions; `break_even` refuses others."""
    return [
        row
        for nets, elements in shared(field)
        for row in break_even([c.method for c in nets], [c.method for c in elements])
    ]


def _is_element(competitor: Competitor) -> bool:
    return competitor.declared.family == "finite element"


def _table(run: Run, problem: str, rows: list[BreakEven], field: list[Competitor]) -> Block:
    if not rows:
        return Paragraph(
            f"On `{problem}` no net and no element of this run reach a common required error."
        )
    source = [r for c in field if c.is_net or _is_element(c) for r in c.records]
    return Table(
        f"break-even-{problem}",
        f"Break-even on {problem}: the net that is trained soonest, search included where counted, "
        "compared with the cheapest mesh of each element that is given the same and reaches the "
        "same error. Nothing is extrapolated. In brackets 95 % intervals over the net's seeds, of "
        f"fewer than {FEWEST} seeds their range.",
        COLUMNS,
        [_row(row) for row in rows],
        run.made_by(Results(source)),
    )


def _row(row: BreakEven) -> tuple[Value, ...]:
    net, element = row.net, row.element
    return (
        row.required,
        given(net.method.conditions),
        net.method.name,
        net.seconds,
        net.search,
        net.per_point,
        element.method.name,
        element.seconds,
        element.per_point,
        _points(row),
        shown(row.solves),
    )


def given(conditions: Conditions) -> str:
    if conditions.samples is None:
        return INFORMATION[conditions.information].title
    return f"{conditions.samples:,} samples, {conditions.inputs}"


def _points(row: BreakEven) -> str:
    ends = "" if isinf(row.lead_ends) else f", behind after {_number(row.lead_ends)}"
    return shown(row.points) + (ends if row.points.middle == 0 else "")


def shown(found: Count) -> str:
    """`3.1·10⁵ (2.0·10⁵ to never)`; `at once`, `never`."""
    middle = _number(found.middle)
    if found.seeds == 1:
        return f"{middle} (one seed)"
    low, high = _number(found.low), _number(found.high)
    return middle if low == high == middle else f"{middle} ({low} to {high})"


def _number(value: float) -> str:
    if isinf(value):
        return "never"
    if value == 0:
        return "at once"
    return count(float(f"{value:.2g}")) if value < 1e5 else scientific(value, 1)
