"""`femnets report`: compiles the report from results on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    run: Annotated[str, typer.Argument(help="The run's name under runs/, or a path.")],
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="Another run to compare it with, or a results.parquet; may be repeated.",
        ),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Only the HTML page.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Only the PDF.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the files; default: the run's own.")
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Compile the report of a run: one HTML page and one PDF; prints their paths."""
    from bench.store.folder import run_path
    from bench.store.run import run_or_file
    from femnets.cli._output import show_paths
    from femnets.cli._runs import show_faults
    from reports import compile_report

    both = html == pdf
    compared = [*map(run_or_file, others or [])]
    show_paths(compile_report(run_path(run), html or both, pdf or both, out, compared), json_output)
    return show_faults()
