"""femnets run: computes what is missing, resumes what was interrupted, compiles the report."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from base.errors import UserError, nearest
from bench.core.guards.output import cannot_write
from bench.core.guards.text import one_line, printable
from femnets.cli import EXIT_FAILED_CELLS
from femnets.cli._output import show_json

if TYPE_CHECKING:
    from bench.runner.resume import Engine, Summary
    from bench.store.folder import Store
    from bench.store.survey import Standing
    from bench.studies import Plan

LONG = ("paper", "full")  # presets whose time is printed before they start
ONLY = ("missing", "failed", "stale")
SECONDS_LIMIT = 6 * 3600.0
MOST_JOBS = 1024
MOST_GIB = 1e6


def command(
    studies: Annotated[list[str] | None, typer.Argument(help="Studies; default: all.")] = None,
    preset: Annotated[str, typer.Option(help="quick (default), paper or full.")] = "",
    run: Annotated[str, typer.Option(help="Name under runs/; default: the preset's.")] = "",
    jobs: Annotated[
        int | None,
        typer.Option(help="Cells at once; default: all cores; 0: in this process."),
    ] = None,
    scheduler: Annotated[str, typer.Option(help="A Dask scheduler, tcp://HOST:PORT.")] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="key=value or study.key=value.")
    ] = None,
    problem: Annotated[
        str, typer.Option(help="Run the studies on this problem alone: ./mine.py, or a name.")
    ] = "",
    only: Annotated[str, typer.Option(help="Compute only missing, failed, stale cells.")] = "",
    time_limit: Annotated[
        float, typer.Option(help="Seconds after which a cell is stopped.")
    ] = SECONDS_LIMIT,
    memory: Annotated[
        float | None, typer.Option(help="GiB for all cells; default: what is available.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Use the studies and settings stored in the run."),
    ] = False,
    reuse: Annotated[
        str,
        typer.Option(help="Take cells from this run or results.parquet if their code is the same."),
    ] = "",
    report: Annotated[bool, typer.Option(help="Compile the report at the end.")] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show cells, memory and predicted time; run nothing.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Run studies: compute the missing cells, then compile the report."""
    from bench.core.threads import limit_threads

    if jobs == 0:
        limit_threads(1)  # as a worker has
    from bench.store.folder import run_path

    if resume:
        plans = remembered(run, bool(studies or preset or settings or problem))
    else:
        plans = planned(studies or [], preset or "quick", settings or [], problem)
    path = run_path(run or plans[0].preset)
    wanted = chosen_states(only)
    if dry_run or (any(plan.preset in LONG for plan in plans) and not scheduler):
        show_forecast(plans, path, jobs, dry_run, json_output)
    if dry_run:
        return 0
    engine = make_engine(jobs, scheduler, time_limit, memory)
    store, code, interrupted = computed(
        plans, path, wanted, engine, remember=not resume, reuse=reuse
    )
    return code if interrupted else ended(store, plans, code, report, json_output)


def ended(store: Store, plans: list[Plan], code: int, report: bool, json_output: bool) -> int:
    """Compile the report, print its paths or the JSON document, and return the exit code."""
    from femnets.cli._output import show_paths
    from femnets.cli._runs import show_faults

    paths: list[Path] = []
    if report:
        from reports import compile_report

        paths = compile_report(store.path)
        code = code or show_faults()
    if json_output:
        show_json(document(store, plans, paths))
    else:
        show_paths(paths, as_json=False)
    return code


def show_forecast(
    plans: list[Plan], path: Path, jobs: int | None, dry_run: bool, json_output: bool
) -> None:
    """Print what would be computed; on stderr before a long run, if its time is known."""
    from bench.store.forecast import forecast, lines

    predicted = forecast(plans, path, jobs)
    if not dry_run:
        if predicted["seconds"]:
            typer.echo("\n".join(lines(predicted)), err=True)
    elif json_output:
        show_json(predicted)
    else:
        typer.echo("\n".join([*lines(predicted), "nothing was run"]))


