"""Several runs side by side: their verdicts and their errors, and where they contradict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.claims import Entry, agreement
from reports.contenders import contenders, contested
from reports.context import Run
from reports.document import Block, Column, Paragraph, Source, Table, Value

TITLE = "Runs compared"
ORDER = 61
STUDIES = ()
GAP = ""


def contents(run: Run) -> list[Block]:
    if not run.others:
        return []
    runs = [run, *run.others]
    records = [record for each in runs for record in each.results]
    problems = contested(records)
    errors = [_errors(runs, problem) for problem in problems]
    return [_summary(runs), _verdicts(runs), *errors]


def _summary(runs: Sequence[Run]) -> Paragraph:
    together = Counter(_in_short(agreement(entries)) for entries in _by_claim(runs))
    counts = ", ".join(f"{number} {words}" for words, number in together.most_common())
    sizes = "; ".join(f"{run.name}: {len(run.results)} cells" for run in runs)
    return Paragraph(
        f"{sizes}. Claims together: {counts}. A claim that runs decide against each other depends "
        "on the seed and counts as undecided."
    )


def _in_short(words: str) -> str:
    return words.partition(" (")[0].partition(":")[0]


def _by_claim(runs: Sequence[Run]) -> list[tuple[Entry, ...]]:
    return list(zip(*(run.ledger for run in runs), strict=True))


def _verdicts(runs: Sequence[Run]) -> Table:
    columns = [Column("claim"), *(Column(run.name) for run in runs), Column("together")]
    rows = [
        (entries[0].claim.sentence, *(_in_full(entry) for entry in entries), agreement(entries))
        for entries in _by_claim(runs)
    ]
    return Table("runs-verdicts", "The verdict of each run, and together.", columns, rows)


def _in_full(entry: Entry) -> str:
    return f"{entry.verdict}; {entry.standing}" if entry.standing else entry.verdict


def _errors(runs: Sequence[Run], problem: str) -> Table:
    """Only what several runs have in common; a track and a name stand for one variant."""
    fields = [{(c.name, c.track): c for c in contenders(run.results, problem)} for run in runs]
    names = dict.fromkeys(name for field in fields for name in field)
    shared = [name for name in names if sum(name in field for field in fields) > 1]
    found = {name: [field.get(name) for field in fields] for name in shared}
    rows: list[tuple[Value, ...]] = [
        (*name, *(c.error if c else None for c in row), *(c.seconds if c else None for c in row))
        for name, row in found.items()
    ]
    columns = [
        Column("method"),
        Column("track"),
        *(Column(f"L² cube, {run.name}", "error") for run in runs),
        *(Column(f"seconds, {run.name}", "seconds") for run in runs),
    ]
    cells = tuple(key for row in found.values() for c in row if c for key in c.keys)
    return Table(
        f"runs-errors-{problem}",
        f"Methods that several runs have in common, problem {problem}: medians over seeds.",
        columns,
        rows,
        Source(runs[0].command("training"), cells),
    )
