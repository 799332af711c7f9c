"""A competitor: a method under conditions, as its kind of cell declares it."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError, nearest
from bench.core.information import INFORMATION

# Where the cost of a method's search for settings is counted.
SEARCHES = {
    "none": "nothing was searched",
    "counted": "searched by validation, in seconds_tuning",
    "elsewhere": "settings were found before, at a cost that is not counted",
}
# Families of nets and what of them is trained; partly: the output weights are eliminated.
NETS = {"net": "trained", "partly trained net": "partly trained", "untrained net": "untrained"}
PAPER_SAMPLES = 12_000
INPUTS = {"x": "positions", "f": "the right-hand side f", "phi": "the coefficient φ"}


@dataclass(frozen=True, kw_only=True)
class Competitor:
    """One result among its competitors.

    Results of one title, look and information are one competitor: runs that differ by their seed.
    """

    title: str  # in tables
    series: str  # in legends, where sizes of one method are one series
    family: str  # finite element, net, linear model: what figures colour alike
    look: str  # colour and marker within its family: member or member/variant
    information: str  # what it is given, a name of `bench.core.information`
    unknowns: int
    given: str = ""  # the same in words, if there is more to say than `information` does
    inputs: str = ""  # the same in a column
    tuned: str = "nothing"
    search: str = "none"  # for its settings: none, counted (seconds_tuning), elsewhere
    samples: int | None = None  # of the field, where it is given samples
    precision: str = "float64"

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise UserError(f"no search {self.search!r}; {nearest(self.search, list(SEARCHES))}")
        if self.information not in INFORMATION:
            hint = nearest(self.information, INFORMATION)
            raise UserError(f"unknown information {self.information!r}; {hint}")
        for name in ("given", "inputs"):
            usual = INFORMATION[self.information].given
            object.__setattr__(self, name, getattr(self, name) or usual)


def samples_given(samples: int, features: str) -> str:
    """`12,000 samples of u, with positions, the right-hand side f`"""
    inputs = [INPUTS.get(name.strip(), name.strip()) for name in features.split(",")]
    return f"{samples:,} samples of u, with {', '.join(inputs)}"


def samples_title(samples: int) -> str:
    """The number of samples as a title adds it, if it is not the paper's."""
    return "" if samples == PAPER_SAMPLES else f", {samples} samples"
