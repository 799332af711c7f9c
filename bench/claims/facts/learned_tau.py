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


def facts(results: Results) -> Iterator[Fact]:
    """Counts of signs and the range of the ratios, for tuned arms and at equal rates; the ratio of
    every arm as `NET-LAYERS-OPTIMISER-ARM`."""
    effects = learned_over_fixed(results)
    yield from _arms(results)
    for prefix, at_rates, conditions in (
        ("tuned", False, "rate, τ₀ and weight scale tuned alike for both arms"),
        ("equal-rate", True, "one learning rate for both arms, τ₀ and weight scale tuned alike"),
    ):
        some = [e for setting, e in effects.items() if (setting.rate is not None) == at_rates]
        if not some:
            continue
        signs = Counter(effect.verdict for effect in some)
        ratios = [effect.effect for effect in some]
        numbers = {f"{prefix}-{word}": signs[verdict] for verdict, word in WORDS.items()}
        numbers[f"{prefix}-settings"] = len(some)
        for name, number in numbers.items():
            yield _fact(name, number, "settings", some, conditions)
        for name, ratio in (("smallest", min(ratios)), ("largest", max(ratios))):
            yield _fact(f"{prefix}-{name}-ratio", ratio, "train_mse over τ fixed", some, conditions)


def _arms(results: Results) -> Iterator[Fact]:
    """The training error of every tuned arm over that of the tuned fixed τ."""
    conditions = "rate, τ₀ and weight scale tuned alike for both arms"
    for (setting, arm), effect in arms_over_fixed(results, ARMS).items():
        name = f"{setting.net}-{setting.hidden}-{setting.optimizer}-{arm}"
        yield _fact(name, effect.effect, "train_mse over τ fixed", [effect], conditions)


def _fact(name: str, value: float, unit: str, some: list[Row], conditions: str) -> Fact:
    cells = tuple(key for effect in some for key in effect.cells)
    seeds = min(effect.seeds for effect in some)
    return Fact(
        name=name, value=value, unit=unit, domain="training samples", seeds=seeds,
        conditions=conditions, cells=cells,
    )  # fmt: skip
