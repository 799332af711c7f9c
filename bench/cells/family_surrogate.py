"""One surrogate of a family: the error over unseen μ, its cost offline and per query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.cells import MACHINE, Result
from bench.core.settings import setting
from bench.methods.surrogates.names import METHODS

if TYPE_CHECKING:
    from bench.methods.surrogates.surrogate import Plan

_NET = "Nets"


@dataclass(frozen=True, kw_only=True)
class Config:
    family: str = setting("bump", help="The family: a file of bench/problems/families.")
    dimension: int = setting(2, min=1, help="The number of parameters.")
    contrast: float = setting(10.0, above=0, help="The largest amplitude in φ.")
    method: str = setting("rb", help=f"The surrogate: {', '.join(METHODS)}.")
    order: int = setting(8, min=1, max=24, help="The order of the snapshots.")
    snapshots: int = setting(24, min=1, help="Solves, or μ of a net without snapshots.")
    modes: int = setting(0, min=0, help="At most so many fields of the basis; 0: all.")
    tol: float = setting(1e-3, above=0, max=0.5, help="The error that is aimed at.")
    seed: int = setting(0, min=0, help="Seed of the design, of weights and of points.")
    hidden: int = setting(3, min=1, help="Hidden layers of a net in (x, μ).", panel=_NET)
    width: int = setting(40, min=1, help="Their width.", panel=_NET)
    tau: str = setting("fixed", help="Its time steps: fixed or learned.", panel=_NET)
    steps: int = setting(500, min=1, help="Training steps of a net.", panel=_NET)
    queries: int = setting(40, min=2, help="Unseen μ.")
    reference: int = setting(16, min=2, max=32, help="The order of the reference.")


ALONE = True
TIMED = MACHINE
competitor = None  # families are compared in their own section
PLAN = ("family", "dimension", "contrast", "method", "order", "snapshots", "modes", "tol", "seed",
        "hidden", "width", "tau", "steps")  # fmt: skip


def needs_bytes(config: Config) -> int:
    """Snapshots, their curls at the points of the rule, terms of φ, reference solutions."""
    references = 24 * (config.reference + 1) ** 3 * config.queries
    snapshots = 24 * (config.order + 6) ** 3 * config.snapshots
    return 500 * 2**20 + 4 * snapshots + 2 * references + 8 * 250 * min(config.snapshots, 400) ** 2


def run(config: Config) -> Result:
    from bench.methods.surrogates.queries import measured

    _, values, arrays = measured(plan_of(config), config.queries, config.reference)
    return Result(values, arrays)


def plan_of(config: Config) -> Plan:
    """The surrogate that the settings describe."""
    from bench.methods.surrogates.surrogate import Plan

    return Plan(**{name: getattr(config, name) for name in PLAN})
