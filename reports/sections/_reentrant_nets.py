"""The nets beside re-entrant edges: where they end, and what their loss says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bench.claims.reentrant import WRONG_ABOVE, end_of, ends
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Paragraph, Picture, Table, Value
from reports.figures.reentrant import floors, scatter
from reports.sections import _reentrant_warnings as warnings

STUDY = "reentrant"
KIND = "reentrant_net"
PLAIN = {"problem": "reentrant", "form": "div-curl", "div_exponent": 0.0, "singular": False}
RISEN = 2.0  # of the fine loss over its lowest value along a training
EARLY = 0.25  # of the evaluations: what a shorter training would have had
#: arms of the map whose rules inside and at the edge are alike
EXTREMES = {
    "penalty, uniform": {"boundary": "penalty", "inside": "uniform", "rim": "uniform"},
    "penalty, graded": {"boundary": "penalty", "inside": "graded", "rim": "graded"},
    "built in, uniform": {"boundary": "exact", "inside": "uniform"},
    "built in, graded": {"boundary": "exact", "inside": "graded"},
}


def on_the_prism(nets: Results) -> Results:
    """Those of `reentrant`, whose energy has a known limit."""
    return nets.select(KIND, problem="reentrant")


def usable(records: Results | Sequence[StoredResult]) -> list[StoredResult]:
    """Those that have an error and a loss: not diverged."""
    needed = ("l2_relative", "training_loss", "fine_loss", "held_out_loss")
    return [
        record
        for record in records
        if not record.values.get("diverged")
        and all(record.values.get(name) is not None for name in needed)
    ]


def main_arm(nets: Results, **where: Value) -> list[StoredResult]:
    """An arm of the map at the width and number of points that has most seeds."""
    found: dict[tuple[int, int], list[StoredResult]] = {}
    for record in usable(nets.select(KIND, **{**PLAIN, **where})):
        size = (int(record.config["width"]), int(record.config["points"]))
        found.setdefault(size, []).append(record)
    return max(found.values(), key=len, default=[])


def blocks(run: Run, nets: Results) -> list[Block]:
    """Everything about nets, as far as there are any."""
    prism = on_the_prism(nets)
    found: list[Block] = []
    if len(prism):
        rows = map_rows(prism)
        found.append(
            Table("reentrant-map", _caption_map(prism), MAP, rows, run.source(STUDY, prism))
        )
    found += _losses(run, prism)
    others = Results([record for record in nets if record.config["problem"] != "reentrant"])
    if len(others):
        found.append(
            Table(
                "reentrant-relatives",
                _caption_relatives(others),
                RELATIVES,
                relative_rows(others),
                run.source(STUDY, others),
            )
        )
    judged = usable(nets)
    return found + (warnings.blocks(judged, run.source(STUDY, nets)) if judged else [])


def _losses(run: Run, prism: Results) -> list[Block]:
    found: list[Block] = []
    kinds = by_kind(prism)
    if kinds:
        found.append(
            Picture(
                "reentrant-scatter",
                _caption_scatter(kinds),
                partial(scatter, kinds),
                "Relative error against the loss at the points of training and by a fine rule, one "
                "mark per run.",
                run.source(STUDY, prism),
            )
        )
        found.append(Paragraph(_off_the_floor([r for group in kinds.values() for r in group])))
    sizes = by_size(prism)
    if sizes:
        found.append(
            Picture(
                "reentrant-floors",
                _caption_floors(sizes),
                partial(floors, sizes),
                "Loss at the end of training against the width of the net and against the number "
                "of points, by the fine rule and at the points themselves.",
                run.source(STUDY, prism),
            )
        )
    return found


# ---------------------------------------------------------------- the map

MAP = [
    Column("loss and boundary at the edge"),
    Column("inside"),
    Column("at the edge"),
    Column("width", "count"),
    Column("points", "count"),
    Column("seeds", "count"),
    Column("loss at its points", "error"),
    Column("loss, fine rule", "error"),
    Column("error after ¼", "number"),
    Column("relative error", "number"),
    Column("smallest", "number"),
    Column("largest", "number"),
    Column("ends"),
]


def name_of(config: dict[str, Value]) -> str:
    """What a net was told, in a few words."""
    name = "built in" if config["boundary"] == "exact" else "penalty"
    if config["form"] != "div-curl":
        name = f"{config['form']} form, {name}"
    name += ", r div" if config["div_exponent"] else ""
    return name + (", told the singular function" if config["singular"] else "")


def map_rows(nets: Results) -> list[tuple[Value, ...]]:
    """Medians over seeds, a diverged run counting as infinite."""
    found: dict[tuple[Value, ...], list[StoredResult]] = {}
    for record in nets:
        config = record.config
        key: tuple[Value, ...] = (
            name_of(config), config["inside"], config["rim"], int(config["width"]),
            int(config["points"]),
        )  # fmt: skip
        found.setdefault(key, []).append(record)
    return [(*key, *_summary(records)) for key, records in found.items()]


def _summary(records: Sequence[StoredResult]) -> tuple[Value, ...]:
    group = Results(records)
    errors = group.errors("l2_relative")
    counted = [f"{count} {end}" for end, count in ends(records).items() if count]
    early = [value for value in map(early_error, records) if value is not None]
    return (
        len(records), median(group.errors("training_loss")), median(group.errors("fine_loss")),
        median(early) if early else None, median(errors), min(errors), max(errors),
        ", ".join(counted),
    )  # fmt: skip


def early_error(record: StoredResult) -> float | None:
    """The relative error after a quarter of the evaluations, off the recorded curve."""
    arrays, norm = record.arrays, record.values.get("norm")
    if norm is None or "curve_evaluations" not in arrays or "curve_l2_error" not in arrays:
        return None
    work, error = (np.asarray(arrays[f"curve_{name}"]) for name in ("evaluations", "l2_error"))
    before = error[work <= EARLY * work[-1]] if len(work) else error
    return float(before[-1]) / float(norm) if len(before) else None


def _caption_map(nets: Results) -> str:
    counted = {end: count for end, count in ends(list(nets)).items() if count}
    said = ", ".join(f"{count} {WORDS[end]}" for end, count in counted.items())
    whole = "The one net ends" if len(nets) == 1 else f"Where {len(nets)} nets end"
    return (
        f"{whole}: {said}. Right is below {WRONG_ABOVE:g} of u; medians over seeds; the error "
        "after a quarter of the evaluations is what a shorter training would have had."
    )


WORDS = {
    "right": "right",
    "nodal limit": "at the nodal limit",
    "overfitted": "overfitted between points",
    "still falling": "still falling",
    "elsewhere": "elsewhere",
    "diverged": "diverged",
}

RELATIVES = [
    Column("problem"),
    Column("form"),
    Column("boundary at the edges"),
    Column("seeds", "count"),
    Column("loss at its points", "error"),
    Column("loss, fine rule", "error"),
    Column("relative error", "number"),
    Column("coarse N₀ solve", "number"),
    Column("error of the reference", "number"),
    Column("ends"),
]


def relative_rows(nets: Results) -> list[tuple[Value, ...]]:
    """By problem, form and boundary values, beside the error of a coarse N₀ solve."""
    found: dict[tuple[Value, ...], list[StoredResult]] = {}
    for record in nets:
        config = record.config
        boundary = "built in" if config["boundary"] == "exact" else "penalty"
        key: tuple[Value, ...] = (config["problem"], config["form"], boundary)
        found.setdefault(key, []).append(record)
    rows: list[tuple[Value, ...]] = []
    for key, records in found.items():
        seeds, own, fine, _, error, _, _, counted = _summary(records)
        values = records[0].values
        mesh = float(values["coarse_error"]) / float(values["norm"])
        reference = values.get("reference_error")
        rows.append((*key, seeds, own, fine, error, mesh, reference, counted))
    return rows


def _caption_relatives(nets: Results) -> str:
    rows = relative_rows(nets)
    best = min(rows, key=lambda row: _number(row[6]))
    return (
        f"Problems with a current: of {len(nets)} {'net' if len(nets) == 1 else 'nets'} the best "
        f"setting is {best[0]} in the {best[1]} form, {best[2]}, with {_number(best[6]):.2g} of u "
        f"in the median; a coarse N₀ solve has {_number(best[7]):.2g} there. Where u itself was "
        "computed, its estimated error is given: differences below it mean nothing."
    )


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else float("inf")


# ---------------------------------------------------------------- what the loss says


def by_kind(prism: Results) -> dict[str, list[StoredResult]]:
    """All runs on the prism by what they were told, rules alike or not."""
    found: dict[str, list[StoredResult]] = {}
    for record in usable(prism):
        found.setdefault(name_of(record.config), []).append(record)
    return dict(sorted(found.items()))


def _caption_scatter(kinds: dict[str, list[StoredResult]]) -> str:
    records = [record for group in kinds.values() for record in group]
    if len(records) < 3:
        return "Error against loss, one mark per run: the loss does not say which end is right."
    said = [_rank_correlation(records, name) for name in ("training_loss", "fine_loss")]
    return (
        f"Over {len(records)} runs the error follows the loss at the points of training with a "
        f"rank correlation of {said[0]:.2f}, and the loss by a rule that resolves the edge with "
        f"{said[1]:.2f}: 1 would make the loss a measure of the error."
    )


def _rank_correlation(records: Sequence[StoredResult], name: str) -> float:
    """Spearman's, of a loss and the error."""
    ranks = [
        np.argsort(np.argsort([record.values[key] for record in records]))
        for key in (name, "l2_relative")
    ]
    return float(np.corrcoef(*ranks)[0, 1])


