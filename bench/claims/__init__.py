"""The ledger: every claim of the paper, a rule declared before looking, a verdict from the data.

Each file beside this one declares claims of one theme in a list `CLAIMS`. A claim's `examine` looks
at the results and returns a finding: a paired comparison, a count over seeds, a fact that does not
depend on seeds, or the command that is still missing. `ledger` turns findings into verdicts.

A claim names its direction, so its test is one-sided; p-values are adjusted over all comparisons of
the ledger (Holm). At most one in twenty ledgers then calls anything true that is not, and at most
one in twenty calls anything false that is true. Ten seeds that all agree (p = 0.001) decide
among up to fifty comparisons; a two-sided test would already fail them at twenty-six.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.errors import UserError
from bench.statistics import FEWEST_PAIRS, Comparison, holm
from bench.store.results import Results

SIGNIFICANCE = 0.05
SEED_DEPENDENT = "seed-dependent"  # how a verdict begins that other seeds contradict

Status = Literal["holds", "holds in some seeds", "does not hold", "not tested yet"]


@dataclass(frozen=True)
class Compared:
    """The claim says that one arm has the smaller number.

    `halves` are the median ratios over halves of the seeds: the even and the odd places, the first
    and the last. Two runs with disjoint seeds, read together, are among them.
    """

    comparison: Comparison
    halves: tuple[float, ...]
    cells: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class Counted:
    """The claim is checked run by run: in how many of how many seeds is it true?"""

    true: int
    seeds: int
    cells: tuple[str, ...]
    what: str
    unit: str = "seeds"


@dataclass(frozen=True)
class Fact:
    """The claim does not depend on seeds: true or false, to the accuracy of what was measured."""

    true: bool
    cells: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class NotTested:
    """Cells are missing; the command makes them."""

    command: str


Finding = Compared | Counted | Fact | NotTested


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One sentence of the paper in our words, where it stands, and the rule that decides it.

    It speaks of `problems` and is shown their results alone (and those of cells without a problem);
    () means whatever there is.
    """

    name: str
    sentence: str
    where: str
    rule: str
    examine: Callable[[Results], Finding]
    note: str = ""
    problems: tuple[str, ...] = ("maxwell",)

    def seen(self, results: Results) -> Results:
        """What the claim may look at."""
        if not self.problems:
            return results
        known = (None, *self.problems)
        return Results([r for r in results if r.config.get("problem") in known])

    def concerns(self, problems: Collection[str]) -> bool:
        """Whether it speaks of one of these."""
        return not problems or not self.problems or bool({*problems} & {*self.problems})


@dataclass(frozen=True)
class Entry:
    """A claim with its verdict; `evidence` is a sentence made from the numbers."""

    claim: Claim
    status: Status
    verdict: str
    evidence: str
    cells: tuple[str, ...]
    finding: Finding
    p_adjusted: float | None = None


_outside: dict[str, Callable[[], Sequence[Claim]]] = {}


def add(name: str, load: Callable[[], Sequence[Claim]]) -> None:
    """A theme from outside this folder; `load` gives its claims."""
    _outside[name] = load


def all_claims() -> list[Claim]:
    """The claims of every theme, in the order of the files' names; those from outside last."""
    themes = sorted(info.name for info in pkgutil.iter_modules(__path__) if info.name[0] != "_")
    inside = [claim for theme in themes for claim in _declared(theme)]
    return [*inside, *(claim for theme in sorted(_outside) for claim in _outside[theme]())]


def _declared(theme: str) -> Sequence[Claim]:
    module = importlib.import_module(f"{__name__}.{theme}")
    if not hasattr(module, "CLAIMS"):
        raise UserError(f"{module.__name__} declares no claims: it defines no CLAIMS")
    claims: Sequence[Claim] = module.CLAIMS
    return claims


