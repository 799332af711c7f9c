"""What a surrogate is made of: the settings that cells, commands and files share."""

from __future__ import annotations

from dataclasses import dataclass

from base.errors import UserError, nearest
from bench.core.settings import setting
from bench.methods.surrogates.names import METHODS
from bench.problems.families import Family, get

_NET = "Nets"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Family, method, truth and snapshots, and the shape and training of a net."""

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

    def chosen(self) -> Family:
        """The family; a UserError if it or the method is unknown."""
        if self.method not in METHODS:
            raise UserError(f"unknown method {self.method!r}; {nearest(self.method, [*METHODS])}")
        return get(self.family, self.dimension, self.contrast)
