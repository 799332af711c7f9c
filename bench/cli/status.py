"""femnets status: where a run stands, cell by cell, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from bench.errors import UserError

if TYPE_CHECKING:
    from bench.store.survey import Standing
    from bench.studies import Plan


def command(
    run: Annotated[str, typer.Argument(help="Name under runs/, or a path.")],
    verify: Annotated[bool, typer.Option(help="Read every result file whole.")] = False,
    log: Annotated[str, typer.Option(help="Show the log of the failed cell of this key.")] = "",
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Cells done, diverged, failed, stale and missing, with the reason."""
    from bench.store.folder import Store, run_path
    from bench.store.survey import survey
    from bench.studies import replanned

    store = Store(run_path(run))
    plans = replanned(store.plans())
    standings = survey(store, plans, verify=verify)
    if log:
        show_log(standings, log)
    elif json_output:
        typer.echo(json.dumps(document(run, plans, standings), indent=1))
    else:
        show(plans, standings)


def document(run: str, plans: list[Plan], standings: list[Standing]) -> dict:
    from bench.store.survey import counts

    return {
        "run": run,
        "counts": counts(standings),
        "studies": {plan.study: {"preset": plan.preset, **counts(of(plan, standings))}
                    for plan in plans},
        "cells": [
            {
                "key": standing.cell.key,
                "kind": standing.cell.kind,
                "config": standing.cell.config,
                "studies": standing.studies,
                "state": standing.state,
                "reason": standing.reason,
            }
            for standing in standings
        ],
    }  # fmt: skip


def of(plan: Plan, standings: list[Standing]) -> list[Standing]:
    return [standing for standing in standings if plan.study in standing.studies]


def show(plans: list[Plan], standings: list[Standing]) -> None:
    from rich.console import Console

    from bench.cli._tables import plain_table
    from bench.store.survey import STATES, counts

    table = plain_table("study", "preset", *STATES)
    for plan in plans:
        found = counts(of(plan, standings))
        table.add_row(plan.study, plan.preset, *(str(found[state] or "·") for state in STATES))
    console = Console()
    console.print(table)
    for standing in standings:
        if standing.state not in {"done", "missing"} or standing.reason.startswith("damaged"):
            told = f": {standing.reason}" if standing.reason else ""
            line = f"{standing.state}: {standing.cell.label} [{standing.cell.key}]{told}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_log(standings: list[Standing], key: str) -> None:
    for standing in standings:
        if standing.cell.key.startswith(key) and standing.failure is not None:
            typer.echo(standing.failure["log"])
            return
    raise UserError(f"no failed cell has the key {key!r}; `femnets status RUN` lists them")
