"""The nets beside re-entrant edges: which there are, and where they end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.claims.themes.reentrant import WRONG_ABOVE, ends
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Column, Table, Value

STUDY = "reentrant"
KIND = "reentrant_net"
PLAIN = {"problem": "reentrant", "form": "div-curl", "div_exponent": 0.0, "singular": False}
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


def map_blocks(run: Run, nets: Results) -> list[Block]:
    """Where the nets on the prism end."""
    prism = on_the_prism(nets)
    if not len(prism):
        return []
    source = run.source(STUDY, prism)
    return [Table("reentrant-map", _caption_map(prism), MAP, map_rows(prism), source)]


def relative_blocks(run: Run, nets: Results) -> list[Block]:
    """Where those on the relatives end."""
    others = Results([record for record in nets if record.config["problem"] != "reentrant"])
    if not len(others):
        return []
    source = run.source(STUDY, others)
    rows = relative_rows(others)
    return [Table("reentrant-relatives", _caption_relatives(others), RELATIVES, rows, source)]


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
        mesh = _ratio(values.get("coarse_error"), values.get("norm"))
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


def _ratio(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else float(part) / float(whole)
