"""femnets status: the state of every cell of a run, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from bench.core.guards.text import lines, one_line
from femnets.cli import _shared
from femnets.cli._output import show_json

if TYPE_CHECKING:
    from bench.store.run import Run
    from bench.store.survey import Standing


def command(
    run: _shared.Run,
    verify: Annotated[
        bool, typer.Option(help="Check every result file by checksum, or by its size only.")
    ] = True,
    log: Annotated[str, typer.Option(help="Show the log of the failed cell of this key.")] = "",
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show which cells are done, diverged, failed, stale and missing, with the reason."""
    from bench.store.folder import Store, run_path
    from bench.store.run import Run

    store = Store(run_path(run))
    found = Run.read(store.path, verify=verify)
    if log:
        show_log(found.standings, log)
    elif json_output:
        show_json(document(run, found))
    else:
        show(found, store.mends())


def document(name: str, run: Run) -> dict[str, Any]:
    """Return the cells by state, in total, per study and one by one."""
    from bench.store.survey import counts

    return {
        "run": name,
        "unreadable_plans": run.refused,
        "counts": counts(run.standings),
        "studies": {
            study: {"preset": plan["preset"], **counts(_of(study, run))}
            for study, plan in run.plans.items()
        },
        "cells": [
            {
                "key": standing.cell.key,
                "kind": standing.cell.kind,
                "config": standing.cell.config,
                "studies": standing.studies,
                "state": standing.state,
                "reason": standing.reason,
            }
            for standing in run.standings
        ],
    }


def _of(study: str, run: Run) -> list[Standing]:
    return [standing for standing in run.standings if study in standing.studies]


def show(run: Run, mends: str) -> None:
    """Print the counts, and a line for each cell that is neither done nor missing."""
    from bench.store.survey import STATES, counts
    from femnets.cli._output import show_table

    rows = []
    for study, plan in run.plans.items():
        number = counts(_of(study, run))
        rows.append((study, plan["preset"], *(str(number[state] or "·") for state in STATES)))
    show_table(("study", "preset", *STATES), rows)
    for study, why in run.refused.items():
        typer.echo(one_line(f"study {study} is left out: {why}"))
    for standing in run.standings:
        if standing.state not in {"done", "missing"} or standing.damaged:
            reason = f": {standing.reason}" if standing.reason else ""
            cell = standing.cell
            typer.echo(one_line(f"{standing.state}: {cell.label} [{cell.key}]{reason}"))
    if any(standing.damaged for standing in run.standings):
        typer.echo(f"damaged cells are computed again by {mends}")


def show_log(standings: Sequence[Standing], key: str) -> None:
    for standing in standings:
        if standing.cell.key.startswith(key) and standing.failure is not None:
            typer.echo(lines(standing.failure["log"]))
            return
    raise UserError(f"no failed cell has the key {key!r}; `femnets status RUN` lists them")
