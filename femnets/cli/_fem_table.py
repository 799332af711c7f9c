"""Rows and columns of `femnets fem`: progress and table, JSON document, convergence plot."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from nets.training.progress import StatusLine, spent_and_left

if TYPE_CHECKING:
    from fem.solutions import Solution

# They fit into 80 columns (shortened: 60); the JSON document has all.
COLUMNS = ("n", "dofs", "L² error", "rate", "H(curl)", "rate", "iter", "seconds", "MiB")
WITH_ESTIMATE = (*COLUMNS[:6], "estimate", *COLUMNS[6:8])
WITHOUT_U = ("n", "dofs", "L² apart", "rate", "curl apart", "estimate", "iter", "seconds", "MiB")
NOTE = "apart: distance to the finest solution; estimate: estimated H(curl) error"
VOIDS = (
    "the boundary has {count} components (closed voids): u × n and div u determine u up to {rest} "
    "field(s); shown is the one without flux through each component"
)
NARROW = 76

SECONDS_BETWEEN_LOOKS = 0.25
PHASES = 3  # of a mesh: load, solve, error; assumed equally long


class LiveTable(StatusLine):
    """A live display of the present phase, the last error and the time left, then the table."""

    def __init__(self, weights: Sequence[int], title: str) -> None:
        super().__init__()
        self.title = title
        self.solutions: list[Solution] = []
        self._all, self._done, self._weight = sum(weights), 0, 0
        self._n: int | None = 0
        self._phases: list[str] = []
        self._began, self._shown = time.monotonic(), -1.0
        self.extras: list[dict[str, Any]] = []
        self.compared: list[dict[str, Any]] = []  # without u: distances to the finest

    def begin(self, n: int | None, weight: int) -> None:
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
        last = self.solutions[-1].measured if self.solutions else None
        parts += [f"L² error so far {last.l2:.2e}"] if last else []
        parts.append(spent_and_left(seconds, (self._done + self._weight * under_way) / self._all))
        self.say("  ".join(parts), seconds)

    def show(self, solutions: list[Solution], extras: list[dict[str, Any]]) -> None:
        self.solutions, self.extras = solutions, extras

    def finish(self) -> None:
        """Mark one mesh, or one sequence of refinements, as done."""
        self._done += self._weight

    def print_table(self) -> None:
        Console().print(self._table())

    def _table(self) -> Table:
        found = rows(self.solutions, self.extras)
        known = all(row["l2_error"] is not None for row in found)
        estimated = any(row.get("estimate") is not None for row in found)
        narrow = self._width() < NARROW
        count = max((row.get("boundary_components", 1) for row in found), default=1)
        notes = [] if known else [NOTE]
        notes += [VOIDS.format(count=count, rest=count - 1)] if count > 1 else []
        table = Table(
            title=self.title,
            caption="; ".join(notes),
            box=None if narrow else box.SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
        )
        by_size = any(row["n"] is None for row in found)
        for name in WITHOUT_U if not known else WITH_ESTIMATE if estimated else COLUMNS:
            shown = "h" if name == "n" and by_size else name
            table.add_column(_short(shown) if narrow else shown, justify="right", no_wrap=True)
        for row in _with_rates(found, self.compared):
            table.add_row(*_cells(row, known, estimated, by_size, narrow))
        return table

    def _width(self) -> int:
        return min(Console().width, Console(stderr=True).width)


def _with_rates(
    found: list[dict[str, Any]], compared: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rows with their distances to the finest solution, and the rates of these."""
    from fem.approximation import rates

    if not compared:
        return found
    far = [row.get("l2_distance") for row in compared]
    orders = rates([row["mesh_size"] for row in found], [value or 0.0 for value in far])
    return [
        row | more | {"l2_distance_rate": order}
        for row, more, order in zip(found, compared, orders, strict=True)
    ]


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
    from fem.approximation import rates

    h = mesh_sizes(solutions, extras)
    known = [s.measured for s in solutions]  # None where u is not known in closed form
    l2_rates = rates(h, [e.l2 if e else 0.0 for e in known])
    hcurl_rates = rates(h, [e.hcurl if e else 0.0 for e in known])
    return [
        {
            "n": s.n,
            "h": s.h,
            "mesh_size": size,  # what rates refer to
            "dofs": s.dofs,
            "l2_error": e.l2 if e else None,
            "hcurl_error": e.hcurl if e else None,
            "l2_relative": _finite(e.l2_relative) if e else None,
            "hcurl_relative": _finite(e.hcurl_relative) if e else None,
            "l2_rate": l2_rate,
            "hcurl_rate": hcurl_rate,
            "iterations": s.iterations,
            "residual": s.residual,
            "seconds": s.total_seconds,  # without measuring the error
            "seconds_per_phase": s.seconds,
            "dofs_per_second": s.dofs_per_second,
            "peak_bytes": s.peak_bytes,
            "element": s.element,
            "solver": s.solver,
            "threads": s.threads,
            **extra,
        }
        for s, size, e, l2_rate, hcurl_rate, extra in zip(
            solutions, h, known, l2_rates, hcurl_rates, extras, strict=True
        )
    ]


