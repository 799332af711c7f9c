"""The τ study: how often a learned τ trains better than a fixed one, and by what factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.claims.entry import Row, Verdict
from bench.claims.facts import Fact
from bench.claims.themes.tau import arms_over_fixed, learned_over_fixed
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
    the ratios of τ learned, for tuned arms and at equal rates."""
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


def _ratio(name: str, value: float, rows: list[Row], conditions: str) -> Fact:
    return Fact(
        name=name, value=value, unit="train_mse over τ fixed", domain="training samples",
        seeds=min(row.seeds for row in rows), conditions=conditions,
        cells=tuple(key for row in rows for key in row.cells),
    )  # fmt: skip
