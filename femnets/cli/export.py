"""femnets export: results for pandas, DuckDB and ParaView."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from femnets.cli._shared import Run

if TYPE_CHECKING:
    from bench.store.files import StoredResult
    from bench.store.run import Run as StoredRun
    from reports.context import Run as ReportedRun

VERDICTS = "verdicts.json"


class Format(StrEnum):
    csv = "csv"
    parquet = "parquet"
    vtu = "vtu"
    verdicts = "verdicts"
    results = "results"
    kept = "kept"


def command(
    run: Run,
    to: Annotated[
        Format,
        typer.Option(
            help="csv, parquet: tables; vtu: fields for ParaView; verdicts: the ledger as JSON; "
            "results: one file of results and one of curves, for `femnets run --reuse`; "
            "kept: report, results, curves and verdicts, for readers without the run folder."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Directory for the files; default: export/ in the run.")
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="kept: another run, or a results.parquet, to compare it with and include.",
        ),
    ] = None,
    plug: Annotated[
        list[str] | None,
        typer.Option(help="vtu: a file that the run's own problem or net came from, ./mine.py."),
    ] = None,
    n: Annotated[
        int,
        typer.Option(
            min=1, max=128, help="vtu: cells per side for nets; for finite elements the maximum."
        ),
    ] = 16,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Export results: tidy long tables (cells, values, arrays, joined by key), fields, verdicts, or
    all that a reader without the run folder needs."""
    from bench.core.guards.output import folder_for, no_link
    from bench.store import run as stored
    from bench.store.folder import Store, run_path
    from bench.store.vtu import write_fields
    from femnets.cli._output import show_paths
    from femnets.cli._runs import results_of, show_faults
    from femnets.user_files import used

    used(plug or [])
    store = Store(run_path(run))
    folder = folder_for(out or no_link(store.path / "export"), "--out")
    if others and to is not Format.kept:
        raise UserError("--with needs --to kept")
    if to is Format.kept:
        show_paths(keep(store.path, [*map(stored.run_or_file, others or [])], folder), json_output)
        return show_faults()
    if to is Format.results:
        show_paths(keep_results(stored.Run.read(store.path), folder), json_output)
        return 0
    records = results_of(run)
    if to is Format.vtu:
        paths = write_fields(records, folder, n)
    else:
        paths = write(records, store.path.name, folder, to)
    show_paths(paths, json_output)
    return 0


def keep(path: Path, others: list[Path], folder: Path) -> list[Path]:
    """Write what a reader without the run folder needs, and return the paths: report.html and
    report.pdf, compared with the others; the results of all runs; of the first the curves that the
    article draws, and the ledger."""
    from bench.core.guards.output import folder_for, no_link, write_whole
    from reports import compile_report
    from reports.context import Run

    run = Run.read(path, others)
    for reason in run.refused.values():
        raise UserError(reason)
    if not run.records:
        raise UserError(
            f"the run in {path} has no results yet; `femnets status` says what is missing"
        )
    inside = folder_for(no_link(path / "kept"), "--out")  # a second export reuses it
    reports = compile_report(path, out=inside, others=others)
    for report in reports:
        write_whole(folder / report.name, report.read_bytes())
    results, curves = keep_results(run, folder)
    write_ledger(run, results, folder / VERDICTS)
    return [*(folder / report.name for report in reports), results, curves, folder / VERDICTS]


def keep_results(run: StoredRun, folder: Path) -> list[Path]:
    """Write the results of a run and of those it is compared with, and the curves of the first."""
    from bench.store.curves import CURVES, write_curves
    from bench.store.parquet import RESULTS
    from bench.store.run import write_runs

    write_runs(folder / RESULTS, [run, *run.others])
    write_curves(folder / CURVES, run.records)
    return [folder / RESULTS, folder / CURVES]


def write_ledger(run: ReportedRun, results: Path, path: Path) -> None:
    """Write the ledger of a run, and where all of it comes from; `results` is
    the file of cells that it belongs to, named with size and checksum."""
    from dataclasses import asdict

    from bench.claims.comparison import compare_verdicts, verdicts_of
    from bench.store.files import checksum

    verdicts = verdicts_of(run)
    data = results.read_bytes()
    compared = [
        {
            "run": other.name,
            "provenance": other.provenance,
            "agreement": asdict(compare_verdicts(verdicts, verdicts_of(other))),
        }
        for other in run.others
    ]
    document = {
        "run": run.name,
        "results": {"file": results.name, "bytes": len(data), "checksum": checksum(data)},
        "provenance": run.provenance,
        "with": compared,
        "verdicts": verdicts,
    }
    write_json(path, document)


def write(records: list[StoredResult], run: str, folder: Path, to: Format) -> list[Path]:
    """Write the verdicts, or one file per table, and return the paths."""
    from bench.claims.comparison import verdicts_of
    from bench.core.guards.text import printable
    from bench.store.tables import tables

    if to is Format.verdicts:
        document = {"run": printable(run), "verdicts": verdicts_of(records)}
        write_json(folder / VERDICTS, document)
        return [folder / VERDICTS]
    writer = {Format.csv: write_csv, Format.parquet: write_parquet}[to]
    found = {folder / f"{name}.{to}": rows for name, rows in tables(records).items()}
    for path, rows in found.items():
        writer(path, rows)
    return [*found]


def write_json(path: Path, document: dict[str, Any]) -> None:
    import json

    from bench.core.guards.output import write_whole
    from bench.core.plain_values import finite

    text = json.dumps(finite(document), indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    import csv

    from bench.core.guards.output import written_whole
    from bench.store.tables import columns

    with written_whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns(rows))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    from bench.core.guards.output import written_whole
    from bench.store.parquet import import_pyarrow
    from bench.store.tables import columns, uniform

    pyarrow = import_pyarrow()
    table = pyarrow.table({name: uniform(rows, name) for name in columns(rows)})
    with written_whole(path) as part:
        pyarrow.parquet.write_table(table, part)
