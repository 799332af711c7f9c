"""What nets and baselines are given with each sample, problem by problem: equal for both."""

from __future__ import annotations

from typing import Protocol


class Inputs(Protocol):
    """`features` from the most to the least; problems that show all, or the last only."""

    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def ablated(self) -> tuple[str, ...]: ...
    @property
    def bare(self) -> tuple[str, ...]: ...


def seen_by(problem: str, config: Inputs) -> tuple[str, ...]:
    """All features, the last only, or else the first only."""
    if problem in config.ablated:
        return config.features
    return config.features[-1:] if problem in config.bare else config.features[:1]
