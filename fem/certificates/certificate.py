"""A certificate: two-sided bounds of the error of a field, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from fem.certificates.geometry import COMPUTED, Constant

NO_DIGIT = "no digit certified"


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """low ≤ error ≤ high in L² and in the energy norm ‖φ^½ curl ·‖; None where there is none.

    `doubt` says why the bounds are estimates only; without it they are proved, up to quadrature
    and rounding.
    """

    method: str
    l2_bound: float | None
    l2_lower_bound: float | None = None
    energy_bound: float | None = None
    energy_lower_bound: float | None = None
    norm: float  # ‖v‖
    energy_norm: float | None = None  # ‖φ^½ curl v‖
    parts: Mapping[str, float] = field(default_factory=dict)
    constants: Mapping[str, Constant] = field(default_factory=dict)
    change: float | None = None  # of the bounds between the last two levels of the rules
    levels: int = 0
    seconds: float = 0.0
    doubt: str | None = None
    no_energy: str | None = None  # why it has no energy bound

    @property
    def word(self) -> str:
        """What the bounds may be called."""
        return "certified" if self.doubt is None else "estimated"

    @property
    def relative_l2_bound(self) -> float | None:
        """B/(‖v‖ − B) ≥ ‖u − v‖/‖u‖, where B < ‖v‖."""
        return relative(self.l2_bound, self.norm)

    @property
    def relative_energy_bound(self) -> float | None:
        return relative(self.energy_bound, self.energy_norm)

    def reason(self, norm: str = "l2") -> str | None:
        """Why no digit is certified in this norm ("l2" or "energy"); None if one is."""
        bound, size = (
            (self.l2_bound, self.norm) if norm == "l2" else (self.energy_bound, self.energy_norm)
        )
        if bound is None or size is None:
            why = self.no_energy if norm == "energy" else None
            return self.doubt or why or f"there is no {norm} bound for this field and domain"
        if not isfinite(bound) or bound >= size:
            return f"the bound {bound:.3g} is not below the norm of the field, {size:.3g}"
        if bound >= size / 2:
            return (
                f"the bound {bound:.3g} is not below half the norm of the field, {size:.3g}, so "
                "the relative error may be 1 or more"
            )
        return self.doubt

    def document(self, norm: str = "l2") -> dict[str, Any]:
        """All values for JSON and for cells."""
        reason = self.reason(norm)
        names = ("method", "l2_lower_bound", "energy_lower_bound", "norm", "energy_norm")
        return {
            **{name: _finite(getattr(self, name)) for name in names},
            "l2_bound": _finite(self.l2_bound),
            "relative_l2_bound": self.relative_l2_bound,
            "energy_bound": _finite(self.energy_bound),
            "relative_energy_bound": self.relative_energy_bound,
            "certified": reason is None,
            "reason": reason,
            "word": self.word,
            "parts": {name: _finite(value) for name, value in self.parts.items()},
            "constants": {n: {"value": c.value, "tag": c.tag} for n, c in self.constants.items()},
            "quadrature": {"levels": self.levels, "change": _finite(self.change)},
            "seconds": self.seconds,
        }

    def took(self, seconds: float) -> Certificate:
        return replace(self, seconds=seconds)


def relative(bound: float | None, norm: float | None) -> float | None:
    """B/(‖v‖ − B): the relative error is at most that, as ‖u‖ ≥ ‖v‖ − B."""
    if bound is None or norm is None or not bound < norm:
        return None
    return bound / (norm - bound)


def doubts(
    constants: Mapping[str, Constant],
    unsettled: Sequence[str],
    change: float,
    more: str | None = None,
) -> str | None:
    """Why bounds are not proved: constants, norms that do not settle, or `more`."""
    found = [] if more is None else [more]
    computed = [name for name, constant in constants.items() if constant.tag == COMPUTED]
    if computed:
        found.append(f"the constant {', '.join(computed)} of the domain is computed, not proved")
    if unsettled:
        found.append(
            f"the quadrature has not settled (of {', '.join(unsettled)}; the bound still moves by "
            f"{change:.2g} of itself)"
        )
    return "; ".join(found) or None


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value