def document(
    problem: str,
    element: str,
    tol: float,
    solutions: Sequence[Solution],
    extras: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return the JSON document of all meshes; `extras` are further entries of the rows."""
    records = rows(solutions, extras)
    exact = all(row["l2_error"] is not None for row in records)
    measured = "the closed form" if exact else "the finest solution, and the method's own estimate"
    head = {"problem": problem, "element": element, "tol": tol, "compared_with": measured}
    return {**head, "rows": records}


def save_plot(result: dict[str, Any], path: Path) -> None:
    """Plot errors over h, log–log, with a triangle for the rate of the last halving."""
    from bench.core.guards.output import written_whole

    figure = convergence_figure(result)
    with written_whole(path) as part:
        figure.savefig(part, format="png", dpi=150)


def convergence_figure(result: dict[str, Any]) -> Any:
    """Return a figure of the document: two curves and, from two meshes on, a rate triangle."""
    from matplotlib.figure import Figure

    records = result["rows"]
    by_unknowns = "refinement" in records[0]
    h = [row["dofs"] ** (-1 / 3) if by_unknowns else row["h"] for row in records]
    figure = Figure(figsize=(6.4, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for key, label, marker in (("hcurl", "H(curl)", "s"), ("l2", "L²", "o")):
        errors = [row[f"{key}_error"] for row in records]
        axes.loglog(h, errors, marker=marker, label=f"{label} error")
        if len(h) > 1:
            _rate_triangle(axes, h, errors, records[-1][f"{key}_rate"])
    axes.set_xlabel("unknowns^(−1/3)" if by_unknowns else "h (cell diameter)")
    axes.set_ylabel("error")
    what = "boundary-value problem" if "multiplier_norm" in records[0] else "best approximation"
    axes.set_title(f"{result['problem']}, element {result['element']}: {what}")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend(loc="upper left")
    return figure


def _rate_triangle(axes: Any, h: list[float], errors: list[float], rate: float | None) -> None:
    """Draw a triangle below the two finest points, with the measured rate as slope and label."""
    if rate is None:
        return
    right, left = h[-2], h[-1]
    bottom = 0.75 * errors[-1]
    top = bottom * (right / left) ** rate
    axes.fill([left, right, right], [bottom, bottom, top], facecolor="0.85", edgecolor="0.4")
    axes.annotate(
        f"{rate:.2f}",
        (right, math.sqrt(bottom * top)),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
    )


def _cells(
    row: dict[str, Any], known: bool, estimated: bool, by_size: bool, narrow: bool
) -> list[str]:
    error = (lambda v: "–" if v is None else f"{v:.2e}") if narrow else _error
    names: tuple[str, ...] = ("l2_error", "l2_rate", "hcurl_error", "hcurl_rate")
    names += ("estimate",) if estimated else ()
    if not known:
        names = ("l2_distance", "l2_distance_rate", "curl_distance", "estimate")
    middle = [_rate(row.get(n), narrow) if "rate" in n else error(row.get(n)) for n in names]
    if known and estimated:  # three digits: the table is full
        middle[-1] = "–" if row["estimate"] is None else f"{row['estimate']:.2e}"
    dofs = f"{row['dofs']:,}" if not narrow or row["dofs"] < 10**6 else f"{row['dofs']:.1e}"
    seconds = f"{row['seconds']:.2f}" if not narrow else f"{row['seconds']:.3g}"
    return [
        f"{row['h']:.3g}" if by_size else str(row["n"]),
        dofs,
        *middle,
        str(row["iterations"]) if row["iterations"] else "–" if narrow else "direct",
        seconds,
        *([] if known and estimated else [f"{row['peak_bytes'] / 2**20:.0f}"]),
    ]


def _short(name: str) -> str:
    return {"L² error": "L²", "seconds": "s"}.get(name, name)


def _error(value: float | None) -> str:
    return "–" if value is None else f"{value:.5e}"


def _rate(rate: float | None, narrow: bool = False) -> str:
    return "–" if rate is None else f"{rate:.2f}" if narrow else f"{rate:.3f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
