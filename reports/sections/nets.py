"""Nets: how they train and how they extrapolate."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Section, Table
from reports.figures.nets import by_variant, error_maps, quivers, training_curves
from reports.formatting import scientific
from reports.names import net_name
from reports.tables import DIVERGED, SEEDS, largest, medians_by, smallest

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
        "Trained on samples in a cylinder, measured on the unit cube, a fifth of which lies "
        "outside. 6-50: 6 hidden layers of width 50; + τ: learned step sizes; + B.O.: a penalty "
        f"orders the biases. Runs of one seed share initial weights and data.{_elsewhere(nets)}"
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
    blocks.extend(_maps(run, nets, problem))
    return blocks


def _curves(run: Run, nets: Results, problem: str) -> Picture:
    return Picture(
        f"training-{problem}",
        f"Training error by step, problem {problem}, one panel per number of layers and width: "
        f"median over seeds (seeds: {len(nets.distinct('seed'))}), a band over all.",
        partial(training_curves, nets),
        f"Training curves of the nets on {problem}, with fixed and learned τ",
        run.source("training", nets),
    )


def _table(run: Run, nets: Results, problem: str) -> Table:
    return medians_by(
        f"nets-{problem}",
        f"Trained nets, problem {problem}: medians over seeds; smallest and largest of the L² "
        "error on the cube. A diverged run counts as infinite.",
        ("net",),
        {(label,): runs for label, runs in by_variant(nets).items()},
        [
            SEEDS,
            DIVERGED,
            ("train MSE", "error", "train_mse"),
            ("relative test error", "error", "rel_test_error"),
            ("L² cube", "error", "l2_error"),
            smallest("l2_error"),
            largest("l2_error"),
            ("in the cylinder", "error", "l2_error_inside"),
            ("outside it", "error", "l2_error_outside"),
            ("seconds", "seconds", "seconds"),
        ],
        run.source("training", nets),
    )


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
            "Pointwise error on (−1, 1)² × {0.5}, first seed of each variant. Training data lie "
            f"inside the circle only.{_diverged(nets)}",
            partial(error_maps, chosen),
            "Error maps of the shallow nets",
            run.source("training", shown),
        ),
        Picture(
            f"quivers-{problem}",
            f"The field, the field of {net_name(best.config)}, and their distance on the disc at "
            f"x₃ = 0.5. Third component of the net{' (should vanish)' * flat}: between "
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
