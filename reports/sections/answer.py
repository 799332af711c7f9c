"""The answer first: one paragraph and one figure, then the table to decide by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from math import isinf

from bench.store.results import Results
from reports.contenders import Contender, contenders, contested, entrant
from reports.context import Run
from reports.decision import POINTS, QUESTIONS, Decision, Entrant, Miss, alike, decide
from reports.document import Block, Column, Missing, Paragraph, Picture, Section, Table, Value
from reports.figures.comparison import undrawn, work_precision
from reports.figures.first_page import told_panels
from reports.first_page import TOLD, Fields, matrix
from reports.formatting import number, scientific, show
from reports.names import element_look

TITLE = "The answer"
ORDER = 10
STUDIES = ()  # whatever competes
GAP = ""

PAPER_ELEMENT = element_look("N0")


def headline(run: Run) -> str:
    """Told the field or samples of it: how often a net wins, and by how much it loses."""
    fields = Fields.of(run)
    sentences = [_for_told(fields, track, words) for track, words in HEADLINES.items()]
    return " ".join(sentence for sentence in sentences if sentence)


HEADLINES = {"fit": "Told samples of the field"}


def _for_told(fields: Fields, track: str, words: str) -> str:
    """`**Told samples of the field, a net wins in 1 of 16 situations.** At 1e-4 on maxwell …`"""
    decided = [
        decision
        for problem in fields.by_problem
        for decision in fields.decisions(problem, track)
        if decision.winner is not None
    ]
    if not decided:
        return ""
    won = sum(d.winner is not None and d.winner.entrant.is_net for d in decided)
    times = "never" if won == 0 else f"in {won} of {len(decided)} situations"
    return f"**{words}, a net wins {times}.** " + _closest(decided)


def _closest(decided: Sequence[Decision]) -> str:
    """The situation in which a net comes nearest to the winner, or wins by most."""
    both = [d for d in decided if d.winner and d.net]
    if not both:
        return "No net reaches any error that something else reaches."
    best = min(both, key=lambda d: d.net.cost / d.winner.cost if d.net and d.winner else 0.0)
    winner, net, second = best.winner, best.net, best.runner_up
    assert winner is not None
    assert net is not None
    where = f"At {scientific(best.required, 0)} on `{best.conditions.problem}`"
    if winner.entrant.is_net:
        rival = (
            f", {number(best.factor or 1.0)} times sooner than {second.entrant.name}"
            if second
            else ""
        )
        return (
            f"{where} it is {winner.entrant.name} after {show(winner.seconds, 'seconds')}{rival}."
        )
    factor = net.cost / winner.cost
    return (
        f"It comes nearest {where[0].lower()}{where[1:]}: {net.entrant.name} needs "
        f"{show(net.seconds, 'seconds')}, {number(factor)} times the cost of {winner.entrant.name}."
    )


def article(run: Run) -> list[Block | Section]:
    """Who wins, by what is told: one figure, one small table, the claims that compare."""
    fields = Fields.of(run)
    main = fields.main
    if main is None:
        return []
    field = [c for track in TOLD for c in fields.fullest(main, track)]
    drawable = [c for c in field if c.error]
    blocks: list[Block | Section] = [Paragraph(_answer(main, fields.by_problem[main]))]
    if drawable:
        caption = (
            f"{_message(fields, main)} Problem `{main}`, work against error: blue are finite "
            "elements, orange nets along their training (medians over seeds), grey linear models. "
            "Methods in different panels were told different things and are not to be compared."
        )
        source = run.made_by(Results([r for c in drawable for r in c.records]))
        picture = partial(told_panels, drawable)
        blocks.append(Picture("told", caption, picture, _answer(main, field), source))
    table = matrix(fields)
    if table is not None:
        every = Results([r for f in fields.by_problem.values() for c in f for r in c.records])
        blocks.append(replace(table, source=run.made_by(every)))
    return blocks


def _message(fields: Fields, problem: str) -> str:
    """Who has the smallest error in each panel."""
    parts = []
    for track, told in TOLD.items():
        best = _best(fields.fullest(problem, track))
        if best is not None:
            parts.append(f"told {told} {best.appearance.series} ({_error(best)})")
    return f"The smallest errors: {', '.join(parts)}."


def contents(run: Run) -> list[Block | Section]:
    fields = {problem: contenders(run.results, problem) for problem in _problems(run.results)}
    if not fields:
        missing = Missing("there are no results yet.", run.command("training"))
        return [] if len(run.results) else [missing]
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
        *_tables(run, fields),
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
    rival = _best([c for c in field if net and not c.is_net and c.conditions == net.conditions])
    oracle = _best([c for c in field if c.track == "oracle"])
    n0 = _best([c for c in field if c.track == "oracle" and c.look == PAPER_ELEMENT])
    if net:
        sentences.append(
            f"On {problem} the best net is {net.name}: L² error {_error(net)} on the cube, "
            f"{show(net.seconds_alone, 'seconds')} of training{_search(net)}, median of "
            f"{net.seeds} seeds."
        )
    if net and rival:
        sentences.append(
            f"{_told(net)}, {rival.name} reaches {_error(rival)} in "
            f"{show(rival.seconds_alone, 'seconds')}{_search(rival)}: {_versus(net, rival)}."
        )
    elif net:
        sentences.append(
            f"No method without a net was told what it was told ({net.appearance.told})."
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


def _told(net: Contender) -> str:
    """What a rival has in common with it; both have equal conditions."""
    samples = net.appearance.samples
    if samples is None:
        return "Told the same"
    return f"Told equally many samples ({samples:,}) and the same inputs ({net.features})"


def _search(contender: Contender) -> str:
    """` and 3.1 s of search for its settings`"""
    seconds = contender.seconds_tuning
    if seconds is None:
        return " (the search for its settings was done before and is not counted)"
    return f" and {show(seconds, 'seconds')} of search for its settings" if seconds else ""


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


def _tables(run: Run, fields: dict[str, list[Contender]]) -> list[Block]:
    """One table per question: what is a method told?"""
    everybody = [c for field in fields.values() for c in field]
    kinds = {problem: _kind(field) for problem, field in fields.items()}
    blocks: list[Block] = []
    for track, told in QUESTIONS.items():
        able = [c for c in everybody if c.track == track]
        if not able:
            blocks.append(Missing(f"no method of this run was told {told}.", _COMMANDS[track](run)))
            continue
        blocks.append(_table(run, track, told, able, kinds))
    return blocks


_COMMANDS = {
    "fit": lambda run: run.command("baselines"),
    "solve": lambda run: run.command("boundary_value"),
    "oracle": lambda run: run.command("convergence"),
}


def _table(
    run: Run, track: str, told: str, field: Sequence[Contender], kinds: Mapping[str, str]
) -> Table:
    samples = [Column("samples", "count"), Column("inputs")] if track == "fit" else []
    columns = [
        Column("field"),
        *samples,
        Column("required L² error"),
        Column("winner"),
        Column("time to it", "seconds"),
        Column("search", "seconds"),
        Column("per point", "seconds"),
        Column("reached in"),
        Column("runner-up"),
        Column("times the cost", "ratio"),
        Column("cheapest net"),
        Column("times the cost", "ratio"),
    ]
    decisions = decide(entrant(c) for c in field)
    rows = [_row(group, kinds) for group in _groups(decisions)]
    where = "in the cylinder, where the samples lie" if track == "fit" else "on the whole domain"
    return Table(
        f"decision-{track}",
        f"You are told {told}: the cheapest method that reaches the required error {where}. Only "
        "methods told the same meet in a row. Cost is the time until the error is reached, read "
        f"off the recorded curve, and {POINTS:,} evaluated points; the search for its settings is "
        "not in it and has a column of its own.",
        columns,
        rows,
        run.made_by(Results([r for c in field for r in c.records])),
    )


def _kind(field: Sequence[Contender]) -> str:
    """What the cells say of their problem."""
    said = {r.values.get("smooth") for c in field for r in c.records}
    return "singular" if False in said else "smooth" if True in said else "not said"


def _groups(decisions: Sequence[Decision]) -> list[list[Decision]]:
    """Neighbouring required errors with one answer share a row."""
    groups: list[list[Decision]] = []
    for decision in decisions:
        if groups and alike(groups[-1][-1], decision):
            groups[-1].append(decision)
        else:
            groups.append([decision])
    return groups


def _row(group: Sequence[Decision], kinds: Mapping[str, str]) -> tuple[Value, ...]:
    decision, conditions = group[-1], group[-1].conditions
    samples = (conditions.samples, conditions.inputs) if conditions.track == "fit" else ()
    threads = f", {conditions.threads} threads" if conditions.threads > 1 else ""
    field = f"{conditions.problem} ({kinds[conditions.problem]}){threads}"
    errors = dict.fromkeys(scientific(each.required, 0) for each in (group[0], group[-1]))
    head = (field, *samples, " to ".join(errors))
    winner, second, net = decision.winner, decision.runner_up, decision.net
    if winner is None:
        nearest, reason = _nearest(decision.miss)
        return (*head, f"nobody; nearest {nearest}", *(None,) * 4, reason, *(None,) * 3)
    return (
        *head,
        f"{_short(winner.entrant)}, {scientific(winner.error)}",
        winner.seconds,
        winner.search,
        winner.per_point,
        f"{winner.reached} of {winner.seeds}",
        _short(second.entrant) if second else "nobody else",
        decision.factor,
        _short(net.entrant) if net else _no_net(decision),
        net.cost / winner.cost if net else None,
    )


def _no_net(decision: Decision) -> str:
    """None that reaches it is not the same as none that was entered."""
    return f"none of {decision.nets}" if decision.nets else "none entered"


def _nearest(miss: Miss | None) -> tuple[str, str]:
    assert miss is not None
    error = "no error" if isinf(miss.error) else scientific(miss.error)
    return f"{_short(miss.entrant)}, {error}", miss.reason


def _short(entrant: Entrant) -> str:
    """Its name without what the row says anyway."""
    conditions = entrant.conditions
    said = (f" ({conditions.inputs})", f", {conditions.samples} samples")
    return reduce(lambda name, part: name.replace(part, ""), said, entrant.name)
