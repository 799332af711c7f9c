"""Facts: named numbers of a run, one file per study.

Each file of this folder is named after a study (`run`: all of them together) and defines `facts`:
Results -> iterable of `Fact`.
README and the report only format facts. A number is quoted with its domain, its seeds and what the
method was given, so a fact carries them, with the keys of the cells behind it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from base.errors import UserError
from base.registry import Registry
from bench.claims.rules import seed_of
from bench.store.files import Damaged
from bench.store.results import Results, StoredResult


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A measured number: `value` in `unit`, on a domain, as the median of so many seeds.

    `refused` names the admissibility rule that a comparison with this number would break.
    """

    name: str
    value: float
    unit: str = ""
    domain: str = ""
    seeds: int = 1
    conditions: str = ""
    cells: tuple[str, ...] = ()
    refused: str = ""

    @classmethod
    def of(cls, records: Iterable[StoredResult], **about: Any) -> Self:
        """A number of some results, with their seeds and keys."""
        known = [*records]
        seeds = len({seed_of(record) for record in known})
        return cls(seeds=seeds, cells=tuple(record.key for record in known), **about)

    def named(self, name: str, value: float, unit: str) -> Fact:
        """Another number of the same cells, under the same conditions."""
        return replace(self, name=name, value=value, unit=unit)


Study = Callable[[Results], Iterable[Fact]]


def _study(found: Any, name: str) -> Study:
    facts: Study | None = getattr(found, "facts", None)
    if facts is None:
        raise UserError(f"{name} declares no facts: it defines no function `facts`")
    return facts


REGISTRY: Registry[Study] = Registry("facts of a study", __name__, _study)


def all_facts(results: Results, *studies: str) -> tuple[dict[str, Fact], list[str]]:
    """Every fact (of these studies) as `STUDY/NAME`, and a note for every study whose facts could
    not be made."""
    found: dict[str, Fact] = {}
    notes = []
    for study in studies or REGISTRY.names():
        try:
            made = {f"{study}/{fact.name}": fact for fact in REGISTRY.get(study)(results)}
        except Damaged:
            raise
        except Exception as error:
            logging.getLogger("femnets.report").debug("facts of %s", study, exc_info=error)
            kind = type(error).__name__
            notes.append(f"facts of {study} could not be made: {kind}: {error}; see the log")
        else:
            found |= made
    return found, notes