def computed(
    plans: list[Plan],
    path: Path,
    wanted: set[str],
    engine: Engine,
    *,
    remember: bool,
    reuse: str,
) -> tuple[Store, int, bool]:
    """Compute the cells; return the store, the exit code, and whether it was interrupted.

    `remember` stores the plans in the run; with --resume they are there already, as typed. `reuse`
    names a run or a file whose results are taken over first.
    """
    from bench.core.guards.signals import RESUMES, go_on_by
    from bench.store.folder import Store
    from bench.store.reuse import take_over
    from bench.store.run import run_or_file
    from bench.store.survey import survey

    try:
        store = Store.writable(path)
        go_on_by(RESUMES)
        try:
            for plan in plans if remember else ():
                store.plan(plan.study, plan.document())
            standings = survey(store, plans, verify=True)
            if reuse:
                taken = take_over(store, standings, run_or_file(reuse))
                typer.echo(f"{taken} cells taken from {printable(reuse)}", err=True)
                standings = survey(store, plans, verify=True)
            summary = compute(store, standings, wanted, engine)
            return store, report_outcome(standings, summary), bool(summary.interrupted)
        except OSError as error:
            raise cannot_write(store.path, error, "--run") from None
        finally:
            store.close()
    finally:
        engine.close()


def planned(studies: list[str], preset: str, settings: list[str], problem: str) -> list[Plan]:
    """Return the plans of the arguments."""
    from bench import problems
    from bench import studies as all_studies
    from bench.core.plugins import admit
    from femnets.user_files import used

    able = all_studies.about_problems() if problem else all_studies.names()
    every = [*filter(all_studies.by_default, able)] if problem else able
    chosen = [*dict.fromkeys(map(all_studies.use, studies))] or every
    for study in chosen:
        all_studies.load(admit(study))
    overrides = all_studies.overrides(chosen, [*map(assigned, settings)])
    for study in chosen:
        if problem and study not in able:
            raise UserError(f"--problem: study {study!r} takes no problem; {nearest('', able)}")
    about = problems.get(used(problem)) if problem else None
    typed = [f"--set {shlex.quote(setting)}" for setting in settings]
    typed += [f"--problem {shlex.quote(problem)}"] * bool(problem)
    found = all_studies.plan(chosen, preset, overrides, about, typed)
    if not found:
        raise UserError(f"no study has cells for {problem} with these settings; change them")
    return found


def assigned(setting: str) -> str:
    """Return `key=value` with each path in the value replaced by its plugin name."""
    from femnets.user_files import used

    key, equals, value = setting.partition("=")
    return f"{key}{equals}{used(value)}"


def remembered(run: str, others_given: bool) -> list[Plan]:
    """Return the plans that the run was last computed with."""
    from bench.store.folder import Store, run_path
    from bench.studies import replanned

    if others_given or not run:
        raise UserError(
            "--resume takes studies and settings from the run; give it --run NAME and neither "
            "studies nor --preset or --set"
        )
    store = Store(run_path(run))
    plans = replanned(store.plans())
    if not plans:
        raise UserError(f"no studies are stored in {store.path}; name the studies to run")
    return plans


def chosen_states(only: str) -> set[str]:
    states = {part.strip() for part in only.split(",") if part.strip()}
    for state in states:
        if state not in ONLY:
            raise UserError(f"--only cannot compute {state!r} cells; {nearest(state, list(ONLY))}")
    return states


