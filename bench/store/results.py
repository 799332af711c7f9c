"""The results of finished cells, selected by config."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bench.cells import Competitor, competitor_of
from bench.measure.medians import median, medians
from bench.store.files import StoredResult

__all__ = [
    "Competitor",
    "Results",
    "StoredResult",
    "competitor",
    "confirmatory",
    "median",
    "medians",
    "pairs",
]

Key = TypeVar("Key", bound=Hashable)
FIRST_CONFIRMATORY = 1000  # seeds below are for pilots and tuning


@dataclass(frozen=True)
class Results:
    """Records that can be selected by kind and config values: `select("net", hidden=6)`."""

    records: Sequence[StoredResult]

    def __iter__(self) -> Iterator[StoredResult]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def select(self, kind: str, **where: Any) -> Results:
        return Results(
            [
                record
                for record in self.records
                if record.kind == kind
                and all(record.config.get(name) == value for name, value in where.items())
            ]
        )

    def grouped(self, key: Callable[[StoredResult], Key]) -> dict[Key, Results]:
        """The records by what they have in common, in order of occurrence."""
        groups: dict[Key, list[StoredResult]] = {}
        for record in self.records:
            groups.setdefault(key(record), []).append(record)
        return {name: Results(records) for name, records in groups.items()}

    def having(self, array: str) -> Results:
        """Those with this array: results that come from a file have only what the article draws."""
        return Results([r for r in self if array in r.arrays])

    def sorted_by(self, name: str) -> Results:
        return Results(sorted(self.records, key=lambda record: record.config[name]))

    def distinct(self, name: str) -> list[Any]:
        """The values that a config entry takes, in order."""
        return sorted({record.config[name] for record in self.records if name in record.config})

    def value(self, name: str) -> list[Any]:
        """One value per record; None where a record has none."""
        return [record.values.get(name) for record in self.records]

    def errors(self, name: str = "l2_error") -> list[float]:
        """One number per record; a diverged run, which has none, counts as infinite."""
        return [math.inf if value is None else float(value) for value in self.value(name)]

    def median(self, name: str = "l2_error") -> float | None:
        """The median over seeds; a diverged run counts as infinite. None if it was not measured."""
        found = self.value(name)
        if any(value is not None for value in found):
            return median(found)
        lost = bool(found) and all(self.value("diverged"))
        return math.inf if lost else None

    def keys(self) -> tuple[str, ...]:
        return tuple(record.key for record in self.records)


def confirmatory(results: Results) -> Results:
    """The records without any seed below 1000, including those without a seed.

    Seeds of a tuning inside a cell do not count: they choose settings and give no result.
    """
    return Results(
        [r for r in results if min(judged_by(r), default=math.inf) >= FIRST_CONFIRMATORY]
    )


def judged_by(record: StoredResult) -> list[int]:
    """The seeds behind a result, without those of a tuning inside a cell. If `seeds` has several,
    the setting `seed` is not used."""
    config = record.config
    found: list[int] = []
    for one, several in (("seed", "seeds"), ("data_seed", "data_seeds")):
        alone = [] if config.get(one) is None else [config[one]]
        found += config.get(several, alone)
    return found


def competitor(record: StoredResult) -> Competitor | None:
    """How a result appears in comparisons; None if its kind of cell does not compete.

    The answer is cached in the record, because a report asks for it dozens of times.
    """
    known = vars(record)
    if "competitor" not in known:
        known["competitor"] = competitor_of(record.kind, record.config, record.values)
    shown: Competitor | None = known["competitor"]
    return shown


PAIRED_BY = ("seed", "data_seed", "problem", "samples", "steps", "evaluations")


def pairs(
    a: Iterable[StoredResult], b: Iterable[StoredResult]
) -> list[tuple[StoredResult, StoredResult]]:
    """Records of two arms that share initial weights, data, problem and budget."""
    partners = {_partner_key(record): record for record in b}
    return [
        (record, partners[_partner_key(record)]) for record in a if _partner_key(record) in partners
    ]


def _partner_key(record: StoredResult) -> tuple[Any, ...]:
    return tuple(record.config.get(name) for name in PAIRED_BY)
