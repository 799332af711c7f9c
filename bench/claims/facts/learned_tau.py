"""The τ study: how often a learned τ trains better than a fixed one, and by what factor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from bench.claims.entry import Row, Verdict
from bench.claims.facts import Fact
from bench.claims.rules import tabled, without_one
from bench.claims.themes.tau import arms_over_fixed, compare_all, learned_over_fixed, tuned
from bench.store.results import Results

ARMS = ("learned", "global", "averaged", "permuted", "rezero", "rescaled")
WORDS: dict[Verdict, str] = {
    "holds": "better",
    "fails": "worse",
    "no difference": "equal",
    "undecided": "undecided",
    "refused": "refused",
}


TUNED = "rate, τ₀ and weight scale tuned alike for both arms"
EQUAL_RATE = "one learning rate for both arms, τ₀ and weight scale tuned alike"


def facts(results: Results) -> Iterator[Fact]:
    """The ratio of every tuned arm as `NET-LAYERS-OPTIMISER-ARM`; counts of signs and the range of
    the ratios of τ learned, for tuned arms and at equal rates; `tests-without-one` and
    `trains-without-one`: the pooled ratio without the setting that moves it most, and its `-p`."""
    for prefix, metric in (("tests", "rel_test_error"), ("trains", "train_mse")):
        yield from _without_one(results, prefix, metric)
    for (setting, arm), row in arms_over_fixed(results, ARMS).items():
        name = f"{setting.net}-{setting.hidden}-{setting.optimizer}-{arm}"
        yield _ratio(name, row.effect, [row], TUNED)
    learned = learned_over_fixed(results)
    for prefix, conditions in (("tuned", TUNED), ("equal-rate", EQUAL_RATE)):
        rows = [row for s, row in learned.items() if (s.rate is None) == (prefix == "tuned")]
        if not rows:
            continue
        signs = Counter(row.verdict for row in rows)
        counts = {word: signs[verdict] for verdict, word in WORDS.items()} | {"settings": len(rows)}
        for word, number in counts.items():
            fact = _ratio(f"{prefix}-{word}", number, rows, conditions)
            yield fact.named(fact.name, number, "settings")
        ratios = [row.effect for row in rows]
        yield _ratio(f"{prefix}-smallest-ratio", min(ratios), rows, conditions)
        yield _ratio(f"{prefix}-largest-ratio", max(ratios), rows, conditions)


def _without_one(results: Results, prefix: str, metric: str) -> Iterator[Fact]:
    """Without the setting whose removal moves the ratio most."""
    parts = {str(s): p for s, p in compare_all(tuned(results), "learned", "fixed", metric).items()}
    if len(parts) < 3:
        return
    pooled = tabled(parts, metric, "setting")
    here = math.log(pooled.comparison.ratio)
    rests = without_one(pooled)
    if not rests or not math.isfinite(here):
        return
    name = max(rests, key=lambda each: abs(math.log(rests[each].ratio) - here))
    found = Fact(
        name=f"{prefix}-without-one", value=rests[name].ratio, unit=f"{metric} over τ fixed",
        domain=pooled.domain, seeds=rests[name].pairs, conditions=f"{TUNED}; without {name}",
        cells=pooled.cells,
    )  # fmt: skip
    yield found
    yield found.named(f"{prefix}-without-one-p", rests[name].p_value, "p-value, two-sided")


def _ratio(name: str, value: float, rows: list[Row], conditions: str) -> Fact:
    return Fact(
        name=name, value=value, unit="train_mse over τ fixed", domain="training samples",
        seeds=min(row.seeds for row in rows), conditions=conditions,
        cells=tuple(key for row in rows for key in row.cells),
    )  # fmt: skip