def by_size(prism: Results) -> dict[str, dict[str, dict[int, list[StoredResult]]]]:
    """The extremes of the map against width and against points, where there are several of them;
    the other of the two is that of the arm with most seeds."""
    found: dict[str, dict[str, dict[int, list[StoredResult]]]] = {}
    for words, name, other in (
        ("width of the net", "width", "points"),
        ("points inside", "points", "width"),
    ):
        for label, where in EXTREMES.items():
            main = main_arm(prism, **where)
            if not main:
                continue
            held = {other: main[0].config[other]}
            sizes: dict[int, list[StoredResult]] = {}
            for record in usable(prism.select(KIND, **PLAIN, **where, **held)):
                sizes.setdefault(int(record.config[name]), []).append(record)
            if len(sizes) > 1:
                found.setdefault(words, {})[label] = sizes
    return found


def _caption_floors(by: dict[str, dict[str, dict[int, list[StoredResult]]]]) -> str:
    parts = []
    for words, arms in by.items():
        for label, sizes in arms.items():
            if not label.startswith("built in"):
                continue
            low, high = min(sizes), max(sizes)
            first, last = (median([r.values["fine_loss"] for r in sizes[k]]) for k in (low, high))
            parts.append(f"{label}, {words} {low} to {high}: {first:.2g} to {last:.2g}")
    said = f" By the fine rule: {'; '.join(parts)}." if parts else ""
    return (
        "A loss that width and points do not bring down is a floor; one that falls at its own "
        f"points only has left it between them.{said}"
    )


def _off_the_floor(records: Sequence[StoredResult]) -> str:
    """How many nets left the floor of the loss between their points, and where that led."""
    left = [record for record in records if _has_risen(record)]
    right = sum(end_of(record) == "right" for record in left)
    stayed = [record for record in records if record not in left]
    stayed_right = sum(end_of(record) == "right" for record in stayed)
    nets = f"{len(left)} of {len(records)} {'net' if len(records) == 1 else 'nets'}"
    return (
        f"In {nets} the loss by the fine rule ended above {RISEN:g} times its lowest value while "
        "the loss at the points of training went on falling: they left the floor of the energy "
        f"between their points. Of these {right} ended right and {len(left) - right} wrong; of the "
        f"{len(stayed)} that stayed {stayed_right} ended right. Where they go from there is "
        "decided by the points, not by the loss."
    )


def _has_risen(record: StoredResult) -> bool:
    if "curve_fine_loss" not in record.arrays:
        return False
    fine = np.asarray(record.arrays["curve_fine_loss"])[1:]
    return bool(len(fine) and fine[-1] > RISEN * fine.min())
