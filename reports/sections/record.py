"""The record: the smallest error of a net of the paper's family, compared with other methods."""

from __future__ import annotations

from bench.store.results import Results
from reports.competitors import Competitor, competitors
from reports.context import Run
from reports.document import Block, Column, Paragraph, Table, Value
from reports.names import net_name
from reports.tables import grouped

STUDY = "record"

TITLE = "The record"
ORDER = 66
STUDIES = (STUDY,)
GAP = "the recipe of the record was not run."

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
    first = runs.records[0].config
    rivals = _rivals(run, first["problem"], int(first["samples"]))
    groups = grouped(runs, "problem", "features").values()
    rows = [_net(group) for group in groups] + [_rival(rival) for rival in rivals]
    text = (
        f"The recipe ({net_name(first)}, η = {first['eta']:g}, {first['samples']:,} samples, "
        f"{first['optimizer']}, {int(first['evaluations']):,} evaluations) was chosen inside the "
        "cylinder, frozen, and then run on other seeds, other inputs and another field "
        "([[record]]). The rule that chose η (train on r ≤ 1/√2, judge up to r = 1) was introduced "
        "after cube errors of the tuning seeds had been seen."
    )
    caption = (
        "The record compared with methods without a net that are given equally many samples and "
        "the same inputs, and with the best approximation by each element. The search for the "
        "record's recipe took place before and is not in its seconds."
    )
    return [Paragraph(text), Table(STUDY, caption, COLUMNS, rows, run.source(STUDY, runs))]


def _net(group: Results) -> tuple[Value, ...]:
    config, errors = group.records[0].config, group.errors()
    return (
        net_name(config),
        *(config[name] for name in ("problem", "features", "samples")),
        len(group),
        int(group.records[0].values["parameters"]),
        group.median(),
        min(errors),
        max(errors),
        group.median("l2_error_inside"),
        group.median("seconds"),
        "not counted",
    )


def _rivals(run: Run, problem: str, samples: int) -> list[Competitor]:
    """Every baseline with as many samples and all inputs; of each element the best mesh."""
    field = [c for c in competitors(run.results, problem) if c.error]
    baselines = [
        c
        for c in field
        if (c.records[0].kind, c.features, c.declared.samples) == ("baseline", "x,f,phi", samples)
    ]
    oracles = [c for c in field if c.information == "field"]
    best = [
        min((c for c in oracles if c.look == element), key=lambda c: c.error or 0.0)
        for element in sorted({c.look for c in oracles})
    ]
    return sorted([*baselines, *best], key=lambda c: c.error or 0.0)


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
