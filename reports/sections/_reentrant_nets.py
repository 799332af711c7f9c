"""Nets at re-entrant edges: where they end, what their loss shows, which indicators warn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bench.claims.themes.reentrant import (
    ESTIMATED,
    INDICATORS,
    KIND,
    PLAIN,
    WRONG_ABOVE,
    ends,
    main_arm,
    on_the_prism,
    thresholds,
    usable,
    warned,
)
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.reentrant import floors, scatter
from reports.tables import SEEDS, Measure, largest, medians_by, smallest

STUDY = "reentrant"
EARLY = 0.25  # of the evaluations: what a shorter training would have had
#: arms of the map whose rules inside and at the edge are alike
EXTREMES = {
    "penalty, uniform": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "penalty, graded": {"boundary": "penalty", "inside": "graded", "rim": "graded"},
    "built in, uniform": {"boundary": "exact", "inside": "uniform"},
    "built in, graded": {"boundary": "exact", "inside": "graded"},
}


def blocks(run: Run, nets: Results) -> list[Block]:
    """Tables of all nets, figures of their losses, and the indicators."""
    prism = on_the_prism(nets)
    others = Results([record for record in nets if record.config["problem"] != "reentrant"])
    found: list[Block] = [map_table(run, prism)] if len(prism) else []
    if kinds := _by_kind(prism):
        caption = (
            "Relative L² error on the prism against the loss, one mark per run: left the loss at "
            "the training points, right by a quadrature that resolves the edge (fine rule). Nets "
            "above the dotted line are wrong: a small loss need not mean a small error."
        )
        draw = partial(scatter, kinds, WRONG_ABOVE)
        found.append(Picture("reentrant-scatter", caption, draw, caption, run.source(STUDY, prism)))
    if sizes := _by_size(prism):
        caption = (
            "Loss at the end of training against the width of the net and the number of points, by "
            "the fine rule (solid) and at the points themselves (dotted). A loss that falls only "
            "at its own points has not fallen between them."
        )
        draw = partial(floors, sizes)
        found.append(Picture("reentrant-floors", caption, draw, caption, run.source(STUDY, prism)))
    if len(others):
        found.append(relatives_table(run, others))
    return [*found, *_indicators(run, usable(nets))]


def given(record: StoredResult) -> str:
    """The loss of a net and its boundary values, in a few words."""
    config = record.config
    name = "built in" if config["boundary"] == "exact" else "penalty"
    if config["form"] != "div-curl":
        name = f"{config['form']} form, {name}"
    name += ", r div" if config["div_exponent"] else ""
    return name + (", given the singular function" if config["singular"] else "")


def _ends(group: Results) -> Value:
    return ", ".join(f"{count} {end}" for end, count in ends(list(group)).items() if count)


LOSSES: tuple[Measure, ...] = (
    SEEDS,
    ("loss at its points", "error", "training_loss"),
    ("loss, fine rule", "error", "fine_loss"),
)


def map_table(run: Run, nets: Results) -> Table:
    """Medians over seeds on the prism, a diverged run counting as infinite."""
    groups: dict[tuple[Value, ...], list[StoredResult]] = {}
    for record in nets:
        entries = (record.config[name] for name in ("inside", "rim", "width", "points"))
        groups.setdefault((given(record), *entries), []).append(record)
    caption = (
        "Nets on the L-shaped prism, medians over seeds: losses, and L² errors relative to the "
        f"norm of u, below {WRONG_ABOVE:g} called right; the error after a quarter of the "
        "evaluations is that of a shorter training."
    )
    return medians_by(
        "reentrant-map",
        caption,
        ("loss and boundary", "points inside", "points at the edge", "width", "points"),
        {key: Results(records) for key, records in groups.items()},
        [
            *LOSSES,
            ("error after ¼", "number", _early_error),
            ("relative error", "number", "l2_relative"),
            smallest("l2_relative"),
            largest("l2_relative"),
            ("ends", "text", _ends),
        ],
        run.source(STUDY, nets),
    )


def _early_error(group: Results) -> Value:
    """The median relative error after a quarter of the evaluations, off the recorded curves."""
    found = []
    for record in group:
        arrays, norm = record.arrays, record.values.get("norm")
        if norm and "curve_evaluations" in arrays and "curve_l2_error" in arrays:
            work, error = (np.asarray(arrays[f"curve_{n}"]) for n in ("evaluations", "l2_error"))
            before = error[work <= EARLY * work[-1]] if len(work) else error
            found += [float(before[-1]) / float(norm)] if len(before) else []
    return median(found) if found else None


def relatives_table(run: Run, nets: Results) -> Table:
    """The nets on the related problems, with the error of a coarse N₀ solve."""
    groups: dict[tuple[Value, ...], list[StoredResult]] = {}
    for record in nets:
        groups.setdefault((record.config["problem"], given(record)), []).append(record)
    return medians_by(
        "reentrant-relatives",
        "Nets on related problems with f ≠ 0: losses and relative L² errors, medians over seeds. "
        "Where u itself was computed, differences below the error of that reference mean nothing.",
        ("problem", "loss and boundary"),
        {key: Results(records) for key, records in groups.items()},
        [
            *LOSSES,
            ("relative error", "number", "l2_relative"),
            ("coarse N₀ solve", "number", _coarse_error),
            ("error of the reference", "number", "reference_error"),
            ("ends", "text", _ends),
        ],
        run.source(STUDY, nets),
    )


def _coarse_error(group: Results) -> Value:
    error, norm = (group.records[0].values.get(name) for name in ("coarse_error", "norm"))
    return float(error) / float(norm) if error is not None and norm else None


def _by_kind(prism: Results) -> dict[str, list[StoredResult]]:
    """All usable runs on the prism by what they were given."""
    found: dict[str, list[StoredResult]] = {}
    for record in usable(prism):
        found.setdefault(given(record), []).append(record)
    return dict(sorted(found.items()))


def _by_size(prism: Results) -> dict[str, dict[str, dict[int, list[StoredResult]]]]:
    """The extremes of the map against width and against points, where there are several of them;
    the other of the two is that of the arm with most seeds."""
    found: dict[str, dict[str, dict[int, list[StoredResult]]]] = {}
    axes = (("width of the net", "width", "points"), ("points inside", "points", "width"))
    for words, name, other in axes:
        for label, where in EXTREMES.items():
            main = main_arm(prism, **where)
            if not main:
                continue
            same = {other: main[0].config[other]}
            sizes: dict[int, list[StoredResult]] = {}
            for record in usable(prism.select(KIND, **PLAIN, **where, **same)):
                sizes.setdefault(int(record.config[name]), []).append(record)
            if len(sizes) > 1:
                found.setdefault(words, {})[label] = sizes
    return found


WARNINGS = [
    Column("indicator"),
    Column("warns above", "number"),
    Column("wrong nets", "count"),
    Column("detected", "count"),
    Column("missed", "count"),
    Column("right nets", "count"),
    Column("false alarms", "count"),
]


def _indicators(run: Run, records: Sequence[StoredResult]) -> list[Block]:
    """Define the indicators, and count what each detects, misses and reports falsely."""
    if not records:
        return []
    text = (
        "Indicators that a user without u can compute ([[reentrant-indicators]]): the loss at "
        "held-out points over the loss at its own; the field v tested with the gradients of a "
        "coarse mesh, sup (v − u, ∇q)/‖∇q‖ over ‖v‖, a lower bound of the error that needs the "
        "data alone; the distance from a coarse N₀ solve over the norm of that solve; and that "
        "distance over the solve's own estimate of its error. The first three thresholds were "
        "fixed on other problems; the last needs none."
    )
    caption = "Wrong nets that each indicator detects and misses, and its false alarms."
    source = run.source(STUDY, Results(records))
    table = Table("reentrant-indicators", caption, WARNINGS, warning_rows(records), source)
    return [Paragraph(text), table]


def warning_rows(records: Sequence[StoredResult]) -> list[tuple[Value, ...]]:
    """By indicator: its threshold, detected, missed, false alarms."""
    warnings = [warned(record) for record in records]
    wrong = sum(is_wrong for is_wrong, _ in warnings)
    rows: list[tuple[Value, ...]] = []
    for name, key in INDICATORS.items():
        hits = sum(is_wrong and by[name] for is_wrong, by in warnings)
        false = sum(not is_wrong and by[name] for is_wrong, by in warnings)
        limit = 1.0 if key is None else thresholds()[key]
        label = f"{name}, by its own estimate" if name == ESTIMATED else name
        rows.append((label, limit, wrong, hits, wrong - hits, len(warnings) - wrong, false))
    return rows
