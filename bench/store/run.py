"""A run: its results and plans, read from a folder or a Parquet file, or given in memory."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from base.errors import UserError
from bench.cells import Cell, load_kind
from bench.core.guards.text import shell_command
from bench.store.files import StoredResult
from bench.store.folder import Store, run_path
from bench.store.parquet import SUFFIX, Row, read_results, write_results
from bench.store.results import Results, judged_by
from bench.store.survey import Standing, counts, survey
from bench.store.tables import wide_row
from bench.studies import replanned

PLAN = ("preset", "options", "config")  # the fields of a study in provenance


@dataclass(frozen=True)
class Run:
    """The results of a run and the plans that they belong to; iterating gives the results.

    `standings` are the planned cells with their states; `unplanned` are results without a known
    plan, for instance if only the results were read.
    """

    name: str
    plans: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    standings: Sequence[Standing] = ()
    others: Sequence[Run] = ()  # runs to compare with this one
    refused: Mapping[str, str] = field(default_factory=dict)  # studies left out, and why
    sessions: Sequence[Mapping[str, Any]] = ()  # when it computed, and how busy the machine was
    unplanned: Sequence[StoredResult] = ()
    damaged: Mapping[str, str] = field(default_factory=dict)  # KIND/KEY left out, and why

    @classmethod
    def read(cls, path: Path, others: Sequence[Path] = (), *, verify: bool = True) -> Self:
        """Read the planned cells of a folder: each result whole, or without `verify` checked by its
        size; damaged results are left out."""
        store = Store(path)
        refused: dict[str, str] = {}
        remembered = store.plans(refused.__setitem__)
        standings = survey(store, replanned(remembered, refused.__setitem__), verify=verify)
        plans = {study: plan for study, plan in remembered.items() if study not in refused}
        compared = [each for other in others for each in cls.read_each(other)]
        return cls(path.name, plans, standings, compared, refused, store.sessions())

    @classmethod
    def read_each(cls, path: Path) -> list[Self]:
        """The run in a folder, or the runs of a `results.parquet`: these have no plans, arrays or
        nets."""
        if path.suffix != SUFFIX:
            return [cls.read(path)]
        rows: dict[str, list[Row]] = {}
        for row in read_results(path):
            rows.setdefault(row[0], []).append(row)
        return [cls(name, standings=[*_standings(found)]) for name, found in rows.items()]

    @classmethod
    def stored(cls, path: Path) -> Self:
        """Every intact result of a folder, planned or not, or of a Parquet file (the first of each
        key)."""
        if path.suffix == SUFFIX:
            records = [record for _, _, record in reversed(read_results(path))]
            return cls(path.name, unplanned=[*{r.key: r for r in records}.values()][::-1])
        damaged: dict[str, str] = {}
        found = list(Store(path).records(damaged.__setitem__))
        return cls(path.name, unplanned=found, damaged=damaged)

    @cached_property
    def records(self) -> list[StoredResult]:
        """All results, including stale ones, which their standings mark."""
        return [*(s.record for s in self.standings if s.record is not None), *self.unplanned]

    def __iter__(self) -> Iterator[StoredResult]:
        return iter(self.records)

    @cached_property
    def results(self) -> Results:
        """The results, ready to be selected from."""
        return Results(self.records)

    def results_of(self, study: str) -> Results:
        """The results of one study's cells; cells may belong to several."""
        return Results([s.record for s in self.standings if s.record and study in s.studies])

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per cell: key, kind, state, every setting, every number of its result.

        A number whose name a setting has too is called `found_NAME`; a missing one is None.
        """
        return [wide_row(record) for record in self]

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame (extra `export`)."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise UserError("to_pandas needs pandas: pip install 'femnets[export]'") from None
        return pandas.DataFrame(self.rows())

    def command(self, *studies: str) -> str:
        """The command that computes the studies' cells again, or the missing ones; several commands
        on one line if they were run with different options."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for study in studies or ("",):
            plan = self.plans.get(study, {})
            typed = [_quoted(part) for part in plan.get("options", ()) if isinstance(part, str)]
            options = (shell_command("--preset", str(plan.get("preset", "quick"))), *typed)
            groups.setdefault(options, []).append(str(plan.get("file", study)))
        place = shell_command("--run", self.name)
        return " && ".join(
            " ".join([shell_command("femnets", "run", *filter(None, named)), *options, place])
            for options, named in groups.items()
        )

    @property
    def mends(self) -> str:
        """The command that computes missing or damaged cells with the last settings."""
        return shell_command("femnets", "run", "--resume", "--run", self.name)

    @property
    def provenance(self) -> dict[str, Any]:
        """When, by which code, on which machine and with which options the results were computed,
        as in `verdicts.json`; it names no person, path or host."""
        records = self.records
        origins = [record.provenance for record in records]
        return {
            "run": self.name,
            "presets": sorted({plan["preset"] for plan in self.plans.values()}),
            "cells": counts(self.standings),
            "commits": _distinct(origin.get("commit") for origin in origins),
            "fingerprints": {
                kind: _distinct(record.fingerprint for record in records if record.kind == kind)
                for kind in sorted({record.kind for record in records})
            },
            "machines": _distinct(origin.get("machine") for origin in origins),
            "versions": _distinct(origin.get("versions") for origin in origins),
            **_dates(origins),
            "cell_seconds": sum(origin.get("seconds") or 0.0 for origin in origins),
            "cpu_seconds": sum(origin.get("cpu_seconds") or 0.0 for origin in origins),
            "sessions": [*self.sessions],
            "seeds": sorted({seed for record in records for seed in judged_by(record)}),
            "studies": {
                study: {name: plan[name] for name in PLAN if name in plan}
                for study, plan in self.plans.items()
            },
        }


def run_or_file(name: str) -> Path:
    """The path of a `results.parquet`, or of a run by its name."""
    return Path(name) if name.endswith(SUFFIX) else run_path(name)


def write_runs(path: Path, runs: Iterable[Run]) -> None:
    """Write the planned results of some runs as one `results.parquet`."""
    rows = [(run.name, s.studies, s.record) for run in runs for s in run.standings if s.record]
    write_results(path, rows)


def _standings(rows: Iterable[Row]) -> Iterator[Standing]:
    """Each row as a cell with its result, without kinds that the current code lacks."""
    for _, studies, record in rows:
        with suppress(UserError):
            load_kind(record.kind)  # first: making a cell would admit a module that a file names
            cell = Cell(record.kind, record.config)
            yield Standing(cell, studies, record.state, record=record)


def _quoted(words: str) -> str:
    """Quote again options that were read from a file."""
    try:
        return shell_command(*shlex.split(words))
    except ValueError:
        return shell_command(words)


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Each value once, in order of occurrence; dicts cannot be hashed."""
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept


def _dates(origins: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """From the start of the first cell to the end of the last."""
    spans = [
        (datetime.fromisoformat(origin["start"]), timedelta(seconds=origin.get("seconds", 0.0)))
        for origin in origins
        if "start" in origin
    ]
    first = min((start for start, _ in spans), default=None)
    last = max((start + length for start, length in spans), default=None)
    return {
        name: None if date is None else date.isoformat(timespec="seconds")
        for name, date in (("first", first), ("last", last))
    }
