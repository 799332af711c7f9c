"""Several runs compared: their verdicts, their errors, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims import Entry, agreement
from bench.store.results import judged_by
from reports.competitors import competitors, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table, Value

TITLE = "Runs compared"
ORDER = 86


def contents(run: Run) -> list[Block]:
    if not run.others:
        return []
    runs = [run, *run.others]
    records = [record for each in runs for record in each.results]
    problems = contested(records)
    errors = [table for problem in problems if (table := _errors(runs, problem)).rows]
    rows = _by_claim(runs)
    return [_summary(runs, rows), *_contradictions(runs, rows), _verdicts(runs, rows), *errors]


Row = tuple[Entry | None, ...]  # one claim, in the order of the runs; None: not in its ledger


def _by_claim(runs: Sequence[Run]) -> list[Row]:
    """The claims that at least two runs have tested. A run of few studies has a short ledger."""
    ledgers = [{entry.claim.name: entry for entry in run.ledger} for run in runs]
    names = dict.fromkeys(name for entries in ledgers for name in entries)
    rows = [tuple(entries.get(name) for entries in ledgers) for name in names]
    return [row for row in rows if sum(map(_tested, row)) > 1]


def _tested(entry: Entry | None) -> bool:
    return entry is not None and entry.tested


def _together(row: Row) -> str:
    return agreement([entry for entry in row if entry is not None])


def _contradictory(row: Row) -> bool:
    return {"holds", "fails"} <= {entry.verdict for entry in row if entry is not None}


def _summary(runs: Sequence[Run], rows: Sequence[Row]) -> Paragraph:
    sizes = "; ".join(f"{run.name}: {len(run.results)} cells, {_seeds(run)}" for run in runs)
    return Paragraph(
        f"{sizes}. {_counts(rows)} A claim on which runs contradict each other is undecided."
    )


def _counts(rows: Sequence[Row]) -> str:
    """How many claims have the same verdict in all runs that tested them."""
    same = sum(len({e.verdict for e in row if e and _tested(e)}) == 1 for row in rows)
    return (
        f"Claims tested in several runs: {len(rows)}, with the same verdict: {same}, contradicted: "
        f"{sum(map(_contradictory, rows))}."
    )


def _seeds(run: Run) -> str:
    """Those that judge: `seeds 1000–1011`."""
    seeds = sorted({seed for record in run.results for seed in judged_by(record)})
    if not seeds:
        return "no seeds"
    whole = seeds == list(range(seeds[0], seeds[-1] + 1)) and len(seeds) > 1
    return f"seeds {seeds[0]}–{seeds[-1]}" if whole else f"{len(seeds)} seeds from {seeds[0]} on"


def _contradictions(runs: Sequence[Run], rows: Sequence[Row]) -> list[Block]:
    """With what each run saw, so that a reader need not look for it."""
    found = [row for row in rows if _contradictory(row)]
    if not found:
        return []
    columns = [Column("claim"), *(Column(run.name) for run in runs)]
    shown = [(_sentence(row), *map(_seen, row)) for row in found]
    caption = "Claims on which the runs contradict each other, with the evidence of each run."
    return [Table("runs-contradictions", caption, columns, shown)]


def _verdicts(runs: Sequence[Run], rows: Sequence[Row]) -> Table:
    columns = [Column("claim"), *(Column(run.name) for run in runs), Column("together")]
    shown = [(_sentence(row), *map(_in_full, row), _together(row)) for row in rows]
    caption = "The verdict of each run, and together, on the claims that several have tested."
    return Table("runs-verdicts", caption, columns, shown)


def _seen(entry: Entry | None) -> str:
    return f"{_in_full(entry)}. {entry.evidence}" if entry is not None else "–"


def _sentence(row: Row) -> str:
    return next(entry.claim.sentence for entry in row if entry is not None)


def _in_full(entry: Entry | None) -> str:
    if entry is None:
        return "–"
    return f"{entry.verdict}; {entry.standing}" if entry.standing else entry.verdict


def _errors(runs: Sequence[Run], problem: str) -> Table:
    """Only what several runs have in common; a track and a name stand for one variant."""
    fields = [
        {(c.name, c.information): c for c in competitors(run.results, problem)} for run in runs
    ]
    names = dict.fromkeys(name for field in fields for name in field)
    shared = [name for name in names if sum(name in field for field in fields) > 1]
    found = {name: [field.get(name) for field in fields] for name in shared}
    rows: list[tuple[Value, ...]] = [
        (
            *name,
            *(c.error if c else None for c in row),
            *(c.seconds_alone if c else None for c in row),
        )
        for name, row in found.items()
    ]
    columns = [
        Column("method"),
        Column("track"),
        *(Column(f"L² error, whole domain, {run.name}", "error") for run in runs),
        *(Column(f"seconds, {run.name}", "seconds") for run in runs),
    ]
    cells = tuple(key for row in found.values() for c in row if c for key in c.keys)
    return Table(
        f"runs-errors-{problem}",
        f"Methods of several runs on {problem}: L² error on the whole domain, medians over seeds.",
        columns,
        rows,
        Source(runs[0].command("training"), cells),
    )
