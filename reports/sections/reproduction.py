"""The paper's setting and printed numbers: what it states, how near runs come, what hangs on it."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims.reproduction import SETTING, Closest, closest, closest_with_penalty
from bench.claims.sensitivity import QUESTIONS, Answer, answers, data_and_weights
from reports.context import Run
from reports.document import Block, Column, Paragraph, Section, Source, Table, Value

TITLE = "The paper's numbers"
ORDER = 45
STUDIES = ()  # the ledger names the runs that are missing
GAP = ""

NUMBERS = [
    Column("quantity"),
    Column("the paper's"),
    Column("closest run"),
    Column("largest difference", "number"),
    Column("smallest to largest of all runs"),
    Column("runs", "count"),
]


def contents(run: Run) -> list[Block | Section]:
    found = closest(run.results)
    lambda2, penalised = closest_with_penalty(run.results)
    varied = _sensitivity(run)
    if not found and not penalised and not varied:
        return []
    blocks: list[Block] = [_setting()]
    if found:
        text = (
            "γ, the starting τ, the starting weights and the line search are not stated in the "
            "paper, so a number can only be approached; the spread over seeds says how near is "
            "near."
        )
        caption = "The printed numbers and the closest reproduction in this run."
        blocks += [Paragraph(text), _numbers(run, "reproduction", caption, found)]
    if penalised:
        caption = (
            f"The second reading of the table of τ, λ₂ = {lambda2:g}: the paper's MSE rises while "
            "J falls, so a penalty was active, and all printed τ are at most 1."
        )
        blocks.append(_numbers(run, "reproduction-with-penalty", caption, penalised))
    return [*blocks, *varied]


def _setting() -> Table:
    rows = [(c.quantity, c.stated or "left open", c.ours, c.varied) for c in SETTING]
    columns = [Column(t) for t in ("setting", "the paper states", "assumed here", "varied in")]
    caption = "The setting of Section 7: what the paper states, leaves open, and what was assumed."
    return Table("setting", caption, columns, rows)


def _numbers(run: Run, name: str, caption: str, found: Sequence[Closest]) -> Table:
    rows = [
        (
            entry.quantity,
            _row(entry.paper),
            _row(entry.ours),
            entry.distance,
            f"{_row(entry.low)} to {_row(entry.high)}",
            entry.runs,
        )
        for entry in found
    ]
    source = Source(run.command("training"), tuple(entry.cell for entry in found))
    return Table(name, caption, NUMBERS, rows, source)


def _row(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3g}" for value in values)


def _sensitivity(run: Run) -> list[Block | Section]:
    """Every comparison of the paper under every change of what it leaves open."""
    seen = {question: answers(run.results, question) for question in QUESTIONS}
    changes = [answer.change for answer in next(iter(seen.values()))]
    if len(changes) < 2:
        return []
    cells = tuple(key for answer in seen[QUESTIONS[0]] for key in answer.found.cells)
    rows: list[list[Value]] = [
        [change, *(_effect(seen[question][at]) for question in QUESTIONS)]
        for at, change in enumerate(changes)
    ]
    columns = [Column("change"), *(Column(q.name.replace("-", " ")) for q in QUESTIONS)]
    pairs = seen[QUESTIONS[0]][0].found.comparison.pairs
    caption = (
        f"What hangs on what the paper leaves open: median ratio over {pairs} seeds, below one "
        "where the paper's finding holds, with one choice changed at a time; * decided, two-sided, "
        "Holm over the changes. Fewer samples and steps than the paper's."
    )
    text = ""
    if shares := data_and_weights(run.results):
        weights, data, rest = (f"{share:.0%}" for share in shares)
        text = (
            f" Of the spread of log train_mse at the base point {weights} come from the starting "
            f"weights, {data} from the data and {rest} from both together."
        )
    source = Source(run.command("sensitivity"), cells)
    return [Table("sensitivity", caption + text, columns, rows, source)]


def _effect(answer: Answer) -> str:
    mark = "" if answer.sign == "undecided" else "*"
    return f"{answer.found.comparison.ratio:.2f}{mark}"
