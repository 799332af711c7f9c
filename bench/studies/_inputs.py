"""The inputs that nets and baselines are given on each problem: the same for both."""

from __future__ import annotations

from typing import Protocol


class Inputs(Protocol):
    """`features` from most to least; problems with all (`ablated`) or the last only (`bare`)."""

    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def ablated(self) -> tuple[str, ...]: ...
    @property
    def bare(self) -> tuple[str, ...]: ...


def seen_by(problem: str, config: Inputs) -> tuple[str, ...]:
    """The feature sets used on a problem: all, the last only, or (by default) the first only."""
    if problem in config.ablated:
        return config.features
    return config.features[-1:] if problem in config.bare else config.features[:1]
