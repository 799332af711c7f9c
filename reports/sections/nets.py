"""Nets: how they train, which τ they learn, how they extrapolate, what pruning takes away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from bench.claims.themes.reproduction import printed_tau
from bench.store.results import Results, StoredResult, medians
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Section, Table, Value
from reports.figures.nets import by_variant, error_maps, quivers, training_curves
from reports.formatting import scientific
from reports.names import net_name

TITLE = "Nets"
ORDER = 52
STUDIES = ("training", "pruning")
GAP = "no trained nets in this run."


def contents(run: Run) -> list[Block | Section]:
    nets = Results([record for study in STUDIES for record in run.results_of(study)])
    if not len(nets):
        return []
    descent = nets.select("net", optimizer="steepest")
    parts = [
        Section(f"Nets on {problem}", _blocks(run, descent.select("net", problem=problem)))
        for problem in descent.distinct("problem")
    ]
    text = (
        "Trained on samples of the field in the cylinder, scored on the cube, of which a fifth "
        "lies outside. Bands and spreads are over seeds; runs of one seed share initial weights "
        f"and data across variants.{_elsewhere(nets)}"
    )
    return [Paragraph(text), *parts]


def _elsewhere(nets: Results) -> str:
    """What this section does not show, and where it is."""
    others = [name for name in nets.distinct("optimizer") if name != "steepest"]
    return f" Nets trained by {', '.join(others)} are in the comparison only." if others else ""


def _blocks(run: Run, nets: Results) -> list[Block]:
    blocks: list[Block] = []
    problem = nets.records[0].config["problem"]
    papers = run.results_of("training").select("net", problem=problem, optimizer="steepest")
    if len(papers):
        blocks.append(_curves(run, papers, problem))
    blocks.append(_table(run, nets, problem))
    blocks.extend(_tau_table(run, nets, problem))
    blocks.extend(_maps(run, nets, problem))
    return blocks


def _curves(run: Run, nets: Results, problem: str) -> Picture:
    return Picture(
        f"training-{problem}",
        f"MSE term during training, problem {problem}, by hidden layers and width: the median over "
        "seeds, a band over all.",
        partial(training_curves, nets),
        f"Training curves of the nets on {problem}, with fixed and learned τ",
        run.source("training", nets),
    )


METRICS = ("train_mse", "rel_test_error", "l2_error", "l2_error_inside", "l2_error_outside")


def _table(run: Run, nets: Results, problem: str) -> Table:
    columns = [
        Column("net"),
        Column("seeds", "count"),
        Column("diverged", "count"),
        Column("train MSE", "error"),
        Column("relative test error", "error"),
        Column("L² cube", "error"),
        Column("smallest", "error"),
        Column("largest", "error"),
        Column("inside", "error"),
        Column("outside", "error"),
        Column("seconds", "seconds"),
    ]
    rows = [_row(label, runs) for label, runs in by_variant(nets).items()]
    return Table(
        f"nets-{problem}",
        f"Trained nets, problem {problem}: medians over seeds; smallest and largest of the L² "
        "error on the cube. A diverged run counts as infinite.",
        columns,
        rows,
        run.source("training", nets),
    )


def _row(label: str, runs: Results) -> tuple[Value, ...]:
    middle = {name: runs.median(name) for name in (*METRICS, "seconds")}
    cube = runs.errors("l2_error")
    return (
        label,
        len(runs),
        sum(bool(diverged) for diverged in runs.value("diverged")),
        middle["train_mse"],
        middle["rel_test_error"],
        middle["l2_error"],
        _finite(min(cube)),
        _finite(max(cube)),
        middle["l2_error_inside"],
        middle["l2_error_outside"],
        middle["seconds"],
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _tau_table(run: Run, nets: Results, problem: str) -> list[Block]:
    """Medians of the learned τ beside the paper's; the distance is the largest difference."""
    learned = Results([r for r in nets if r.config["tau"] == "learned"])
    if not len(learned) or problem != "maxwell":
        return []
    rows: list[tuple[Value, ...]] = []
    for label, runs in by_variant(learned).items():
        config = runs.records[0].config
        taus = [r.values["tau"] for r in runs if None not in r.values["tau"]]
        printed = printed_tau(config)
        middle = medians(taus) if taus else None
        distance = None
        if printed is not None and middle is not None:
            distance = float(np.abs(middle - printed).max())
        rows.append((label, len(taus), _steps(middle), _steps(printed), distance))
    columns = [
        Column("net"),
        Column("seeds", "count"),
        Column("learned τ (median)"),
        Column("the paper's"),
        Column("largest difference", "number"),
    ]
    caption = "Learned τ per layer beside the paper's table."
    return [Table("learned-tau", caption, columns, rows, run.source("training", learned))]


def _steps(tau: Sequence[float] | np.ndarray | None) -> str | None:
    return None if tau is None else " ".join(f"{step:.2f}" for step in tau)


def _maps(run: Run, nets: Results, problem: str) -> list[Block]:
    """The square beyond the training disc, for the shallow nets of the first seed."""
    chosen = _first_of_each(nets)
    if not chosen:
        return []
    shown = Results(chosen)
    best = min(chosen, key=lambda r: r.values["l2_error_inside"] or np.inf)
    u3 = (best.values["u3_min"], best.values["u3_max"])
    flat = not best.arrays["square_u"][2].any()
    return [
        Picture(
            f"maps-{problem}",
            "Pointwise error on (−1, 1)² × {0.5}; training data lie inside the circle only. First "
            f"seed of each variant.{_diverged(nets)}",
            partial(error_maps, chosen),
            "Error maps of the shallow nets",
            run.source("training", shown),
        ),
        Picture(
            f"quivers-{problem}",
            f"The field, the field of {net_name(best.config)}, and their distance on the disc at "
            f"x₃ = 0.5. Its third component{', which should vanish,' * flat} stays within "
            f"{scientific(u3[0])} and {scientific(u3[1])} in the cylinder.",
            partial(quivers, best),
            "Quiver plots of the exact and the learned field",
            run.source("training", Results([best])),
        ),
    ]


def _first_of_each(nets: Results) -> list[StoredResult]:
    return [record for record in _shallow_firsts(nets) if not record.values["diverged"]]


def _diverged(nets: Results) -> str:
    names = [net_name(r.config) for r in _shallow_firsts(nets) if r.values["diverged"]]
    return f" Diverged, and so not drawn: {', '.join(names)}." if names else ""


def _shallow_firsts(nets: Results) -> list[StoredResult]:
    plain = Results([r for r in nets if not r.config["bias_ordering"]])
    depth = min(plain.distinct("hidden"), default=None)
    shallow = plain.select("net", hidden=depth)
    return [runs.sorted_by("seed").records[0] for runs in by_variant(shallow).values()]
