"""One surrogate of a family: the error over unseen μ, its cost offline and per query."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import MACHINE, Result
from bench.core.settings import setting
from bench.methods.configurations import part_of
from bench.methods.surrogates.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Config(Plan):
    queries: int = setting(40, min=2, help="Unseen μ.")
    reference: int = setting(16, min=2, max=32, help="The order of the reference.")


ALONE = True
TIMED = MACHINE
competitor = None  # families are compared in their own section


def needs_bytes(config: Config) -> int:
    """Snapshots, their curls at the points of the rule, terms of φ, reference solutions."""
    references = 24 * (config.reference + 1) ** 3 * config.queries
    snapshots = 24 * (config.order + 6) ** 3 * config.snapshots
    return 500 * 2**20 + 4 * snapshots + 2 * references + 8 * 250 * min(config.snapshots, 400) ** 2


def run(config: Config) -> Result:
    from bench.methods.surrogates.queries import measured

    _, values, arrays = measured(part_of(config, Plan), config.queries, config.reference)
    return Result(values, arrays)
