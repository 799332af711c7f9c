"""The kinds of findings that a claim can return, from which the ledger makes verdicts."""

from __future__ import annotations

from dataclasses import dataclass

from bench.claims.statistics import Comparison


@dataclass(frozen=True)
class Compared:
    """The claim says that one arm has the smaller number.

    `halves` are the median ratios over halves of the seeds: the even and the odd places, the first
    and the last, and each data set by itself where several were crossed with the seeds. Two runs
    with disjoint seeds, read together, are among them.
    """

    comparison: Comparison
    halves: tuple[float, ...]
    cells: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class Counted:
    """The claim is checked run by run: in how many of how many runs, of how many seeds, is it true?

    If `runs` is a multiple of the seeds, the evidence says what else varies.
    """

    true: int
    runs: int
    seeds: int
    cells: tuple[str, ...]
    what: str
    unit: str = "seeds"


@dataclass(frozen=True)
class Checked:
    """A claim that no seed decides: true or false, to the accuracy of what was measured."""

    true: bool
    cells: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class Depends:
    """The answer is yes here and no there; `on` says what decides it, `what` shows where."""

    on: str
    cells: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class Untestable:
    """No measurement can decide the claim as stated; `why`, and what could be measured."""

    why: str
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotTested:
    """Cells are missing; the command computes them."""

    command: str


Finding = Compared | Counted | Checked | Depends | Untestable | NotTested
