"""femnets benchmark: show a run of `pytest --benchmark`, or what changed between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from femnets.cli._json import show_json
from femnets.cli._tables import plain, show_table

if TYPE_CHECKING:
    from reports.benchmarks.saved import Compared, SavedRun


def command(
    saved: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Saved runs: the newest and, with --compare, the one before.",
            show_default="the newest under .benchmarks",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Show what changed beyond noise: from SAVED to the newest, or between two.",
        ),
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Show a saved benchmark run with its targets, or compare two.

    `pytest --benchmark` measures and saves under .benchmarks; no test fails because of a time.
    """
    from reports.benchmarks.saved import compare as compared
    from reports.benchmarks.saved import read

    before, after = _chosen(list(saved or []), compare)
    newest = read(after)
    if before is None:
        show_json(_document(newest)) if json_output else _show(newest)
        return
    older = read(before)
    found = compared(older, newest)
    if json_output:
        show_json({"before": older.when, "after": newest.when, **found.document()})
    else:
        _show_changes(found, older, newest)


def _chosen(named: list[Path], compare: bool) -> tuple[Path | None, Path]:
    """Return the earlier run, if two are compared, and the later run."""
    from base.errors import UserError
    from reports.benchmarks.saved import FOLDER, saved_files

    wanted = 2 if compare else 1
    if len(named) > wanted:
        raise UserError(f"{len(named)} saved runs were named; give at most {wanted}")
    if len(named) == 2:
        return named[0], named[1]
    if len(named) == 1 and not compare:
        return None, named[0]
    here = [path for path in saved_files(Path(FOLDER)) if path not in named]
    if len(named) + len(here) < wanted:
        missing = "no saved run" if not (named or here) else "only one saved run"
        raise UserError(f"{missing} under {FOLDER}; `pytest --benchmark` makes one")
    if not compare:
        return None, here[-1]
    return (named[0] if named else here[-2]), here[-1]


def _document(run: SavedRun) -> dict[str, object]:
    rows = [
        {"name": t.name, "group": t.group, "median_seconds": t.median, "rounds": t.rounds, **t.info}
        for t in run.timed.values()
    ]
    return {"when": run.when, "commit": run.commit, "rows": rows}


def _show(run: SavedRun) -> None:
    typer.echo(plain(f"{len(run.timed)} benchmarks of {run.when}, commit {run.commit}"))
    rows = []
    for timed in run.timed.values():
        targets = timed.info.get("targets") or {}
        words = [_target(name, target) for name, target in targets.items()]
        rows.append((timed.name, f"{timed.median:.3g} s", "; ".join(words)))
    show_table(("benchmark", "median", "targets"), rows)


def _target(name: str, target: dict[str, object]) -> str:
    verdict = "met" if target.get("met") else "missed"
    value, wanted = target.get("value"), target.get("target")
    shown = f"{value:.3g}" if isinstance(value, int | float) else "–"
    return f"{name}: {shown}, {target.get('sense')} {wanted}: {verdict}"


def _show_changes(found: Compared, before: SavedRun, after: SavedRun) -> None:
    typer.echo(plain(f"{before.when} ({before.commit}) -> {after.when} ({after.commit})"))
    if abs(found.drift - 1) > 0.02:
        typer.echo(f"all times changed by a factor {found.drift:.2f} (the machine; divided out)")
    moved = [
        (
            change.name,
            f"{change.before:.3g} s",
            f"{change.after:.3g} s",
            f"{change.ratio:.2f}",
            f"±{change.noise:.0%}",
        )
        for change in found.changes
        if change.moved
    ]
    show_table(("benchmark", "before", "after", "ratio", "noise"), moved)
    typer.echo(f"{len(moved)} changed beyond noise, {len(found.changes) - len(moved)} did not")
    for name, figure, old, new in found.errors:
        typer.echo(plain(f"{name}: {figure} {old:.6g} -> {new:.6g}"))
    for where, names in (("before", found.only_before), ("after", found.only_after)):
        if names:
            typer.echo(plain(f"only {where}: {', '.join(names)}"))
