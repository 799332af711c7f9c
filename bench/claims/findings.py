"""The kinds of findings that a claim can return, from which the ledger makes verdicts.

Every finding says where its number was measured (`domain`). A finding over several settings (sizes,
architectures, rates) has a `table`: one finding of the same kind per setting, by its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from bench.claims.statistics import Comparison, compare_logs


@dataclass(frozen=True)
class Refusal:
    """The admissibility rule that a comparison breaks, and how."""

    rule: str
    why: str


@dataclass(frozen=True)
class Compared:
    """The claim says that one arm has the smaller number.

    Over several settings, which differ in what `along` says, a seed counts once, with the mean of
    its log-ratios.
    """

    by_seed: Mapping[int, float]  # log(a/b), infinite where one diverged
    cells: tuple[str, ...]
    what: str
    domain: str = ""
    lost: tuple[int, int] = (0, 0)  # diverged runs of the two arms
    along: str = "the setting"
    table: Mapping[str, Compared] = field(default_factory=dict)
    refused: Refusal | None = None

    @cached_property
    def comparison(self) -> Comparison:
        logs = [self.by_seed[seed] for seed in sorted(self.by_seed)]
        return compare_logs(np.array(logs), *self.lost)


@dataclass(frozen=True)
class Counted:
    """The claim is checked seed by seed: in how many of how many seeds is it true?

    Over several settings a seed counts once, as true if all of its settings are. `table` has the
    parts of a claim that must all be true or, if it is one `along` settings, each of them alone.
    """

    true: int
    seeds: int
    cells: tuple[str, ...]
    what: str
    domain: str = ""
    along: str = ""
    table: Mapping[str, Counted] = field(default_factory=dict)
    refused: Refusal | None = None


@dataclass(frozen=True)
class Checked:
    """A claim that no seed decides: true or false, to the accuracy of what was measured.

    `effect` is the number that decided, `interval` its range over what was checked. A claim that
    is true for some settings of its `table` and false for others depends on what `along` says. A
    `printed` number that no seed comes near is not reproduced, which is not false.
    """

    true: bool
    cells: tuple[str, ...]
    what: str
    domain: str = ""
    effect: float | None = None
    interval: tuple[float, float] | None = None
    seeds: int = 0
    printed: bool = False
    along: str = "the setting"
    table: Mapping[str, Checked] = field(default_factory=dict)
    refused: Refusal | None = None


@dataclass(frozen=True)
class Untestable:
    """No measurement can decide the claim as stated; `why`, and what could be measured."""

    why: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotTested:
    """Cells are missing; the command computes them."""

    command: str


class Missing(Exception):
    """Raised if a run lacks the cells that a claim needs."""


Found = TypeVar("Found", bound=Sized)


def need(found: Found, *others: Sized) -> Found:
    """Return what was found, if neither it nor one of the others is empty."""
    groups: tuple[Sized, ...] = (found, *others)
    if not all(len(group) for group in groups):
        raise Missing
    return found


Measured = Compared | Counted | Checked
Finding = Measured | Untestable | NotTested
