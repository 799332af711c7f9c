"""The record: how far a net of the paper's family comes, beside what else comes that far."""

from __future__ import annotations

from bench.store.results import Results, StoredResult, median
from reports.competitors import Competitor, competitors
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table, Value
from reports.formatting import number, scientific
from reports.names import net_name

STUDY = "record"

TITLE = "The record"
ORDER = 66
STUDIES = (STUDY,)
GAP = "the record has not been tried in this run."

COLUMNS = [
    Column("method"),
    Column("problem"),
    Column("inputs or data"),
    Column("samples", "count"),
    Column("seeds", "count"),
    Column("unknowns", "count"),
    Column("L² cube", "error"),
    Column("smallest", "error"),
    Column("largest", "error"),
    Column("L² training domain", "error"),
    Column("seconds", "seconds"),
    Column("search", "seconds"),
]


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    main = runs.records[0].config["problem"]
    rivals = _rivals(run, main, int(runs.records[0].config["samples"]))
    rows = [_net(group) for group in _groups(runs)] + [_rival(rival) for rival in rivals]
    text = (
        f"The recipe ({_recipe(runs.records[0])}) was chosen inside the cylinder and frozen, then "
        "run on other seeds, other inputs and another field. The rule that chose η (train on r ≤ "
        "1/√2, judge up to r = 1) was introduced after cube errors of the tuning seeds had been "
        f"seen. {_sentence(runs, main, rivals)}"
    )
    caption = (
        "The record beside methods without a net told equally many samples and the same inputs, "
        "and the best oracle of each element. The search for the record's recipe took place before "
        "and is not in its seconds."
    )
    source = run.source(STUDY, runs)
    return [Paragraph(text), Table(STUDY, caption, COLUMNS, rows, source)]


def _recipe(record: StoredResult) -> str:
    config = record.config
    return (
        f"{net_name(config)}, η = {config['eta']:g}, {config['samples']:,} of the samples, "
        f"{config['optimizer']}, {int(config['evaluations']):,} evaluations"
    )


def _groups(runs: Results) -> list[Results]:
    """Runs that differ by their seed only."""
    keys = dict.fromkeys((r.config["problem"], r.config["features"]) for r in runs)
    return [runs.select("net", problem=problem, features=features) for problem, features in keys]


def _net(group: Results) -> tuple[Value, ...]:
    errors = group.errors()
    first = group.records[0]
    config = first.config
    return (
        net_name(config),
        config["problem"],
        config["features"],
        config["samples"],
        len(group),
        int(first.values["parameters"]),
        group.median(),
        min(errors),
        max(errors),
        group.median("l2_error_inside"),
        group.median("seconds"),
        "not counted",
    )


def _rivals(run: Run, problem: str, samples: int) -> list[Competitor]:
    """Every baseline told as many samples with all inputs; of each element the best one solved."""
    field = [c for c in competitors(run.results, problem) if c.error]
    told = [
        c
        for c in field
        if (c.records[0].kind, c.features, c.declared.samples) == ("baseline", "x,f,phi", samples)
    ]
    oracles = [c for c in field if c.information == "field"]
    best = [
        min((c for c in oracles if c.look == element), key=lambda c: c.error or 0.0)
        for element in sorted({c.look for c in oracles})
    ]
    return sorted([*told, *best], key=lambda c: c.error or 0.0)


def _rival(competitor: Competitor) -> tuple[Value, ...]:
    errors = Results(competitor.records).errors()
    return (
        competitor.name,
        competitor.problem,
        competitor.features,
        competitor.declared.samples,
        competitor.seeds,
        competitor.unknowns,
        competitor.error,
        min(errors),
        max(errors),
        competitor.median("l2_error_inside"),
        competitor.seconds_alone,
        competitor.tuning,
    )


def _sentence(runs: Results, problem: str, rivals: list[Competitor]) -> str:
    first = runs.records[0].config
    group = runs.select("net", problem=problem, features=first["features"])
    middle = median(group.errors())
    sentences = [
        f"On {problem} its L² error on the whole cube is {scientific(middle)} in the median of "
        f"{len(group)} seeds."
    ]
    for rival in rivals:
        sentences.append(f"{rival.name} ({rival.unknowns:,} unknowns): {_beside(rival, middle)}.")
    return " ".join(sentences)


def _beside(rival: Competitor, middle: float) -> str:
    assert rival.error is not None
    factor = rival.error / middle
    where = (
        f"{number(factor)} times above it" if factor > 1 else f"{number(1 / factor)} times below"
    )
    return f"{scientific(rival.error)}, {where}"
