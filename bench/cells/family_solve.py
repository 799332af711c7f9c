"""One solve per query of a family: the error over unseen μ and the time of a query."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cells import MACHINE, Result
from bench.core.settings import setting


@dataclass(frozen=True, kw_only=True)
class Config:
    family: str = setting("bump", help="The family: a file of bench/problems/families.")
    dimension: int = setting(2, min=1, help="The number of parameters.")
    contrast: float = setting(10.0, above=0, help="The largest amplitude in φ.")
    element: str = setting("hexP", help="hexP, N0 or N1; none: the solution for φ = 1.")
    order: int = setting(8, min=1, max=24, help="The order of hexP.")
    n: int = setting(1, min=1, help="Cells per side of N0 and N1.")
    tol: float = setting(1e-3, above=0, max=0.5, help="The error that the iteration may leave.")
    queries: int = setting(40, min=2, help="Unseen μ.")
    reference: int = setting(16, min=2, max=32, help="The order of the reference.")


ALONE = True
TIMED = MACHINE
competitor = None  # families are compared in their own section


def needs_bytes(config: Config) -> int:
    """The reference solutions, the tables, and the mesh of a low order."""
    references = 24 * (config.reference + 1) ** 3 * config.queries
    mesh = 0 if config.element in ("hexP", "none") else 40_000 * config.n**3
    return 400 * 2**20 + 2 * references + mesh


def run(config: Config) -> Result:
    from bench.measure.medians import median
    from bench.methods.surrogates.queries import ruler
    from bench.methods.surrogates.surrogate import Answers, Meshed, Solver
    from bench.methods.surrogates.truth import Truth

    asked = ruler(
        config.family, config.dimension, config.contrast, config.reference, config.queries
    )
    family, none = asked.truth.family, config.element == "none"
    if none or config.element == "hexP":
        method: Answers = Solver(truth=Truth(family, config.order), tol=config.tol, none=none)
    else:
        method = Meshed(truth=Truth(family, 2), element=config.element, n=config.n, tol=config.tol)
    errors = asked.errors(method)
    values = {"error_worst": float(errors.max()), "error_median": median(errors)}
    return Result({**values, **asked.seconds(method)}, {"errors": errors})
