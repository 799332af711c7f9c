"""Several runs compared: their verdicts, their errors, and contradictions."""

from __future__ import annotations

from collections.abc import Sequence

from bench.claims import Entry, agreement
from bench.store.results import judged_by
from reports.competitors import competitors, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table

TITLE = "Runs compared"
ORDER = 86


def contents(run: Run) -> list[Block]:
    if not run.others:
        return []
    runs = [run, *run.others]
    problems = contested(record for each in runs for record in each.results)
    return [_summary(runs), _verdicts(runs), *(_errors(runs, problem) for problem in problems)]


Row = tuple[Entry | None, ...]  # one claim, in the order of the runs; None: not tested there


def _by_claim(runs: Sequence[Run]) -> list[Row]:
    """The claims that at least two runs have tested, contradictions first. A run of few studies has
    a short ledger."""
    ledgers = [{e.claim.name: e for e in run.ledger if e.tested} for run in runs]
    names = dict.fromkeys(name for entries in ledgers for name in entries)
    rows = [tuple(entries.get(name) for entries in ledgers) for name in names]
    found = [row for row in rows if len(row) - row.count(None) > 1]
    return sorted(found, key=lambda row: not _contradictory(row))


def _known(row: Row) -> list[Entry]:
    return [entry for entry in row if entry is not None]


def _contradictory(row: Row) -> bool:
    return {"holds", "fails"} <= {entry.verdict for entry in _known(row)}


def _summary(runs: Sequence[Run]) -> Paragraph:
    """How many claims have the same verdict in all runs that tested them."""
    rows = _by_claim(runs)
    sizes = "; ".join(f"{run.name}: {len(run.results)} cells, {_seeds(run)}" for run in runs)
    same = sum(len({entry.verdict for entry in _known(row)}) == 1 for row in rows)
    return Paragraph(
        f"{sizes}. Claims tested in several runs: {len(rows)}, with the same verdict: {same}, "
        f"contradicted: {sum(map(_contradictory, rows))}. A claim on which runs contradict each "
        "other is undecided."
    )


def _seeds(run: Run) -> str:
    """Those that judge: `seeds 1000–1011`."""
    seeds = sorted({seed for record in run.results for seed in judged_by(record)})
    if not seeds:
        return "no seeds"
    whole = seeds == list(range(seeds[0], seeds[-1] + 1)) and len(seeds) > 1
    return f"seeds {seeds[0]}–{seeds[-1]}" if whole else f"{len(seeds)} seeds from {seeds[0]} on"


def _verdicts(runs: Sequence[Run]) -> Table:
    columns = [Column("claim"), *(Column(run.name) for run in runs), Column("together")]
    shown = [
        (_known(row)[0].claim.sentence, *(_seen(e, _contradictory(row)) for e in row),
         agreement(_known(row)))
        for row in _by_claim(runs)
    ]  # fmt: skip
    caption = (
        "The verdict of each run, and together, on the claims that several have tested; where they "
        "contradict each other with the evidence of each."
    )
    return Table("runs-verdicts", caption, columns, shown)


def _seen(entry: Entry | None, in_full: bool) -> str:
    if entry is None:
        return "–"
    words = f"{entry.verdict}; {entry.standing}" if entry.standing else entry.verdict
    return f"{words}. {entry.evidence}" if in_full else words


def _errors(runs: Sequence[Run], problem: str) -> Table:
    """Only what several runs have in common; a track and a name stand for one variant."""
    fields = [
        {(c.name, c.information): c for c in competitors(run.results, problem)} for run in runs
    ]
    names = dict.fromkeys(name for field in fields for name in field)
    found = {name: [field.get(name) for field in fields] for name in names}
    shared = {name: row for name, row in found.items() if len(row) - row.count(None) > 1}
    rows = [
        (*name, *(c and c.error for c in row), *(c and c.seconds_alone for c in row))
        for name, row in shared.items()
    ]
    columns = [
        *map(Column, ("method", "track")),
        *(Column(f"L² error, whole domain, {run.name}", "error") for run in runs),
        *(Column(f"seconds, {run.name}", "seconds") for run in runs),
    ]
    cells = tuple(key for row in shared.values() for c in row if c for key in c.keys)
    caption = (
        f"Methods of several runs on {problem}: L² error on the whole domain, medians over seeds."
    )
    source = Source(runs[0].command("training"), cells)
    return Table(f"runs-errors-{problem}", caption, columns, rows, source)
