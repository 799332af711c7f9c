"""Rules that count: in how many runs something is true, and what a run is one of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.claims import Counted, Finding, NotTested
from bench.claims.rules import Examine, seeds_of
from bench.store.results import Results, StoredResult


def count(found: Results, true: Callable[[StoredResult], bool], what: str, command: str) -> Finding:
    """In how many runs is something true? `what` says so of {hits} of {runs}."""
    if not len(found):
        return NotTested(command)
    return counted([true(record) for record in found], found, what)


def counted(true: Sequence[bool], found: Results, what: str) -> Counted:
    """The same for what has been looked at already, record by record."""
    seeds, unit = seeds_and_unit(found)
    hits = sum(true)
    text = what.format(hits=hits, runs=f"{len(found)} {unit}")
    return Counted(hits, len(found), seeds, found.keys(), text, unit)


VARIED = {"tau0": "starts", "net": "nets", "tau": "policies for τ", "hidden": "depths"}


def seeds_and_unit(found: Results) -> tuple[int, str]:
    """How many seeds there are, and what the runs are: `seeds`, or `runs (10 seeds × 3 starts)`."""
    seeds = len({seeds_of(record)[0] for record in found})
    if seeds == len(found):
        return seeds, "seeds"
    varied = [words for name, words in VARIED.items() if len(found.distinct(name)) > 1]
    times, rest = divmod(len(found), seeds)
    what = varied[0] if len(varied) == 1 else "settings"
    return seeds, f"runs ({seeds} seeds × {times} {what})" if not rest else f"runs of {seeds} seeds"


def is_true_of(
    runs: Callable[[Results], Results],
    true: Callable[[StoredResult], bool],
    what: str,
    command: str,
) -> Examine:
    """What a claim declares that should be true of every one of some runs."""
    return lambda results: count(runs(results), true, what, command)