def ledger(results: Results, claims: Sequence[Claim] | None = None) -> list[Entry]:
    """A verdict on every claim; a claim cannot pass on missing data."""
    chosen = all_claims() if claims is None else claims
    findings = {claim.name: claim.examine(claim.seen(results)) for claim in chosen}
    adjusted = holm(
        {
            name: finding.comparison.p_value / 2  # in the direction that was seen
            for name, finding in findings.items()
            if isinstance(finding, Compared)
        }
    )
    return [_entry(claim, findings[claim.name], adjusted.get(claim.name)) for claim in chosen]


def _entry(claim: Claim, finding: Finding, p_adjusted: float | None) -> Entry:
    match finding:
        case NotTested(command):
            return Entry(claim, "not tested yet", "not tested yet", command, (), finding)
        case Fact(true, cells, what):
            status: Status = "holds" if true else "does not hold"
            return Entry(claim, status, status, what, cells, finding)
        case Counted(true, seeds, cells, what, unit):
            status = _counted_status(true, seeds)
            words = _in_words(status, true, seeds, unit)
            return Entry(claim, status, words, what, cells, finding)
        case Compared(comparison, _, cells, what):
            assert p_adjusted is not None
            status = _compared_status(finding, p_adjusted)
            words = _in_words(status, comparison.wins, comparison.pairs)
            if _is_decided(finding, p_adjusted) and _halves_contradict(finding):
                words = f"{SEED_DEPENDENT}: {words}"
            evidence = f"{what}: {_effect(comparison, p_adjusted)}"
            return Entry(claim, status, words, evidence, cells, finding, p_adjusted)


def _counted_status(true: int, seeds: int) -> Status:
    """All or none of enough seeds decides; anything else depends on the seed."""
    if seeds >= FEWEST_PAIRS and true in (0, seeds):
        return "holds" if true == seeds else "does not hold"
    return "holds in some seeds"


def _compared_status(finding: Compared, p_adjusted: float) -> Status:
    """Significant over the whole ledger, and no half of the seeds contradicts its other half."""
    if not _is_decided(finding, p_adjusted) or _halves_contradict(finding):
        return "holds in some seeds"
    return "holds" if finding.comparison.ratio < 1 else "does not hold"


def _is_decided(finding: Compared, p_adjusted: float) -> bool:
    return finding.comparison.pairs >= FEWEST_PAIRS and p_adjusted < SIGNIFICANCE


def _halves_contradict(finding: Compared) -> bool:
    return len({ratio < 1 for ratio in finding.halves}) > 1


def agreement(entries: Sequence[Entry]) -> str:
    """One claim in several runs, which may have other seeds: what they say together.

    Runs that decide against each other leave the claim undecided, however sure each of them is.
    """
    tested = [entry for entry in entries if entry.status != "not tested yet"]
    said = {entry.status for entry in tested}
    if not tested:
        return "not tested yet"
    if {"holds", "does not hold"} <= said:
        return f"{SEED_DEPENDENT}: the runs contradict each other"
    if len(tested) == 1:
        return f"{tested[0].verdict} (tested in one run only)"
    if said == {"holds in some seeds"}:
        return "holds in some seeds"
    decided = (said - {"holds in some seeds"}).pop()
    return decided if len(said) == 1 else f"{decided}, but not in every run"


def _in_words(status: Status, true: int, seeds: int, unit: str = "seeds") -> str:
    return f"holds in {true} of {seeds} {unit}" if status == "holds in some seeds" else status


def _effect(comparison: Comparison, p_adjusted: float) -> str:
    lost = comparison.diverged_a + comparison.diverged_b
    diverged = f"; {lost} diverged runs counted as worst" if lost else ""
    return (
        f"median ratio {comparison.ratio:.3g} (95 % interval {comparison.low:.3g} to "
        f"{comparison.high:.3g}), smaller in {comparison.wins} of {comparison.pairs} seeds, "
        f"one-sided p = {comparison.p_value / 2:.2g}, over the ledger {p_adjusted:.2g}{diverged}"
    )
