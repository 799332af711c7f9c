"""What the first page says, computed: winners by what is told, and the claims that matter most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.claims import Compared, Entry
from reports.contenders import Contender, contenders, contested, entrant
from reports.context import Run
from reports.decision import Decision, decide
from reports.document import Column, Table, Value
from reports.formatting import scientific, show

SHOWN_ERRORS = (1e-2, 1e-4, 1e-6, 1e-8)
TOLD = {"oracle": "the field", "fit": "samples", "solve": "the equation"}
MAIN = "maxwell"


@dataclass(frozen=True)
class Fields:
    """The contenders of every problem of a run."""

    by_problem: Mapping[str, list[Contender]]

    @classmethod
    def of(cls, run: Run) -> Fields:
        return cls({name: contenders(run.results, name) for name in contested(run.results)})

    @property
    def main(self) -> str | None:
        """The problem that the first figure is about: the paper's, or whatever there is."""
        names = list(self.by_problem)
        return MAIN if MAIN in names else names[0] if names else None

    def fullest(self, problem: str, track: str) -> list[Contender]:
        """Those under the conditions that most methods share; only they are compared."""
        groups: dict[object, list[Contender]] = {}
        for contender in self.by_problem[problem]:
            if contender.track == track:
                groups.setdefault(contender.conditions, []).append(contender)
        return max(groups.values(), key=len, default=[])

    def decisions(self, problem: str, track: str) -> list[Decision]:
        field = self.fullest(problem, track)
        return decide([entrant(c) for c in field], SHOWN_ERRORS) if field else []


def matrix(fields: Fields) -> Table | None:
    """Situations by required errors: the winner and its time, nothing else."""
    rows: list[tuple[Value, ...]] = []
    tints: dict[tuple[int, int], str] = {}
    for track, told in TOLD.items():
        for problem in fields.by_problem:
            found = fields.decisions(problem, track)
            if not found:
                continue
            for k, decision in enumerate(found):
                if decision.winner is not None:
                    tints[len(rows), k + 2] = _family(decision, fields.by_problem[problem])
            rows.append((told, problem, *(_won(decision) for decision in found)))
    if not rows:
        return None
    columns = [Column("you are told"), Column("field")]
    columns += [Column(scientific(error, 0).removeprefix("1·")) for error in SHOWN_ERRORS]
    caption = (
        "Who reaches which L² error first, and in what time. Blue: finite elements, orange: nets, "
        "grey: linear models. Time until the error is reached on one thread, the search for "
        "settings not counted; where nobody reaches it, how near the best came."
    )
    return Table("winners", caption, columns, rows, tints=tints)


def _family(decision: Decision, field: Sequence[Contender]) -> str:
    assert decision.winner is not None
    name = decision.winner.entrant.name
    return next(c.appearance.family for c in field if c.name == name)


def _won(decision: Decision) -> str:
    if decision.winner is not None:
        entrant, seconds = decision.winner.entrant, decision.winner.seconds
        return f"{entrant.series} {show(seconds, 'seconds')}"
    assert decision.miss is not None
    nearest = decision.miss.error
    return f"nobody ({scientific(nearest, 0)})" if nearest < float("inf") else "nobody"


def compared(entries: Sequence[Entry]) -> list[tuple[Entry, Compared]]:
    """Entries whose finding is a ratio of paired runs."""
    return [(e, e.finding) for e in entries if isinstance(e.finding, Compared)]
