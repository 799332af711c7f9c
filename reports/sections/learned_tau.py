"""Is a learned τ worth it? Every arm tuned alike, and the rate over a thirty-fold range."""

from __future__ import annotations

from functools import partial

from bench.claims.themes.tau import (
    KIND,
    TITLES,
    Setting,
    arms_over_fixed,
    learned_over_fixed,
    runs_of,
    settings_of,
    tuned,
)
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Missing, Paragraph, Picture, Source, Table, Value
from reports.figures.tau import Effect, arms_beside_fixed
from reports.names import net_title
from reports.tables import medians_by

TITLE = "Is a learned τ worth it?"
ORDER = 62
STUDIES = ("learned_tau",)
GAP = "no results of the study of τ in this run."
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


def contents(run: Run) -> list[Block]:
    cells = run.results.select(KIND)
    if not len(cells):
        return []
    found = tuned(cells)
    return [Paragraph(_text(found)), *_forest(run), *_arms(run, found)]


def _forest(run: Run) -> list[Block]:
    """Learned over fixed in every setting of the study."""
    found = learned_over_fixed(run.results)
    drawn = [
        Effect(
            "at equal rate" if s.rate else f"each tuned, {TITLES.get(s.optimizer, s.optimizer)}",
            f"net/{s.net}",
            _name(s),
            *(e.ratio, e.low, e.high, e.decided),
        )
        for s, e in found.items()
    ]
    caption = (
        "Training error with τ learned per layer, divided by that with fixed τ. Above: learning "
        "rate, τ₀ and scale of the weights tuned alike for both; below: at one rate after the "
        "other, the rest tuned. Medians and 95 % intervals over seeds and data sets; filled marks "
        "are decided (two-sided, Holm's correction over all rows)."
    )
    draw = partial(arms_beside_fixed, drawn, "training error, learned τ over fixed τ")
    source = run.source(STUDY, run.results.select(KIND))
    forest = [Picture("tau-forest", caption, draw, caption, source)] if drawn else []
    gap = Missing("no sweep over the learning rate.", run.command(STUDY))
    return [*forest, *([] if any(setting.rate for setting in found) else [gap])]


def _text(found: Results) -> str:
    if not len(found):
        return "Only the sweep over the rate is in this run."
    c = found.records[0].config
    return (
        "An arm is one way to set the step sizes τ of the layers. Its learning rate, starting "
        "value τ₀ and scale of the weights are chosen from equally many points on tuning seeds "
        f"(seeds: {len(c['tuning_seeds'])}), then judged on other seeds (seeds: {len(c['seeds'])}, "
        f"data sets: {len(c['data_seeds'])}, samples: {c['samples']}, evaluations of J and its "
        f"gradient: {c['evaluations']}). For ReLU and τ > 0 a ResNet with τ is the same function "
        "as one without τ and with rescaled weights, so there an arm can only change the path of "
        "the optimiser; a learned τ below 0 is more than a rescaling."
    )


def _name(setting: Setting) -> str:
    name = f"{net_title(setting.net)}, H = {setting.hidden}"
    optimizer = TITLES.get(setting.optimizer, setting.optimizer)
    return f"{name}, {optimizer} at {setting.rate:g}" if setting.rate else name


def _arms(run: Run, found: Results) -> list[Block]:
    """Every arm against the fixed one: the ratios drawn, settings and errors as a table."""
    names = {s: f"{_name(s)}, {TITLES.get(s.optimizer, s.optimizer)}" for s in settings_of(found)}
    drawn = [
        Effect(names[s], f"net/{s.net}", ARMS[arm], e.ratio, e.low, e.high, e.decided)
        for (s, arm), e in arms_over_fixed(found, [arm for arm in ARMS if arm != "fixed"]).items()
    ]
    if not drawn:
        return []
    caption = (
        "Training error of every arm divided by that of the best fixed τ: medians and 95 % "
        "intervals; filled marks are decided (two-sided, Holm's correction over all rows)."
    )
    source = run.source(STUDY, found)
    draw = partial(arms_beside_fixed, drawn)
    return [Picture("tau-arms", caption, draw, caption, source), _table(names, found, source)]


def _table(names: dict[Setting, str], found: Results, source: Source) -> Table:
    groups = {
        (name, title): group
        for setting, name in names.items()
        for arm, title in ARMS.items()
        if len(group := setting.select(found, arm))
    }
    return medians_by(
        "tau-arms-table",
        "Every arm: chosen settings, errors (medians over seeds and data sets), and labels of its "
        "gradients before and after training.",
        ("setting", "arm"),
        groups,
        [
            ("chosen: rate, τ₀, scale", "text", _chosen),
            ("at the edge of the search", "text", _at_the_edge),
            ("training error", "error", lambda group: _median(group, "train_mse")),
            ("test error", "error", lambda group: _median(group, "rel_test_error")),
            ("labels, start to end", "text", _labels),
            ("diverged runs", "count", _lost),
        ],
        source,
    )


def _chosen(group: Results) -> Value:
    chosen = group.records[0].values["chosen"]
    rate = "" if chosen["rate"] is None else f"{chosen['rate']:g}, "
    return f"{rate}{chosen['tau0']}, {chosen['scale']:g}"


def _at_the_edge(group: Results) -> Value:
    return ", ".join(group.records[0].values["at_the_edge"]) or "no"


def _median(group: Results, name: str) -> Value:
    return median([run[name] for run in runs_of(group).values()])


def _labels(group: Results) -> Value:
    runs = runs_of(group).values()
    return "; ".join(sorted({f"{run['label_start']} to {run['label_end']}" for run in runs}))


def _lost(group: Results) -> Value:
    return sum(run["train_mse"] is None for run in runs_of(group).values())
