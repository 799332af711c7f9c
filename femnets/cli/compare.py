"""femnets compare: what changed between two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from bench.core.guards.text import one_line
from femnets.cli._output import show_json, show_table
from femnets.cli._runs import results_of

if TYPE_CHECKING:
    from bench.claims.comparison import Comparison, Ratios, Verdicts
    from bench.store.files import StoredResult

LEDGER, RESULTS = ".json", ".parquet"  # files that may be given instead of a run
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
    """Compare two runs: errors, times, verdicts, as B over A; and which errors agree to the digits
    that the report claims.

    If one is a `verdicts.json` (written by `--to verdicts`), only verdicts are compared.
    """
    from bench.claims.comparison import compare, compare_verdicts

    if a.endswith(LEDGER) or b.endswith(LEDGER):
        verdicts = compare_verdicts(ledger_of(a), ledger_of(b))
        if json_output:
            show_json({"verdicts": asdict(verdicts)})
        else:
            show_verdicts(verdicts, a, b)
        return
    ours, theirs = results_of(a), results_of(b)
    found = compare(ours, theirs)
    if not found.common and (a.endswith(RESULTS) or b.endswith(RESULTS)):
        raise UserError(f"{a} and {b} have no cell in common; run a study with the same settings")
    verdicts = compare_verdicts(ledger_of(a, ours), ledger_of(b, theirs))
    if json_output:
        show_json({**asdict(found), "verdicts": asdict(verdicts)})
    else:
        show(found, verdicts, a, b)


def ledger_of(name: str, records: list[StoredResult] | None = None) -> list[dict[str, Any]]:
    """Return the verdicts of a file or of a run.

    A `verdicts.json` next to a `results.parquet` is preferred: it was made with the curves of the
    cells, which the Parquet file does not have.
    """
    from bench.claims.comparison import verdicts_of

    if name.endswith(LEDGER):
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


def show(found: Comparison, verdicts: Verdicts, a: str, b: str) -> None:
    """Print counts, then a table each of errors, times, cells that differ and verdicts."""
    cells = f"{found.common} cells in both, {found.only_a} only in {a}, {found.only_b} only in {b}"
    typer.echo(one_line(cells))
    for label, before, after in found.states:
        typer.echo(one_line(f"{label}: {before} -> {after}"))
    if found.other_code:
        typer.echo(f"{found.other_code} of them were computed with different code")
    moved = [ratios for ratios in found.errors if ratios.moved]
    show_ratios("errors that moved", moved)
    show_ratios("times", found.times)
    typer.echo(f"{found.reproduced} of {found.cells} cells agree in all their errors to 3 digits")
    rows = (
        (
            n.cell,
            n.value,
            *("-" if x is None else f"{x:.4e}" for x in (n.a, n.b)),
            f"{n.digits:.1f}",
        )
        for n in found.deviations[:SHOWN]
    )
    rest = len(found.deviations) - SHOWN
    title = "not reproduced" + (f", worst {SHOWN}; --json lists {rest} more" if rest > 0 else "")
    show_table(("cell", "value", a, b, "digits"), rows, title=title)
    show_verdicts(verdicts, a, b)
    if found.common and not moved:
        other = found.states or found.only_a or found.only_b or verdicts.same < verdicts.tested
        typer.echo("no error moved" if other else "nothing moved: errors and verdicts agree")


def show_ratios(title: str, ratios: Iterable[Ratios]) -> None:
    rows = (
        (
            ratio.kind,
            ratio.value,
            str(ratio.numbers),
            str(ratio.moved),
            f"{ratio.median:.4g}",
            f"{ratio.low:.4g} to {ratio.high:.4g}",
            f"{ratio.worst:.4g}",
            ratio.worst_cell,
        )
        for ratio in ratios
    )
    columns = ("kind", "value", "numbers", "moved", "median", "quartiles", "farthest", "in")
    show_table(columns, rows, title=f"{title}, B / A")


def show_verdicts(found: Verdicts, a: str, b: str) -> None:
    """Print how many verdicts agree, and those that do not."""
    typer.echo(f"{found.tested} claims are tested in both: {found.same} have the same verdict")
    show_table(("claim", a, b), found.contradictions, title="verdicts that contradict each other")
    show_table(("claim", a, b), found.differing, title="verdicts that differ without contradiction")
