"""Is a learned τ worth it? Every arm tuned alike, and the rate over a thirty-fold range."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.claims.entry import Row as Decided
from bench.claims.themes.tau import (
    KIND,
    TITLES,
    Setting,
    arms_over_fixed,
    learned_over_fixed,
    runs_of,
    settings_of,
    tuned,
    tuned_over_fixed,
)
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Source, Table, Value
from reports.figures.rows import Row, rows_in_groups
from reports.names import net_title
from reports.tables import Measure, medians_by

TITLE = "Is a learned τ worth it?"
ORDER = 62
STUDY = "learned_tau"
ARMS = {
    "fixed": "τ fixed",
    "global": "one learned τ",
    "learned": "τ learned per layer",
    "averaged": "learned, averaged, frozen",
    "permuted": "learned, permuted, frozen",
    "rezero": "ReZero",
    "rescaled": "weights rescaled, no τ",
}
TEXT = (
    "An arm is one way to set the step sizes τ of the layers. The learning rate and the starting "
    "value τ₀ of each arm (of ReZero the scale of its weights) are searched on tuning seeds, "
    "then judged on other seeds. For ReLU and τ > 0 a ResNet with τ is the same function as one "
    "without τ and with rescaled weights, so there an arm can only change the path of the "
    "optimiser. An arm that was chosen at the edge of its search may do better with a wider one."
)
FOREST = (
    "Training error with τ learned per layer, divided by that with fixed τ. First the settings in "
    "which learning rate and τ₀ are tuned alike for both, then single "
    "learning rates, the rest tuned. Medians and 95 % intervals over seeds and data sets; filled "
    "marks are decided (two-sided, Holm's correction over all rows)."
)
ARMS_CAPTION = (
    "Training error of every arm divided by that of the best fixed τ: medians and 95 % intervals; "
    "filled marks are decided (two-sided, Holm's correction over all rows)."
)
TABLE = (
    "Every arm: chosen settings, errors (medians over seeds and data sets), and labels of its "
    "gradients before and after training."
)
ERRORS = {"training error": "train_mse", "error at new points": "rel_test_error"}
DEEPEST = "ResNet, H = 50, Adam"
OVER_FIXED = "training error over that of fixed τ (left of 1 is better)"


def contents(run: Run) -> list[Block]:
    cells = run.results.select(KIND)
    if not len(cells):
        return []
    found, source = tuned(cells), run.source(STUDY, cells)
    blocks: list[Block] = [Paragraph(TEXT)]
    for name, caption, groups in (
        ("tau-forest", FOREST, learned_rows(run.results)),
        ("tau-arms", ARMS_CAPTION, arm_rows(found)),
    ):
        if groups:
            draw = partial(rows_in_groups, groups, OVER_FIXED, ratios=True)
            blocks.append(Picture(name, caption, draw, source))
    return [*blocks, *([_table(found, source)] if len(found) else [])]


def learned_rows(results: Results) -> dict[str, list[Row]]:
    """Learned over fixed in every setting of the study."""
    groups: dict[str, list[Row]] = {}
    for s, e in learned_over_fixed(results).items():
        title = "at equal rate" if s.rate else f"tuned, {TITLES.get(s.optimizer, s.optimizer)}"
        groups.setdefault(title, []).append(_row(_name(s), s, e))
    return groups


def tuned_rows(results: Results) -> dict[str, list[Row]]:
    """Learned over fixed, each tuned: the error of the training and that at new points; then the
    other arms on the deepest net."""
    groups = {
        title: [_row(_full_name(s), s, e) for s, e in tuned_over_fixed(results, metric).items()]
        for title, metric in ERRORS.items()
    }
    others = arm_rows(tuned(results)).get(DEEPEST, [])
    groups[f"other ways, {DEEPEST}"] = [row for row in others if row.name != ARMS["learned"]]
    return {title: rows for title, rows in groups.items() if rows}


def arm_rows(found: Results) -> dict[str, list[Row]]:
    """Every arm over the tuned fixed one, by setting."""
    groups: dict[str, list[Row]] = {}
    arms = [arm for arm in ARMS if arm != "fixed"]
    for (s, arm), e in arms_over_fixed(found, arms).items():
        groups.setdefault(_full_name(s), []).append(_row(ARMS[arm], s, e))
    return groups


def _row(name: str, s: Setting, e: Decided) -> Row:
    return Row(name, f"net/{s.net}", e.effect, *e.interval, e.decided, keys=e.cells)


def _name(setting: Setting) -> str:
    name = f"{net_title(setting.net)}, H = {setting.hidden}"
    return f"{name}, rate {setting.rate:g}" if setting.rate else name


def _full_name(setting: Setting) -> str:
    return f"{_name(setting)}, {TITLES.get(setting.optimizer, setting.optimizer)}"


def _table(found: Results, source: Source) -> Table:
    groups = {
        (_full_name(setting), title): group
        for setting in settings_of(found)
        for arm, title in ARMS.items()
        if len(group := setting.select(found, arm))
    }
    return medians_by("tau-arms-table", TABLE, ("setting", "arm"), groups, MEASURES, source)


def _chosen(group: Results) -> Value:
    chosen = group.records[0].values["chosen"]
    rate = "" if chosen["rate"] is None else f"{chosen['rate']:g}, "
    return f"{rate}{chosen['tau0']}, {chosen['scale']:g}"


def _each(group: Results, name: str) -> list[Any]:
    """A number of every run."""
    return [run[name] for run in runs_of(group).values()]


def _labels(group: Results) -> Value:
    pairs = zip(_each(group, "label_start"), _each(group, "label_end"), strict=True)
    return "; ".join(sorted({f"{start} to {end}" for start, end in pairs}))


MEASURES: list[Measure] = [
    ("chosen: rate, τ₀, scale", "text", _chosen),
    ("at the edge of the search", "text",
     lambda group: ", ".join(group.records[0].values["at_the_edge"]) or "no"),
    ("training error", "error", lambda group: median(_each(group, "train_mse"))),
    ("test error, cylinder", "error", lambda group: median(_each(group, "rel_test_error"))),
    ("labels, start to end", "text", _labels),
    ("diverged runs", "count", lambda group: _each(group, "train_mse").count(None)),
]  # fmt: skip
