"""`femnets export RUN --to kept`: what a reader needs of a run, in four files.

report.html, report.pdf    the report, compared with the runs given by --with
results.parquet            every cell of these runs (`bench/store/kept.py`)
verdicts.json              the ledger, the headlines, and where all of it comes from
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.store.survey import Standing

REPORTS = "kept"  # in the run: compiled there, so that a second time nothing is compiled again


@dataclass(frozen=True)
class KeptRun:
    """A run with its planned cells; one that was kept itself knows no plans and no sessions."""

    name: str
    standings: Sequence[Standing]
    plans: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sessions: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def read(cls, path: Path) -> KeptRun:
        from bench.store.folder import Store
        from bench.store.survey import survey
        from bench.studies import replanned

        store = Store(path)
        plans = store.plans()
        cells = survey(store, replanned(plans), verify=True)
        return cls(path.name, cells, plans, store.sessions())

    @classmethod
    def beside(cls, path: Path) -> list[KeptRun]:
        """A run to hold another against, or all of a `results.parquet`."""
        from bench.store.kept import SUFFIX, kept_runs

        if path.suffix != SUFFIX:
            return [cls.read(path)]
        return [cls(name, standings) for name, standings in kept_runs(path).items()]

    @property
    def records(self) -> list[Any]:
        return [s.record for s in self.standings if s.record is not None]

    @property
    def provenance(self) -> dict[str, Any]:
        from bench.store.about import about

        return about(self.name, self.standings, self.plans, self.sessions)


def keep(run: Path, others: Sequence[Path], folder: Path) -> list[Path]:
    """Writes the four files and returns their paths."""
    from base.errors import UserError
    from bench.core.guards.output import folder_for, no_link, write_whole
    from bench.store.kept import RESULTS
    from reports import compile_report

    first = KeptRun.read(run)
    rest = [each for path in others for each in KeptRun.beside(path)]
    if not first.records:
        raise UserError(
            f"the run in {run} has no results yet; `femnets status` says what is missing"
        )
    inside = folder_for(no_link(run / REPORTS), "--out")
    reports = compile_report(run, out=inside, others=others)
    for path in reports:
        write_whole(folder / path.name, path.read_bytes())
    write_results([first, *rest], folder / RESULTS)
    write_ledger(first, rest, folder, headlines_of(run, others))
    return [*(folder / path.name for path in reports), folder / RESULTS, folder / "verdicts.json"]


def write_results(runs: Sequence[KeptRun], path: Path) -> None:
    from bench.store import kept

    rows = [
        kept.Kept(run.name, standing.studies, standing.record)
        for run in runs
        for standing in run.standings
        if standing.record is not None
    ]
    kept.write_kept(path, rows)


def headlines_of(run: Path, others: Sequence[Path]) -> list[str]:
    """The sentences of the report's abstract."""
    from reports.context import Run
    from reports.sections import headlines

    return headlines(Run.read(run, others))


def write_ledger(
    first: KeptRun, rest: Sequence[KeptRun], folder: Path, headlines: list[str]
) -> None:
    """verdicts.json; `results` says which file of cells it goes with, by size and checksum."""
    import json
    from dataclasses import asdict

    from bench.claims.comparison import agreement_of, verdicts_of
    from bench.core.guards.output import write_whole
    from bench.core.plain_values import finite
    from bench.store.files import checksum
    from bench.store.kept import RESULTS

    verdicts = verdicts_of(first.records)
    data = (folder / RESULTS).read_bytes()
    document = {
        "run": first.name,
        "results": {"file": RESULTS, "bytes": len(data), "checksum": checksum(data)},
        "headlines": headlines,
        "provenance": first.provenance,
        "with": [
            {
                "run": other.name,
                "provenance": other.provenance,
                "agreement": asdict(agreement_of(verdicts, verdicts_of(other.records))),
            }
            for other in rest
        ],
        "verdicts": verdicts,
    }
    text = json.dumps(finite(document), indent=1, ensure_ascii=False)
    write_whole(folder / "verdicts.json", f"{text}\n".encode())
