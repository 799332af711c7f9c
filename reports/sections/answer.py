"""The answer first: one paragraph and one figure, then the table to decide by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bench.store.results import Results
from reports.contenders import Contender, contenders, contested
from reports.context import Run
from reports.decision import SITUATIONS, Decision, decide
from reports.document import Block, Column, Missing, Paragraph, Picture, Section, Table, Value
from reports.figures.comparison import undrawn, work_precision
from reports.formatting import number, scientific, show
from reports.names import element_look

TITLE = "The answer"
ORDER = 10
STUDIES = ()  # whatever competes
GAP = ""

PAPER_ELEMENT = element_look("N0")


def contents(run: Run) -> list[Block | Section]:
    fields = {problem: contenders(run.results, problem) for problem in _problems(run.results)}
    if not fields:
        return [Missing("there are no results yet.", run.command("training"))]
    main = "maxwell" if "maxwell" in fields else next(iter(fields))
    return [
        Paragraph(_answer(main, fields[main])),
        Picture(
            "work-precision",
            f"Work and precision on {main}: L² error on the cube against seconds and unknowns. "
            "Oracle lines are told the field everywhere; nets and least squares are told samples "
            f"in the cylinder. Lower and further left is better.{_not_drawn(fields[main])}",
            partial(work_precision, fields[main]),
            f"Work-precision diagram. {_answer(main, fields[main])}",
            run.made_by(Results([r for c in fields[main] for r in c.records])),
        ),
        _table(run, fields),
    ]


def _not_drawn(field: Sequence[Contender]) -> str:
    names = undrawn(field)
    return f" Without an error on the cube, and so not drawn: {', '.join(names)}." if names else ""


def _problems(results: Results) -> list[str]:
    return contested(results)


def _answer(problem: str, field: Sequence[Contender]) -> str:
    """Who is best in each track, and what the best net is beside its strongest rivals."""
    sentences = []
    net = _best([c for c in field if c.is_net])
    rival = _best([c for c in field if c.track == "fit" and not c.is_net])
    oracle = _best([c for c in field if c.track == "oracle"])
    n0 = _best([c for c in field if c.track == "oracle" and c.look == PAPER_ELEMENT])
    if net:
        sentences.append(
            f"On {problem} the best net is {net.name}: L² error {_error(net)} on the cube, "
            f"{show(net.seconds, 'seconds')} of training, median of {net.seeds} seeds."
        )
    if net and rival:
        sentences.append(
            f"Told the same samples and no more, {rival.name} reaches {_error(rival)} in "
            f"{show(rival.seconds, 'seconds')}: {_versus(net, rival)}."
        )
    if n0:
        sentences.append(
            f"The finest lowest-order mesh of this run ({n0.name}, {n0.unknowns:,} unknowns) has "
            f"{_error(n0)}."
        )
    if oracle and n0 and oracle is not n0:
        sentences.append(
            f"The strongest oracle is {oracle.name} with {oracle.unknowns:,} unknowns: "
            f"{_error(oracle)} in {show(oracle.seconds, 'seconds')}."
        )
    return " ".join(sentences)


def _best(field: Sequence[Contender]) -> Contender | None:
    able = [c for c in field if c.error]
    return min(able, key=lambda c: c.error or 0.0) if able else None


def _error(contender: Contender) -> str:
    return scientific(contender.error or 0.0)


def _versus(net: Contender, rival: Contender) -> str:
    assert net.error is not None
    assert rival.error is not None
    factor = net.error / rival.error
    if factor > 1:
        return f"{number(factor)} times below the net"
    return f"{number(1 / factor)} times above the net"


def _table(run: Run, fields: dict[str, list[Contender]]) -> Table:
    columns = [
        Column("situation"),
        Column("field"),
        Column("required L² error", "error"),
        Column("winner"),
        Column("its error", "error"),
        Column("its cost", "seconds"),
        Column("reached in"),
        Column("cheapest net"),
        Column("its cost", "seconds"),
    ]
    rows = [
        _row(problem, _kind(field), decision)
        for problem, field in fields.items()
        for decision in decide(field)
        if any(c.track in SITUATIONS[decision.situation][0] for c in field)
    ]
    return Table(
        "decision",
        "Who wins, computed: the cheapest method that reaches the required error. One solve: told "
        "the equation, cost to compute. Only data: told samples in the cylinder, error there, cost "
        "to fit. Many queries: error on the cube, cost per evaluated point.",
        columns,
        rows,
        run.made_by(Results([r for field in fields.values() for c in field for r in c.records])),
    )


def _kind(field: Sequence[Contender]) -> str:
    """What the cells say of their problem."""
    said = {r.values.get("smooth") for c in field for r in c.records}
    return "singular" if False in said else "smooth" if True in said else "not said"


def _row(problem: str, kind: str, decision: Decision) -> tuple[Value, ...]:
    winner, net = decision.winner, decision.net
    return (
        decision.situation,
        f"{problem} ({kind})",
        decision.required,
        winner.name if winner else "nobody in this run",
        decision.error,
        decision.cost,
        f"{decision.reached} of {winner.seeds}" if winner else None,
        net.name if net else "none",
        decision.net_cost,
    )
