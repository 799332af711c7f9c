"""What the loss of a net beside a re-entrant edge says, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from bench.claims.themes.reentrant import WRONG_ABOVE, end_of
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.reentrant import floors, scatter
from reports.sections._reentrant_nets import (
    EXTREMES,
    KIND,
    PLAIN,
    STUDY,
    main_arm,
    name_of,
    on_the_prism,
    usable,
)

RISEN = 2.0  # of the fine loss over its lowest value along a training


def blocks(run: Run, nets: Results) -> list[Block]:
    """Error against loss, and where the loss ends, as far as there are nets on the prism."""
    prism = on_the_prism(nets)
    found: list[Block] = []
    kinds = by_kind(prism)
    if kinds:
        found.append(
            Picture(
                "reentrant-scatter",
                _caption_scatter(kinds),
                partial(scatter, kinds, WRONG_ABOVE),
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


def by_kind(prism: Results) -> dict[str, list[StoredResult]]:
    """All runs on the prism by what they were told, rules alike or not."""
    found: dict[str, list[StoredResult]] = {}
    for record in usable(prism):
        found.setdefault(name_of(record.config), []).append(record)
    return dict(sorted(found.items()))


def _caption_scatter(kinds: dict[str, list[StoredResult]]) -> str:
    records = [record for group in kinds.values() for record in group]
    if len(records) < 3:
        return "Error against loss, one mark per run. Above the dotted line an end is wrong."
    said = [_rank_correlation(records, name) for name in ("training_loss", "fine_loss")]
    return (
        f"Over {len(records)} runs the error follows the loss at the points of training with a "
        f"rank correlation of {said[0]:.2f}, and the loss by a rule that resolves the edge with "
        f"{said[1]:.2f}: 1 would make the loss a measure of the error. Above the dotted line an "
        "end is wrong."
    )


def _rank_correlation(records: Sequence[StoredResult], name: str) -> float:
    """Spearman's, of a loss and the error."""
    first, second = (
        np.argsort(np.argsort([float(record.values[key]) for record in records])).astype(float)
        for key in (name, "l2_relative")
    )
    return round(float(np.corrcoef(first, second)[0, 1]), 2) + 0.0  # no −0.00


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
        f"points only (dotted) has left it between them.{said}"
    )


def _off_the_floor(records: Sequence[StoredResult]) -> str:
    """How many nets left the floor of the loss between their points, and where that led."""
    left = [record for record in records if _has_risen(record)]
    right = sum(end_of(record) == "right" for record in left)
    stayed = [record for record in records if record not in left]
    stayed_right = sum(end_of(record) == "right" for record in stayed)
    nets = f"{len(left)} of {len(records)} {'net' if len(records) == 1 else 'nets'}"
    return (
        f"In {nets} the loss by the fine rule ended above {RISEN:g} times its lowest value along "
        "the training, in which the loss at the points only falls: the floor of the energy was "
        f"left between the points. Of these {right} ended right and {len(left) - right} wrong; of "
        f"the {len(stayed)} that stayed {stayed_right} ended right."
    )


def wrong_and_sure(records: Sequence[StoredResult]) -> str:
    """How many wrong ends have a smaller loss than half of the right ones; "" where none has."""
    losses: dict[bool, list[float]] = {True: [], False: []}
    for record in records:
        losses[end_of(record) == "right"].append(float(record.values["training_loss"]))
    if not losses[True]:
        return ""
    sure = sum(loss < median(losses[True]) for loss in losses[False])
    if not sure:
        return ""
    all_wrong = len(losses[False])
    return (
        f"Of {all_wrong} {'net' if all_wrong == 1 else 'nets'} more than "
        f"{100 * WRONG_ABOVE:.0f} % off {sure} "
        f"{'has' if sure == 1 else 'have'} a smaller loss at the points of training than the "
        f"median of the {len(losses[True])} others."
    )


def _has_risen(record: StoredResult) -> bool:
    if "curve_fine_loss" not in record.arrays:
        return False
    fine = np.asarray(record.arrays["curve_fine_loss"])[1:]
    return bool(len(fine) and fine[-1] > RISEN * fine.min())