def make_engine(
    jobs: int | None, scheduler: str, seconds_limit: float, memory: float | None
) -> Engine:
    import os

    import psutil

    from bench.runner.in_process import InProcess
    from bench.runner.local_processes import LocalProcesses

    if jobs is not None and not 0 <= jobs <= MOST_JOBS:
        raise UserError(f"--jobs must be 0 (in this process) to {MOST_JOBS}, got {jobs}")
    if memory is not None and not 0 < memory <= MOST_GIB:
        raise UserError(f"--memory must be positive and at most {MOST_GIB:g} GiB, got {memory:g}")
    if seconds_limit <= 0:
        raise UserError(f"--time-limit must be positive, got {seconds_limit:g}")
    if scheduler:
        from bench.runner.dask_cluster import DaskCluster
        from bench.runner.resume import Lost

        try:
            return DaskCluster(scheduler, seconds_limit)
        except Lost as error:
            raise UserError(f"{error}; start another one, the same command resumes") from None
    if jobs == 0:
        return InProcess(seconds_limit)
    available = 0.85 * psutil.virtual_memory().available
    return LocalProcesses(
        jobs=jobs or os.cpu_count() or 1,
        memory_bytes=int(memory * 2**30 if memory else available),
        seconds_limit=seconds_limit,
    )


def compute(store: Store, standings: list[Standing], wanted: set[str], engine: Engine) -> Summary:
    """Compute the cells in the wanted states (default: those that a plain run computes)."""
    from bench.runner.in_process import InProcess
    from bench.runner.interrupt import Abandoned, interruptible
    from bench.runner.progress import RunView
    from bench.runner.resume import Summary, run_cells

    cells = [
        standing.cell
        for standing in standings
        if (standing.state in wanted if wanted else standing.wants_computing)
    ]
    if not cells:
        typer.echo(f"{len(standings)} cells, nothing to compute", err=True)
    here = isinstance(engine, InProcess)
    try:
        with interruptible(raising=here) as interrupt, RunView(cells) as watching:
            return run_cells(cells, store, engine, watching, interrupt)
    except Abandoned:  # before the first cell, or after the last
        return Summary(interrupted=interrupt.number)


def report_outcome(standings: list[Standing], summary: Summary) -> int:
    """Print the cells that failed or are stale, and return the exit code."""
    from signal import Signals

    from bench.core.guards.signals import CODES, line

    stale = [s for s in standings if s.state == "stale" and s.cell not in summary.states]
    if stale:
        typer.echo(
            f"{len(stale)} stale cells kept (the code has changed since); "
            "compute them again with --only stale",
            err=True,
        )
    failed = [
        (s.cell, summary.errors.get(s.cell, s.reason))
        for s in standings
        if summary.states.get(s.cell, s.state) == "failed"
    ]
    for cell, error in failed:
        typer.echo(one_line(f"failed: {cell.label} [{cell.key}]: {error}"), err=True)
    if summary.storage_error:
        typer.echo(
            f"cannot write results: {one_line(summary.storage_error)}; free some space, the same "
            "command resumes",
            err=True,
        )
    elif summary.engine_error:
        typer.echo(f"{one_line(summary.engine_error)}; the same command resumes", err=True)
    elif failed:
        typer.echo(
            f"{len(failed)} cells failed; their logs: femnets status RUN --log KEY; "
            "again: --only failed",
            err=True,
        )
    if summary.interrupted:
        typer.echo(line(summary.interrupted), err=True)
        return CODES[Signals(summary.interrupted)]
    incomplete = failed or summary.storage_error or summary.engine_error
    return EXIT_FAILED_CELLS if incomplete else 0


def document(store: Store, plans: list[Plan], paths: list[Path]) -> dict[str, Any]:
    """Return the run's present state: counts, every result, failed cells, the report's files."""
    from bench.store.survey import counts, survey

    standings = survey(store, plans)
    failed = [s for s in standings if s.state == "failed"]
    return {
        "run": str(store.path),
        "studies": [plan.study for plan in plans],
        "counts": counts(standings),
        "cells": [
            {
                "key": s.cell.key,
                "kind": s.cell.kind,
                "state": s.state,
                "studies": list(s.studies),
                "config": s.record.config,
                "values": s.record.values,
            }
            for s in standings
            if s.record is not None
        ],
        "failed": [{"key": s.cell.key, "cell": s.cell.label, "error": s.reason} for s in failed],
        "report": [str(path) for path in paths],
    }
