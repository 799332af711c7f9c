"""The inputs that nets and baselines are given on each problem: the same for both."""

from __future__ import annotations

from typing import Any


def seen_by(problem: str, config: Any) -> tuple[str, ...]:
    """The feature sets used on a problem: all (`ablated`), the last only (`bare`), or the first."""
    features: tuple[str, ...] = config.features
    if problem in config.ablated:
        return features
    return features[-1:] if problem in config.bare else features[:1]
