"""Rows and columns of `femnets fem`: progress, JSON document, table."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from base.progress import StatusLine, spent_and_left
from femnets.cli._output import is_narrow, show_table

if TYPE_CHECKING:
    from fem.solutions import Solution

# They fit into 80 columns, with fewer digits into 60; the JSON document has all.
ERRORS = {
    "L² error": "l2_error",
    "rate": "l2_rate",
    "H(curl)": "hcurl_error",
    "rate ": "hcurl_rate",
}
DISTANCES = {
    "L² apart": "l2_distance", "rate": "l2_distance_rate", "curl apart": "curl_distance",
    "estimate": "estimate",
}  # fmt: skip
NOTE = "apart: distance to the finest solution; estimate: estimated H(curl) error"
VOIDS = (
    "the boundary has {count} components (closed voids): u × n and div u determine u up to {rest} "
    "field(s); shown is the one without flux through each component"
)
SECONDS_BETWEEN_LOOKS = 0.25
PHASES = 3  # of a mesh: load, solve, error; assumed equally long


class MeshProgress(StatusLine):
    """A live display of the present phase, the last error and the time left."""

    def __init__(self, weights: Sequence[int]) -> None:
        super().__init__()
        self._all, self._done, self._weight = sum(weights), 0, 0
        self._n: int | None = 0
        self._phases: list[str] = []
        self._began, self._shown = time.monotonic(), -1.0
        self.last: Solution | None = None

    def begin(self, n: int | None, weight: int) -> None:
        """The mesh before is done, another is begun."""
        self._done += self._weight
        self._n, self._weight, self._phases = n, weight, []

    def progress(self, phase: str, done: float, total: float) -> None:
        if phase not in self._phases:
            self._phases.append(phase)
        seconds = time.monotonic() - self._began
        if seconds - self._shown < SECONDS_BETWEEN_LOOKS:
            return
        self._shown = seconds
        mesh = "" if self._n is None else f"n = {self._n}, "
        share = min(1.0, max(0.0, done / max(total, 1e-9)))
        under_way = min(1.0, (len(self._phases) - 1 + share) / PHASES)
        parts = [f"{mesh}{phase} {100 * share:.0f} %"]
        if self.last is not None and self.last.measured is not None:
            parts.append(f"L² error so far {self.last.l2_error:.2e}")
        parts.append(spent_and_left(seconds, (self._done + self._weight * under_way) / self._all))
        self.say("  ".join(parts), seconds)


def mesh_sizes(solutions: Sequence[Solution], extras: Sequence[dict[str, Any]]) -> list[float]:
    """The sizes that rates refer to: 1/n or, on meshes from files, 2^(−halvings); unknowns^(−1/3)
    for locally refined meshes and for several files. The largest diameter is no such size, because
    halving a tetrahedron need not halve its diameter."""
    files = {extra.get("mesh") for extra in extras}
    if len(files) > 1 or any("refinement" in extra for extra in extras):
        return [s.dofs ** (-1 / 3) for s in solutions]
    if files != {None} and files:
        return [2.0 ** -extra.get("halvings", 0) for extra in extras]
    return [1.0 / s.n if s.n else s.h for s in solutions]


def rows(solutions: Sequence[Solution], extras: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per mesh, in plain numbers, with its extra entries; missing values are None.

    Rates are with respect to `mesh_sizes`.
    """
    found = [_row(s) | extra for s, extra in zip(solutions, extras, strict=True)]
    sizes = mesh_sizes(solutions, extras)
    for row, size in zip(found, sizes, strict=True):
        row["mesh_size"] = size
    from fem.approximation import rates

    for name in ("l2_error", "hcurl_error", "l2_distance"):
        if name in found[0]:
            for row, rate in zip(found, rates(sizes, [r[name] or 0.0 for r in found]), strict=True):
                row[name.removesuffix("_error") + "_rate"] = rate
    return found


def _row(s: Solution) -> dict[str, Any]:
    e = s.measured  # None where u is not known in closed form
    return {
        "n": s.n,
        "h": s.h,
        "dofs": s.dofs,
        "l2_error": e and e.l2,
        "hcurl_error": e and e.hcurl,
        "l2_relative": e.l2_relative if e and math.isfinite(e.l2_relative) else None,
        "hcurl_relative": e.hcurl_relative if e and math.isfinite(e.hcurl_relative) else None,
        "iterations": s.iterations,
        "residual": s.residual,
        "seconds": s.total_seconds,  # without measuring the error
        "seconds_per_phase": s.seconds,
        "dofs_per_second": s.dofs_per_second,
        "peak_bytes": s.peak_bytes,
        "element": s.element,
        "solver": s.solver,
        "threads": s.threads,
    }


def print_table(title: str, found: list[dict[str, Any]]) -> None:
    """Print the columns of the document that fit into a terminal."""
    known = all(row["l2_error"] is not None for row in found)
    count = max((row.get("boundary_components", 1) for row in found), default=1)
    notes = [] if known else [NOTE]
    notes += [VOIDS.format(count=count, rest=count - 1)] if count > 1 else []
    shown = [_cells(row, known, found) for row in found]
    rows = [list(cells.values()) for cells in shown]
    show_table(list(shown[0]), rows, title, caption="; ".join(notes), numbers=True)


def _cells(row: dict[str, Any], known: bool, found: list[dict[str, Any]]) -> dict[str, str]:
    """The cells of a row by the names of their columns."""
    error_digits, rate_digits = (".2e", ".2f") if is_narrow() else (".5e", ".3f")
    by_size = any(other["n"] is None for other in found)
    estimated = known and any(other.get("estimate") is not None for other in found)
    cells = {"h": f"{row['h']:.3g}"} if by_size else {"n": str(row["n"])}
    cells["dofs"] = f"{row['dofs']:,}"
    for name, key in (ERRORS if known else DISTANCES).items():
        cells[name] = _number(row.get(key), rate_digits if key.endswith("rate") else error_digits)
    if estimated:  # three digits: the table is full
        cells["estimate"] = _number(row.get("estimate"), ".2e")
    cells["iter"] = str(row["iterations"]) if row["iterations"] else "direct"
    cells["seconds"] = f"{row['seconds']:.2f}"
    return cells if estimated else cells | {"MiB": f"{row['peak_bytes'] / 2**20:.0f}"}


def _number(value: float | None, digits: str) -> str:
    return "–" if value is None else format(value, digits)
