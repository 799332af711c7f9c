"""What `femnets fem` shows: a live table, a JSON document, a convergence plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    from fem import Solution

# These fit a terminal of 80 columns; the JSON document has the rest.
COLUMNS = ("n", "dofs", "L² error", "rate", "H(curl)", "rate", "iter", "seconds", "MiB")


class LiveTable:
    """Rows as they come, with the phase at work and its time left; on stderr while it lives."""

    def __init__(self, weights: Sequence[int], title: str) -> None:
        self.title = title
        self.solutions: list[Solution] = []
        self._console = Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._all = self._bars.add_task("meshes", total=sum(weights))
        self._phase = self._bars.add_task("", total=None)
        self._phase_name = ""
        self._live = Live(console=self._console, transient=True, refresh_per_second=4)
        self._n: int | None = 0
        self._weight = 0
        self._by_unknowns = False

    def __enter__(self) -> LiveTable:
        if self._console.is_terminal:
            self._live.start()
            self._refresh()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def begin(self, n: int | None, weight: int) -> None:
        self._n, self._weight = n, weight

    def progress(self, phase: str, done: float, total: float) -> None:
        if phase != self._phase_name:
            self._phase_name = phase
            self._bars.reset(self._phase, total=total, description=f"n = {self._n}, {phase}")
        self._bars.update(self._phase, completed=done, total=total)

    def show(self, solutions: list[Solution], by_unknowns: bool = False) -> None:
        self.solutions, self._by_unknowns = solutions, by_unknowns
        self._refresh()

    def finish(self) -> None:
        """One mesh, or one sequence of refinements, is done."""
        self._bars.advance(self._all, self._weight)
        self._refresh()

    def print_table(self) -> None:
        Console().print(self._table())

    def _refresh(self) -> None:
        self._live.update(Group(self._table(), self._bars))

    def _table(self) -> Table:
        table = Table(title=self.title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for name in COLUMNS:
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows(self.solutions, self._by_unknowns):
            table.add_row(*_cells(row))
        return table


def rows(solutions: Sequence[Solution], by_unknowns: bool = False) -> list[dict[str, Any]]:
    """One row per mesh, in plain numbers; what does not exist is None.

    Rates are against h or, where meshes are refined locally, against unknowns^(−1/3).
    """
    from fem import rates

    h = [s.dofs ** (-1 / 3) if by_unknowns else s.h for s in solutions]
    l2_rates = rates(h, [s.l2_error for s in solutions])
    hcurl_rates = rates(h, [s.hcurl_error for s in solutions])
    return [
        {
            "n": s.n,
            "h": s.h,
            "dofs": s.dofs,
            "l2_error": s.l2_error,
            "hcurl_error": s.hcurl_error,
            "l2_relative": _finite(s.l2_relative),
            "hcurl_relative": _finite(s.hcurl_relative),
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
        }
        for s, l2_rate, hcurl_rate in zip(solutions, l2_rates, hcurl_rates, strict=True)
    ]


def document(
    problem: str,
    element: str,
    tol: float,
    solutions: Sequence[Solution],
    extras: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """The JSON document of the whole family; `extras` are further entries of the rows."""
    by_unknowns = any("refinement" in extra for extra in extras)
    found = rows(solutions, by_unknowns)
    records = [row | extra for row, extra in zip(found, extras, strict=True)]
    return {"problem": problem, "element": element, "tol": tol, "rows": records}


def save_plot(result: dict[str, Any], path: Path) -> None:
    """Errors against h, log–log, with the slope of the last halving and a triangle of it."""
    from bench.guards.output import written_whole

    figure = convergence_figure(result)
    with written_whole(path) as part:
        figure.savefig(part, format="png", dpi=150)


def convergence_figure(result: dict[str, Any]) -> Any:
    """A pure function of the document: two curves and, from two meshes on, a rate triangle."""
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
    """Below the finest pair of points, with the measured rate as its slope and its label."""
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


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        "–" if row["n"] is None else str(row["n"]),
        f"{row['dofs']:,}",
        f"{row['l2_error']:.5e}",
        _rate(row["l2_rate"]),
        f"{row['hcurl_error']:.5e}",
        _rate(row["hcurl_rate"]),
        str(row["iterations"]) if row["iterations"] else "direct",
        f"{row['seconds']:.2f}",
        f"{row['peak_bytes'] / 2**20:.0f}",
    ]


def _rate(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.3f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
