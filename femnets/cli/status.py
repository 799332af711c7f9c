"""femnets status: where a run stands, cell by cell, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError
from bench.core.guards.text import lines, one_line
from femnets.cli._json import show_json
from femnets.cli._shared import Run

if TYPE_CHECKING:
    from bench.store.folder import Store
    from bench.store.survey import Standing
    from bench.studies import Plan


def command(
    run: Run,
    verify: Annotated[
        bool, typer.Option(help="Read every result file whole, or look at its size only.")
    ] = True,
    log: Annotated[str, typer.Option(help="Show the log of the failed cell of this key.")] = "",
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Cells done, diverged, failed, stale and missing, with the reason."""
    from bench.store.folder import Store, run_path
    from bench.store.survey import survey
    from bench.studies import replanned

    store = Store(run_path(run))
    refused: dict[str, str] = {}
    plans = replanned(store.plans(refused.__setitem__), refused.__setitem__)
    standings = survey(store, plans, verify=verify)
    if log:
        show_log(standings, log)
    elif json_output:
        show_json(document(run, plans, standings, refused))
    else:
        show(plans, standings, refused, store)


def document(
    run: str, plans: list[Plan], standings: list[Standing], refused: dict[str, str]
) -> dict[str, Any]:
    from bench.store.survey import counts

    return {
        "run": run,
        "unreadable_plans": refused,
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


def show(
    plans: list[Plan], standings: list[Standing], refused: dict[str, str], store: Store
) -> None:
    from bench.store.survey import STATES, counts
    from femnets.cli._tables import show_table

    rows = []
    for plan in plans:
        number = counts(of(plan, standings))
        rows.append((plan.study, plan.preset, *(str(number[state] or "·") for state in STATES)))
    show_table(("study", "preset", *STATES), rows)
    for study, why in refused.items():
        typer.echo(one_line(f"study {study} is left out: {why}"))
    for standing in standings:
        if standing.state not in {"done", "missing"} or standing.damaged:
            reason = f": {standing.reason}" if standing.reason else ""
            cell = standing.cell
            typer.echo(one_line(f"{standing.state}: {cell.label} [{cell.key}]{reason}"))
    if any(standing.damaged for standing in standings):
        typer.echo(f"damaged cells are computed again by {store.mends()}")


def show_log(standings: list[Standing], key: str) -> None:
    for standing in standings:
        if standing.cell.key.startswith(key) and standing.failure is not None:
            typer.echo(lines(standing.failure["log"]))
            return
    raise UserError(f"no failed cell has the key {key!r}; `femnets status RUN` lists them")
