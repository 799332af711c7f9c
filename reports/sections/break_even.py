"""Break-even: after how many points or solves a net's training is paid back."""

from __future__ import annotations

from math import isinf

from bench.store.results import Results
from reports.contenders import Contender, contenders, contested, entrant
from reports.context import Run
from reports.decision import POINTS, QUESTIONS, Conditions
from reports.decision.break_even import FEWEST, BreakEven, Count, break_even
from reports.document import Block, Column, Missing, Paragraph, Section, Table, Value
from reports.formatting import count, scientific

TITLE = "When a net pays off"
ORDER = 32
STUDIES = ()  # whatever competes
GAP = ""

COLUMNS = [
    Column("required L² error", "error"),
    Column("net"),
    Column("told"),
    Column("training", "seconds"),
    Column("its search", "seconds"),
    Column("net, per point", "seconds"),
    Column("element"),
    Column("told"),
    Column("seconds", "seconds"),
    Column("element, per point", "seconds"),
    Column("ahead after points"),
    Column("ahead after solves"),
]


def contents(run: Run) -> list[Block | Section]:
    fields = {problem: contenders(run.results, problem) for problem in contested(run.results)}
    nets = any(c.is_net for field in fields.values() for c in field)
    if not nets or not any(_is_element(c) for field in fields.values() for c in field):
        return []
    found = {problem: pay_backs(field) for problem, field in fields.items()}
    tables = [_table(run, problem, rows, fields[problem]) for problem, rows in found.items()]
    text = (
        "A net costs its training once and little per point; a finite element of equal error costs "
        "its solve and its own price per point. The count is the number of evaluated points after "
        "which the net has cost less in all, or the number of solves if the element is computed "
        f"anew each time and evaluated at {POINTS:,} points. What samples of the field cost is not "
        f"counted. {_never(found)}"
    )
    return [Paragraph(text), *tables]


def headline(run: Run) -> str:
    """Whether evaluations ever pay a net's training back."""
    fields = [contenders(run.results, problem) for problem in contested(run.results)]
    rows = [row for field in fields for row in pay_backs(field)]
    if not rows:
        return ""
    paid = [row for row in rows if not isinf(row.points.middle)]
    at_once = sum(row.points.middle == 0 for row in paid)
    later = sorted(row.points.middle for row in paid if row.points.middle > 0)
    typical = f", after {_number(later[len(later) // 2])} points in the median" if later else ""
    return (
        f"**Evaluations pay a net's training back in {len(paid)} of {len(rows)} comparisons** with "
        f"a finite element at equal error: at once in {at_once}, later in {len(later)}{typical}."
    )


def pay_backs(field: list[Contender]) -> list[BreakEven]:
    """Nets told samples against elements fitted to as many of them, measured where these lie; any
    net against elements that were told the equation or the field, measured everywhere."""
    nets = [c for c in field if c.is_net]
    elements = [c for c in field if _is_element(c)]
    fitted = [c for c in elements if c.track == "fit"]
    found: list[BreakEven] = []
    for samples in sorted({c.appearance.samples or 0 for c in fitted}):
        ours, theirs = (
            [entrant(c) for c in side if c.track == "fit" and c.appearance.samples == samples]
            for side in (nets, fitted)
        )
        found += break_even(ours, theirs)
    others = [entrant(c) for c in elements if c.track != "fit"]
    for track in sorted({c.track for c in nets}):
        ours = [entrant(c, everywhere=True) for c in nets if c.track == track]
        found += break_even(ours, others)
    return found


def _is_element(contender: Contender) -> bool:
    return contender.appearance.family == "finite element"


def _never(found: dict[str, list[BreakEven]]) -> str:
    """How often the answer is never, computed."""
    rows = [row for rows in found.values() for row in rows]
    never = sum(isinf(row.points.middle) for row in rows)
    at_once = sum(row.points.middle == 0 for row in rows)
    return (
        f"Of {len(rows)} comparisons the training is never paid back by evaluations in {never}, "
        f"and was cheaper than the element to begin with in {at_once}."
    )


def _table(run: Run, problem: str, rows: list[BreakEven], field: list[Contender]) -> Block:
    if not rows:
        return Missing(
            f"on {problem} no net and no element of this run reach a common required error.",
            run.command("strong_nets"),
        )
    source = [r for c in field if c.is_net or _is_element(c) for r in c.records]
    return Table(
        f"break-even-{problem}",
        f"Break-even on {problem}: of the nets the one that is trained soonest, its search "
        "included, against the cheapest mesh of each element that was computed and reaches the "
        "same error. Nothing is extrapolated. In brackets 95 % intervals over the net's seeds, of "
        f"fewer than {FEWEST} seeds their range. Elements fitted to samples are compared where the "
        "samples lie, all others on the whole domain.",
        COLUMNS,
        [_row(row) for row in rows],
        run.made_by(Results(source)),
    )


def _row(row: BreakEven) -> tuple[Value, ...]:
    net, element = row.net, row.element
    return (
        row.required,
        net.entrant.name,
        told(net.entrant.conditions),
        net.seconds,
        net.search,
        net.per_point,
        element.entrant.name,
        told(element.entrant.conditions),
        element.seconds,
        element.per_point,
        _points(row),
        shown(row.solves),
    )


def told(conditions: Conditions) -> str:
    if conditions.samples is None:
        return QUESTIONS[conditions.track]
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
    return count(round(value)) if value < 1e5 else scientific(value, 1)
