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


class Format(StrEnum):
    csv = "csv"
    parquet = "parquet"
    vtu = "vtu"
    verdicts = "verdicts"
    kept = "kept"


def command(
    run: Run,
    to: Annotated[
        Format,
        typer.Option(
            help="csv, parquet: tables; vtu: fields for ParaView; verdicts: the ledger as JSON; "
            "kept: report, results.parquet and verdicts.json for those who have not the run."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Directory for the files; default: export/ in the run.")
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="kept: another run, or a results.parquet, to compare it with and keep beside it.",
        ),
    ] = None,
    plug: Annotated[
        list[str] | None,
        typer.Option(help="vtu: a file that the run's own problem or net came from, ./mine.py."),
    ] = None,
    n: Annotated[
        int,
        typer.Option(
            min=1, max=128, help="vtu: cells per side for nets; finite elements up to there."
        ),
    ] = 16,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Export results: tidy long tables (cells, values, arrays, joined by key), fields, or a run
    as it is kept."""
    from bench.core.guards.output import folder_for, no_link
    from bench.store.folder import Store, run_path
    from bench.store.kept import kept_or_run
    from bench.store.vtu import write_fields
    from femnets.cli._damaged import sound_records, tell_faults
    from femnets.cli._keeping import keep
    from femnets.cli._paths import show_paths
    from femnets.outside import used

    used(plug or [])
    store = Store(run_path(run))
    folder = folder_for(out or no_link(store.path / "export"), "--out")
    if others and to is not Format.kept:
        raise UserError("--with goes with --to kept")
    if to is Format.kept:
        show_paths(
            keep(store.path, [kept_or_run(other) for other in others or []], folder), json_output
        )
        return tell_faults()
    records = sound_records(store)
    if to is Format.verdicts:
        paths = [write_verdicts(records, store.path.name, folder / "verdicts.json")]
    else:
        paths = write_fields(records, folder, n) if to is Format.vtu else write(records, folder, to)
    show_paths(paths, json_output)
    return 0


def write(records: list[StoredResult], folder: Path, to: Format) -> list[Path]:
    from bench.store.tables import tables

    writer = {Format.csv: write_csv, Format.parquet: write_parquet}[to]
    paths = []
    for name, rows in tables(records).items():
        paths.append(folder / f"{name}.{to}")
        writer(paths[-1], rows)
    return paths


def write_verdicts(records: list[StoredResult], run: str, path: Path) -> Path:
    import json

    from bench.claims.comparison import verdicts_of
    from bench.core.guards.output import write_whole
    from bench.core.guards.text import printable
    from bench.core.plain_values import finite

    document = {"run": printable(run), "verdicts": verdicts_of(records)}
    text = json.dumps(finite(document), indent=1, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())
    return path


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    import csv

    from bench.core.guards.output import written_whole
    from bench.store.tables import columns

    with written_whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns(rows))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise UserError("--to parquet needs pyarrow: pip install 'femnets[export]'") from None
    from bench.core.guards.output import written_whole
    from bench.store.tables import columns, uniform

    table = pyarrow.table({name: uniform(rows, name) for name in columns(rows)})
    with written_whole(path) as part:
        pyarrow.parquet.write_table(table, part)
