"""Results of another run, or of a `results.parquet`, taken over instead of computed again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bench.cells import Result
from bench.store.curves import CURVES, attach_curves
from bench.store.files import WEIGHTS, StoredResult, encoded
from bench.store.fingerprint import fingerprint_of
from bench.store.folder import Store
from bench.store.parquet import RESULTS
from bench.store.run import Run
from bench.store.survey import Standing


def take_over(store: Store, standings: Iterable[Standing], source: Path) -> int:
    """Copy results of the same cells by the same code; return how many.

    From a Parquet file come values and the curves that figures draw, but no saved nets.
    """
    found = {record.key: record for record in _results(source)}
    taken = 0
    for standing in standings:
        record = found.get(standing.cell.key)
        if standing.state != "missing" or record is None:
            continue
        if record.fingerprint == fingerprint_of(standing.cell):
            result = Result(
                record.values, record.arrays, _nets(record), diverged=record.state == "diverged"
            )
            files = encoded(standing.cell, result, record.fingerprint, record.provenance)
            store.commit(standing.cell, files, sync=False)
            taken += 1
    return taken


def _results(source: Path) -> Run:
    run = Run.stored(source)
    curves = source.with_name(CURVES)
    if source.name == RESULTS and curves.exists():
        attach_curves(curves, run.results)
    return run


def _nets(record: StoredResult) -> dict[str, bytes]:
    names = [name for name in record.files if name.endswith(WEIGHTS)]
    return {name.removesuffix(WEIGHTS): record.read(name) for name in names}
