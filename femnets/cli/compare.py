"""femnets compare: what changed between two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from femnets.cli._json import show_json
from femnets.cli._runs import results_of
from femnets.cli._tables import plain, show_table

if TYPE_CHECKING:
    from bench.claims.comparison import Agreement, Comparison, Ratios, Reproduction
    from bench.store.files import StoredResult

VERDICTS, RESULTS = ".json", ".parquet"  # files that may be given instead of a run
VERDICT_PARTS = ("name", "verdict", "standing")
MOST_VERDICTS_BYTES = 2**24
SHOWN = 20  # at most so many cells that are not reproduced are listed in a terminal


def command(
    a: Annotated[
        str,
        typer.Argument(
            help="The run before: a name under runs/, a path, a results.parquet or a verdicts.json."
        ),
    ],
    b: Annotated[str, typer.Argument(help="The run after.")],
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Compare two runs: errors, rates, times, verdicts, as B over A.

    If one is a `results.parquet` (written by `femnets export RUN --to kept`), cells are compared:
    whether B has A's errors to the digits that the report claims, and how verdicts differ.
    If one is a `verdicts.json` (written by `--to verdicts`), only verdicts are compared.
    """
    if a.endswith(VERDICTS) or b.endswith(VERDICTS):
        compare_verdicts(a, b, json_output)
    elif a.endswith(RESULTS) or b.endswith(RESULTS):
        compare_digits(a, b, json_output)
    else:
        compare_runs(a, b, json_output)


def compare_runs(a: str, b: str, json_output: bool) -> None:
    """Compare two runs that both have their folders."""
    from bench.claims.comparison import compare

    found = compare(results_of(a), results_of(b))
    show_json(asdict(found)) if json_output else show(found, a, b)


def compare_digits(a: str, b: str, json_output: bool) -> None:
    """Compare the cells of two runs, at least one of which is a `results.parquet`."""
    from bench.claims.comparison import agreement_of, reproduction

    ours, theirs = results_of(a), results_of(b)
    if not {record.key for record in ours} & {record.key for record in theirs}:
        raise UserError(f"{a} and {b} have no cell in common; run a study with the same settings")
    found = reproduction(ours, theirs)
    verdicts = agreement_of(ledger_of(a, ours), ledger_of(b, theirs))
    if json_output:
        show_json({**asdict(found), "verdicts": asdict(verdicts)})
    else:
        show_reproduction(found, a, b)
        show_agreement(verdicts, a, b)


def compare_verdicts(a: str, b: str, json_output: bool) -> None:
    """Compare the verdicts of two runs, at least one of which is a `verdicts.json`."""
    from bench.claims.comparison import different_verdicts

    rows = different_verdicts(ledger_of(a), ledger_of(b))
    if json_output:
        show_json({"verdicts": rows})
    elif rows:
        show_verdicts(rows, a, b)
    else:
        typer.echo("no verdict differs")


def ledger_of(name: str, records: list[StoredResult] | None = None) -> list[dict[str, Any]]:
    """Return the verdicts of a file or of a run.

    A `verdicts.json` next to a `results.parquet` is preferred: it was made with the curves of the
    cells, which the Parquet file does not have.
    """
    from bench.claims.comparison import verdicts_of

    if name.endswith(VERDICTS):
        return read_verdicts(Path(name))
    ledger = Path(name).with_name("verdicts.json")
    if name.endswith(RESULTS) and ledger.exists():
        return read_verdicts(ledger)
    return verdicts_of(results_of(name) if records is None else records)


def read_verdicts(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a `verdicts.json`, checked."""
    from bench.core.guards.reading import Unfit, json_object, plain_bytes

    try:
        document = json_object(plain_bytes(path, MOST_VERDICTS_BYTES))
        entries: list[dict[str, Any]] = document["verdicts"]
        for entry in entries:
            if not all(isinstance(entry[part], str) for part in VERDICT_PARTS):
                raise Unfit("a verdict has a field that is not text")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(
            f"{path} has no valid verdicts; `femnets export RUN --to verdicts` writes such a file"
        ) from None
    return entries


def show(found: Comparison, a: str, b: str) -> None:
    """Print counts, then a table each of errors, times, rates and verdicts."""
    cells = f"{found.common} cells in both, {found.only_a} only in {a}, {found.only_b} only in {b}"
    typer.echo(plain(cells))
    for label, before, after in found.states:
        typer.echo(plain(f"{label}: {before} -> {after}"))
    moved = [ratio for ratio in found.errors if ratio.moved]
    show_ratios("errors that moved", moved)
    show_ratios("times", found.times)
    rates = [(r.series, r.value, f"{r.a:.3f}", f"{r.b:.3f}") for r in found.rates]
    changed = [rate for rate in rates if rate[2] != rate[3]]
    show_table(("series", "error", a, b), changed, title="rates over the two finest meshes")
    show_verdicts(found.verdicts, a, b)
    if found.common and not moved:
        same = not (found.states or changed or found.verdicts or found.only_a or found.only_b)
        typer.echo("nothing moved: errors, rates and verdicts agree" if same else "no error moved")


def show_ratios(title: str, ratios: Iterable[Ratios]) -> None:
    rows = (
        (
            ratio.kind,
            ratio.value,
            str(ratio.cells),
            str(ratio.moved),
            f"{ratio.median:.4g}",
            f"{ratio.low:.4g} to {ratio.high:.4g}",
            f"{ratio.worst:.4g}",
            ratio.worst_cell,
        )
        for ratio in ratios
    )
    columns = ("kind", "value", "cells", "moved", "median", "quartiles", "farthest", "in")
    show_table(columns, rows, title=f"{title}, B / A")


def show_verdicts(rows: Iterable[tuple[str, ...]], a: str, b: str) -> None:
    show_table(("claim", a, b, "together"), rows, title="verdicts that differ")


def show_reproduction(found: Reproduction, a: str, b: str) -> None:
    """Print how many cells agree, by kind, and those that do not."""
    typer.echo(
        f"{found.reproduced} of {found.cells} cells that both have agree in all their errors to "
        f"{found.digits} digits ({found.values_reproduced} of {found.values} numbers)"
    )
    if found.other_code:
        typer.echo(f"{found.other_code} of them were computed with different code")
    kinds = (
        (tally.kind, str(tally.cells), str(tally.reproduced), f"{tally.fewest_digits:.1f}")
        for tally in found.kinds
    )
    show_table(("kind", "cells", "reproduced", "fewest digits"), kinds)
    rest = len(found.deviations) - SHOWN
    rows = (
        (
            deviation.cell,
            deviation.value,
            *("-" if n is None else f"{n:.4e}" for n in (deviation.a, deviation.b)),
            f"{deviation.digits:.1f}",
        )
        for deviation in found.deviations[:SHOWN]
    )
    title = "not reproduced" + (f", worst {SHOWN}; --json lists {rest} more" if rest > 0 else "")
    show_table(("cell", "value", a, b, "digits"), rows, title=title)


def show_agreement(found: Agreement, a: str, b: str) -> None:
    """Print how many verdicts agree, and those that do not."""
    typer.echo(
        f"{found.tested} claims are tested in both: {found.same} have the same verdict, "
        f"{len(found.contradictions)} contradict each other"
    )
    show_table(("claim", a, b), found.contradictions, title="verdicts that contradict each other")
    show_table(("claim", a, b), found.differing, title="verdicts that differ without contradiction")
