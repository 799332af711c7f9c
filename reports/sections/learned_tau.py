"""Is a learned τ worth it? Every arm tuned alike, and the rate over a thirty-fold range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from bench.claims import Compared
from bench.claims.statistics import SIGNIFICANCE, holm
from bench.claims.themes.tau import KIND, TITLES, compared_arms, runs_of, swept, tuned
from bench.store.results import Results, median
from reports.context import Run
from reports.document import Block, Column, Missing, Paragraph, Picture, Table, Value
from reports.figures.tau import Effect, arms_beside_fixed, ratio_against_rate
from reports.formatting import counted
from reports.names import in_place, net_title

TITLE = "Is a learned τ worth it?"
ORDER = 62
STUDIES = ("learned_tau",)
GAP = "no arm of the τ study in this run."
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
COLUMNS = [
    Column("setting"),
    Column("arm"),
    Column("chosen: rate, τ₀, scale"),
    Column("at the edge of the search"),
    Column("training error", "error"),
    Column("test error", "error"),
    Column("ratio to fixed", "number"),
    Column("95 %"),
    Column("p, two-sided", "p"),
    Column("labels, start to end"),
    Column("τ below 0"),
    Column("lost runs", "count"),
]


def article(run: Run) -> list[Block]:
    """Learned over fixed in every setting of the study, as one forest."""
    effects = learned_over_fixed(run.results.select(KIND))
    if not effects:
        return []
    caption = (
        f"{verdict(effects)} Training error of a τ learned per layer over that of a fixed one: "
        "above, rate, τ₀ and scale of the weights tuned alike for both; below, at one rate after "
        "the other, the rest tuned. Median and 95 % interval over seeds and data sets; full marks "
        "are decided, two-sided, Holm over all rows."
    )
    draw = partial(arms_beside_fixed, effects, "training error, learned τ over fixed τ")
    source = run.source(STUDY, run.results.select(KIND))
    lead = f"{verdict(effects)} {_text(tuned(run.results))} All arms are in the supplement."
    return [Paragraph(lead), Picture("tau-forest", caption, draw, verdict(effects), source)]


def headline(run: Run) -> str:
    """Where a learned τ pays."""
    effects = learned_over_fixed(run.results.select(KIND))
    return f"**A step τ learned per layer:** {_said(effects)}." if effects else ""


def verdict(effects: Sequence[Effect]) -> str:
    said = _said(effects)
    return f"{said[0].upper()}{said[1:]}."


def _said(effects: Sequence[Effect]) -> str:
    """`tuned against tuned it trains better in 2, worse in 1, undecided in 5 of 8 settings (errors
    0.5 to 1.5 times those of a fixed τ); at equal rate …`"""
    parts: list[str] = []
    for words, unit, some in (
        ("tuned against tuned", "setting", [e for e in effects if e.series != AT_EQUAL_RATE]),
        ("at equal rate", "rate", [e for e in effects if e.series == AT_EQUAL_RATE]),
    ):
        if not some:
            continue
        better = sum(e.decided and e.ratio < 1 for e in some)
        worse = sum(e.decided and e.ratio > 1 for e in some)
        span = f"{min(e.ratio for e in some):.2g} to {max(e.ratio for e in some):.2g}"
        ratios = f"errors {span}" if len(some) > 1 else f"error {some[0].ratio:.2g}"
        if not parts:  # said once
            ratios += f" times {'those' if len(some) > 1 else 'that'} of a fixed τ"
        parts.append(
            f"{words} it trains better in {better}, worse in {worse}, undecided in "
            f"{len(some) - better - worse} of {counted(len(some), unit)} ({ratios})"
        )
    return "; ".join(parts)


AT_EQUAL_RATE = "at equal rate"


def learned_over_fixed(cells: Results) -> list[Effect]:
    """Every setting in which both arms were judged on shared seeds, tuned ones first."""
    found, pairs = tuned(cells), []
    for net, hidden, by in _settings(found):
        mode = {"net": net, "hidden": hidden, "optimizer": by}
        place, title = f"{net_title(net)}, H = {hidden}", f"each tuned, {TITLES.get(by, by)}"
        pairs.append((title, net, place, compared_arms(found, "learned", "fixed", "", **mode)))
    found = swept(cells)
    for net, hidden, by in _settings(found):
        for rate in sorted({r.config["rates"][0] for r in found}):
            mode = {"net": net, "hidden": hidden, "optimizer": by, "rates": [rate]}
            place = f"{net_title(net)}, H = {hidden}, {TITLES.get(by, by)} at {rate:g}"
            seen = compared_arms(found, "learned", "fixed", "", **mode)
            pairs.append((AT_EQUAL_RATE, net, place, seen))
    there = [
        (title, net, place, seen.comparison)
        for title, net, place, seen in pairs
        if isinstance(seen, Compared)
    ]
    adjusted = holm({str(at): c.p_value for at, (*_, c) in enumerate(there)})
    return [
        Effect(title, f"net/{net}", place, c.ratio, c.low, c.high, adjusted[str(at)] < SIGNIFICANCE)
        for at, (title, net, place, c) in enumerate(there)
    ]


def contents(run: Run) -> list[Block]:
    cells = run.results.select(KIND)
    if not len(cells):
        return []
    found = tuned(cells)
    return [Paragraph(_text(found)), *_sweep(run, swept(cells)), *_arms(run, found)]


def _text(found: Results) -> str:
    if not len(found):
        return "Only the sweep over the rate is in this run."
    config = found.records[0].config
    points = {
        max(1, len(c["rates"])) * len(c["tau0s"]) * len(c["scales"])
        for c in (record.config for record in found)
    }
    return (
        f"Rate, τ₀ and scale of the weights are chosen for every arm from {_range(points)} points "
        f"on {counted(len(config['tuning_seeds']), 'tuning seed')}, then judged on "
        f"{counted(len(config['seeds']), 'other seed')} crossed with "
        f"{counted(len(config['data_seeds']), 'data set')} of {config['samples']} points; every "
        f"training has {config['evaluations']} evaluations of J and its gradient. "
        "For ReLU and τ > 0 a ResNet with τ is the same function as one without and with rescaled "
        "weights, so that what an arm gains there is a matter of the path of the optimiser; where "
        "a learned τ ends below 0 it is more than a rescaling."
    )


def _range(numbers: set[int]) -> str:
    return f"{min(numbers)}" if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)}"


def _sweep(run: Run, found: Results) -> list[Block]:
    effects = list(_over_rates(found))
    if len(effects) < 2:
        return [Missing("no sweep over the learning rate.", run.command(STUDY))]
    better = sum(effect.decided and effect.ratio < 1 for effect in effects)
    worse = sum(effect.decided and effect.ratio > 1 for effect in effects)
    rates = [float(effect.place) for effect in effects]
    said = (
        f"Over a {max(rates) / min(rates):.0f}-fold range of rates a learned τ is better at "
        f"{better}, worse at {worse} and undecided at {len(effects) - better - worse} of "
        f"{len(effects)} rates."
    )
    caption = (
        f"{said} Training error of learned over fixed τ at equal rate, τ₀ and scale of the weights "
        "tuned alike at each; median over seeds with its 95 % interval; full marks are decided, "
        "two-sided, Holm over the rates."
    )
    draw = partial(ratio_against_rate, effects)
    return [Picture("tau-against-rate", caption, draw, said, run.source(STUDY, found))]


def _over_rates(found: Results) -> Iterator[Effect]:
    for net in in_place("net", found.distinct("net")):
        for hidden in found.select(KIND, net=net).distinct("hidden"):
            mode = {"net": net, "hidden": hidden, "optimizer": "adam"}
            rates = sorted({r.config["rates"][0] for r in found.select(KIND, **mode)})
            seen = {
                rate: finding
                for rate in rates
                if isinstance(
                    finding := compared_arms(found, "learned", "fixed", "", rates=[rate], **mode),
                    Compared,
                )
            }
            yield from _effects(f"{net_title(net)}, H = {hidden}", f"net/{net}", seen)


def _effects(series: str, look: str, seen: dict[float, Compared]) -> Iterator[Effect]:
    adjusted = holm({repr(place): finding.comparison.p_value for place, finding in seen.items()})
    for place, finding in seen.items():
        c, decided = finding.comparison, adjusted[repr(place)] < SIGNIFICANCE
        yield Effect(series, look, place, c.ratio, c.low, c.high, decided)


def _arms(run: Run, found: Results) -> list[Block]:
    rows, effects = [], []
    for net, hidden, by in _settings(found):
        mode = {"net": net, "hidden": hidden, "optimizer": by}
        name = f"{net_title(net)}, H = {hidden}, {TITLES.get(by, by)}"
        for arm in ARMS:
            if not len(found.select(KIND, arm=arm, **mode)):
                continue
            against = compared_arms(found, arm, "fixed", "", **mode)
            rows.append(_row(found, name, arm, mode, against))
            if arm != "fixed" and isinstance(against, Compared):
                c = against.comparison
                decided = c.p_value < SIGNIFICANCE
                place = ARMS[arm]
                effects.append(Effect(name, f"net/{net}", place, c.ratio, c.low, c.high, decided))
    source = run.source(STUDY, found)
    if not effects:
        return []
    caption = (
        "Every arm's training error over that of the best fixed τ, median with 95 % interval; full "
        "marks have p < 0.05 by themselves (the ledger adjusts over all controls)."
    )
    return [
        Picture("tau-arms", caption, partial(arms_beside_fixed, effects), caption, source),
        Table("tau-arms-table", "The arms in numbers.", COLUMNS, rows, source),
    ]


def _settings(found: Results) -> list[tuple[str, int, str]]:
    seen = {(r.config["net"], r.config["hidden"], r.config["optimizer"]) for r in found}
    nets = in_place("net", found.distinct("net"))
    return sorted(seen, key=lambda s: (s[2] != "adam", s[2], nets.index(s[0]), s[1]))


def _row(
    found: Results, name: str, arm: str, mode: dict[str, object], against: object
) -> list[Value]:
    records = found.select(KIND, arm=arm, **mode)
    runs = list(runs_of(records).values())
    chosen = records.records[0].values["chosen"]
    rate = "" if chosen["rate"] is None else f"{chosen['rate']:g}, "
    labels = {f"{r['label_start']} to {r['label_end']}" for r in runs}
    row: list[Value] = [
        name,
        ARMS[arm],
        f"{rate}{chosen['tau0']}, {chosen['scale']:g}",
        ", ".join(records.records[0].values["at_the_edge"]) or "no",
        median([r["train_mse"] for r in runs]),
        median([r["rel_test_error"] for r in runs]),
    ]
    if arm != "fixed" and isinstance(against, Compared):
        c = against.comparison
        row += [c.ratio, f"{c.low:.3g} to {c.high:.3g}", c.p_value]
    else:
        row += [None, None, None]
    negative = [r["tau_negative"] for r in runs if "tau_negative" in r]
    share = f"{sum(negative) / len(negative):.0%}" if negative else None
    return [*row, "; ".join(sorted(labels)), share, sum(r["train_mse"] is None for r in runs)]
