"""E2: which layers a learned τ calls redundant, and what deleting them costs."""

from __future__ import annotations

import math
from functools import partial

from bench.claims.themes.reproduction import PRINTED_TEST_ERROR
from bench.store.files import StoredResult
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.nets import Weights, net_drawings

STUDY = "pruning"

TITLE = "Redundant layers"
ORDER = 62
STUDIES = (STUDY,)
GAP = "nothing was pruned in this run."
NEAR_ZERO = 1e-2

COLUMNS = [
    Column("τ starts at"),
    Column("seeds", "count"),
    Column("relative test error", "error"),
    Column("smallest", "error"),
    Column("largest", "error"),
    Column("runs with a τ ≈ 0", "count"),
    Column("layers deleted (by τ)"),
    Column("error after", "error"),
    Column("last layer solved again", "error"),
    Column("layers deleted (by effect)"),
    Column("error after", "error"),
]


def contents(run: Run) -> list[Block]:
    runs = run.results_of(STUDY)
    if not len(runs):
        return []
    return [
        Paragraph(
            "The 5-10 ResNet with learned τ and bias ordering after 1000 steps of steepest "
            f"descent. The paper reports a relative test error of {PRINTED_TEST_ERROR} "
            "and three τ near zero, and does not say from which τ it started; so the start is "
            "varied. With ReLU a small τ is partly a matter of scale, so layers are also judged "
            "by their effect, ‖y[ℓ+1] − y[ℓ]‖ / ‖y[ℓ+1]‖; both thresholds are "
            f"{NEAR_ZERO:g}. Errors are medians over seeds."
        ),
        Table(
            "pruning",
            "Pruning by τ and by effect, from each start.",
            COLUMNS,
            [_row(runs, tau0) for tau0 in runs.distinct("tau0")],
            run.source(STUDY, runs),
        ),
        *_drawing(run),
    ]


def _row(runs: Results, tau0: str) -> tuple[Value, ...]:
    group = Results([r for r in runs if r.config["tau0"] == tau0])
    errors = group.errors("rel_test_error")
    near = sum(
        any(t is not None and abs(t) < NEAR_ZERO for t in r.values["tau"][1:]) for r in group
    )
    return (
        str(tau0),
        len(group),
        group.median("rel_test_error"),
        _finite(min(errors)),
        _finite(max(errors)),
        near,
        _layers(group, "pruned_tau_layers"),
        _median(group.value("pruned_tau_error")),
        _median(group.value("pruned_tau_error_resolved")),
        _layers(group, "pruned_change_layers"),
        _median(group.value("pruned_change_error")),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _median(values: list[float | None]) -> float | None:
    """Of the runs that lost a layer; the others have no error after."""
    there = [value for value in values if value is not None]
    return median(there) if there else None


def _layers(group: Results, name: str) -> str:
    """How many layers went, seed by seed: 0, 0, 2 …"""
    return ", ".join(str(len(layers or [])) for layers in group.value(name))


def _drawing(run: Run) -> list[Block]:
    """The run that lost most layers, before and after; nothing to draw if none lost any."""
    records = [s.record for s in run.standings if s.record is not None and STUDY in s.studies]
    able = [(r, _deleted(r)) for r in records if _deleted(r) and r.weights() is not None]
    if not able:
        return []
    record, layers = max(able, key=lambda pair: len(pair[1]))
    before = record.tensors()
    titles = ("before", f"after deleting layers {', '.join(str(l) for l in layers)}")
    nets = list(zip(titles, (before, without(before, layers)), strict=True))
    return [
        Picture(
            "pruned-net",
            f"The net before and after, τ₀ = {record.config['tau0']}, seed "
            f"{record.config['seed']}: dots are biases, lines are weights.",
            partial(net_drawings, nets),
            "Drawing of the net before and after pruning",
            run.source(STUDY, Results([record])),
        )
    ]


def _deleted(record: StoredResult) -> list[int]:
    return record.values.get("pruned_tau_layers") or record.values.get("pruned_change_layers") or []


def without(weights: Weights, layers: list[int]) -> Weights:
    """The weights of a ResNet whose given layers are deleted: the rest moves up."""
    depth = sum(name.startswith("W.") for name in weights)
    kept = [l for l in range(depth) if l not in layers]
    found = {f"W.{k}": weights[f"W.{l}"] for k, l in enumerate(kept)}
    found |= {f"b.{k}": weights[f"b.{l}"] for k, l in enumerate(kept) if f"b.{l}" in weights}
    return found
