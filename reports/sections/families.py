"""Families of problems: from how many queries does a surrogate pay?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import isfinite

from bench.claims.break_even import ERRORS, break_evens, but_for_the_seed, is_net, place_of
from bench.methods.surrogates.names import KINDS, METHODS
from bench.store.results import Results, StoredResult, median
from reports.context import Run
from reports.document import Block, Paragraph, Picture
from reports.figures.curves import Axes, Curve, Figure, Panel, draw_panels
from reports.tables import Entry, grouped_by, table_of

TITLE = "Families: from how many queries does a surrogate pay?"
ORDER = 62
STUDY = "families"
SOLVE = ("p-version solve", "finite element/hexP")
ERROR = "relative L² error, cube"
TIME = "seconds_functional"
MARKS = {"markersize": 3.5}
# With the solves eight curves, by short names; the others lie close to one of them.
SHOWN = {
    "rb": "reduced basis", "chebyshev": "Chebyshev", "kernel": "kernel", "features": "features",
    "net": "net in μ", "space-net": "net, snapshots", "equation-net": "net, equation",
}  # fmt: skip
TEXT = (
    "A family is curl(φ curl u) = f, div u = 0 with tangential trace g on the cube, where a "
    "parameter μ enters φ (`bump`: amplitude, then place, of a bump of width 0.2), f (`source`) or "
    "f and g (`shifted`, which has a closed form). Every query asks for another μ. A surrogate is "
    "made once, from solves at some μ (snapshots) or from the equation, and then asked. It is "
    "compared with one p-version solve per query, of the order and tolerance that just meet the "
    "required error; both use the same solver, and its set-up counts on neither side. A reduced "
    "basis uses the equation and the snapshots, a net trained on the equation uses no snapshots, "
    "all other surrogates use snapshots only. Errors are relative L² errors over the cube, the "
    "largest over μ that no method has seen, against a p-version of higher order. A net in μ has a "
    "ladder of snapshots, modes and training steps, as the others have one of snapshots. Of nets "
    "the median over seeds is shown. Times are CPU seconds on one thread."
)
COST = (
    "Largest relative L² error over unseen μ against the time of a query for one functional, the "
    "mean of the first component of u, on one thread, by family with d parameters. A point is a "
    "configuration. Left of the solves a surrogate answers faster than a solve of the same error."
)
SNAPSHOTS = (
    "Largest (full) and median (hollow) relative L² error over unseen μ against the number of "
    "snapshots; of nets with the modes and steps that give the smallest error. Curves level off at "
    "the error of the snapshots themselves."
)
TABLE = (
    "Queries from which a surrogate pays, Q = offline time / (time of a solve − time of a query), "
    "by required error; the smallest over the configurations that meet it, with the interval that "
    "the quartiles of the times give. Never: a query takes as long as a solve. A method that is "
    "missing does not meet the error in this run. A net meets it if its median seed does; *failed* "
    "counts the seeds that do not."
)
ENTRIES: list[Entry] = [
    ("family", "text", lambda one: one.place[0]),
    ("dimension", "count", lambda one: one.place[1]),
    ("contrast", "number", lambda one: one.place[2]),
    ("required error, cube", "error", lambda one: one.required),
    ("method", "text", lambda one: _method(one.method)),
    ("snapshots", "count", lambda one: one.snapshots),
    ("steps", "text", lambda one: str(one.steps) if one.steps else ""),
    ("seeds", "count", lambda one: one.seeds),
    ("failed", "count", lambda one: one.failed),
    ("offline", "seconds", lambda one: one.offline),
    ("query", "seconds", lambda one: one.query[0]),
    ("solve", "seconds", lambda one: one.solve[0]),
    ("queries", "text", lambda one: _count(one.queries)),
    ("interval", "text", lambda one: " – ".join(map(_count, one.interval))),
]


def contents(run: Run) -> list[Block]:
    results = run.results_of(STUDY)
    if not len(results.select("family_solve")):
        return []
    source = run.source(STUDY, results)
    paying = [one for required in ERRORS for one in break_evens(results, required)]
    return [
        Paragraph(TEXT),
        Picture("family-cost", COST, partial(error_and_cost, results), source),
        Picture("family-snapshots", SNAPSHOTS, partial(errors_and_snapshots, results), source),
        table_of("family-queries", TABLE, paying, ENTRIES, source),
    ]


def error_and_cost(results: Results) -> Figure:
    """A panel per family: solves as a curve, surrogates as points."""
    panels = []
    for title, found in _families(results):
        solves = _front(found.select("family_solve", element="hexP"))
        curves = [_curve(SOLVE, solves, TIME)]
        for named, group in _surrogates(found):
            curves.append(_curve(named, group, TIME, linestyle="none"))
        panels.append(Panel(title, "seconds per query", curves))
    return draw_panels(panels, ERROR, columns=3, share="y", legend=3)


def cost_and_queries(results: Results) -> Figure:
    """The family with nets in the highest dimension, at the lowest contrast: worst errors against
    the time of a query, and from how many queries each surrogate pays by required error."""
    places = map(place_of, _with_nets(results))
    place = min(places, key=lambda place: (-place[1], place[2], place[0]))
    known = [r for kind in ("family_solve", "family_surrogate") for r in results.select(kind)]
    found = Results([r for r in known if place_of(r) == place])
    cost = [_front_curve(SOLVE, found.select("family_solve", element="hexP"), "p-version")]
    queries = []
    for method, end in SHOWN.items():
        group, named = found.select("family_surrogate", method=method), _named(method)
        pays = [(error, *one) for error in ERRORS if (one := _pays(found, method, error))]
        if len(group):
            cost.append(_front_curve(named, group, end))
        if pays:
            required, numbers, keys = zip(*pays, strict=True)
            queries.append(Curve(*named, required, numbers, keys, MARKS, end))

    def right(axes: Axes) -> None:
        axes.set_ylabel("queries from which it pays")
        axes.invert_xaxis()

    parameters = f"{place[1]} parameter{'s' if place[1] > 1 else ''}"
    panels = [
        Panel(f"error and time of a query, {parameters}", "seconds per query", cost),
        Panel(f"when it pays, {parameters}", f"required {ERROR}", queries, right),
    ]
    return draw_panels(panels, ERROR, height=2.8, share="", legend=4)


def _with_nets(results: Results) -> Iterable[StoredResult]:
    surrogates = results.select("family_surrogate")
    return [record for record in surrogates if is_net(record)] or surrogates


def _pays(found: Results, method: str, required: float) -> tuple[float, Sequence[str]] | None:
    """The fewest queries from which a method pays, and the cells behind them."""
    able = [b for b in break_evens(found, required) if b.method.partition(",")[0] == method]
    best = min(able, key=lambda one: one.queries, default=None)
    return (best.queries, best.cells) if best and isfinite(best.queries) else None


def _front_curve(named: tuple[str, str], records: Results, end: str) -> Curve:
    """Settings, medians over seeds, that no other one beats in both error and time."""
    points = _points(records, TIME)
    best = [p for p in sorted(points) if p[1] <= min(q[1] for q in points if q[0] <= p[0])]
    x, y, keys = zip(*best, strict=True)
    return Curve(*named, x, y, keys, MARKS, end)


def errors_and_snapshots(results: Results) -> Figure:
    """A panel per family: worst and median errors of every surrogate by its snapshots."""
    panels = []
    for title, found in _families(results):
        curves = []
        for (name, look), group in _surrogates(found):
            few = _best_by_snapshots(group)
            curves.append(_curve((name, look), few, "snapshots"))
            curves.append(_curve((f"_{name}", f"{look}/median"), few, "snapshots", "error_median"))
        panels.append(Panel(title, "snapshots", curves, _powers_of_four))
    return draw_panels(panels, ERROR, columns=3, share="y", legend=3)


def _best_by_snapshots(group: Results) -> Results:
    """With the finest snapshots; of settings with as many the one with the smallest error. Nets
    have steps for each required error, so theirs may be of any."""
    if not is_net(group.records[0]):
        group = group.select("family_surrogate", tol=min(group.distinct("tol")))
    found: dict[int, Results] = {}
    for one in group.grouped(but_for_the_seed).values():
        count = one.records[0].config["snapshots"]
        if count not in found or _worst(one) < _worst(found[count]):
            found[count] = one
    return Results([record for _, one in sorted(found.items()) for record in one])


def _worst(seeds: Results) -> float:
    return median(seeds.errors("error_worst"))


def _families(results: Results) -> Iterable[tuple[str, Results]]:
    """By family, dimension and contrast."""
    known = [r for r in results if r.values.get("error_worst") is not None]
    return sorted(grouped_by(known, _title).items())


def _title(record: StoredResult) -> str:
    family, dimension, contrast = place_of(record)
    return f"{family}, d = {dimension}, contrast {contrast:g}"


def _surrogates(found: Results) -> Iterable[tuple[tuple[str, str], Results]]:
    """By title and look."""

    surrogates = found.select("family_surrogate")
    return grouped_by(surrogates, lambda record: _named(record.config["method"])).items()


def _named(method: str) -> tuple[str, str]:
    return METHODS.get(method, method), f"{KINDS.get(method, 'surrogate')}/{method}"


def _curve(
    named: tuple[str, str],
    records: Iterable[StoredResult],
    x: str,
    y: str = "error_worst",
    **style: str,
) -> Curve:
    """A mark for each configuration, the median over its seeds."""
    points = _points(Results([*records]), x, y)
    at, errors, keys = zip(*points, strict=True) if points else ((), (), ())
    return Curve(*named, at, errors, keys, {**MARKS, **style})


def _points(
    records: Results, x: str, y: str = "error_worst"
) -> list[tuple[float, float, Sequence[str]]]:
    """x, y and the cells of each configuration, medians over its seeds."""
    return [
        (
            median([float({**r.config, **r.values}[x]) for r in group]),
            median(group.errors(y)),
            group.keys(),
        )
        for group in records.grouped(but_for_the_seed).values()
    ]


def _front(records: Results) -> list[StoredResult]:
    """Those that no other beats in both error and time, by time."""
    found: list[StoredResult] = []
    for record in sorted(records, key=lambda r: float(r.values[TIME])):
        if not found or record.values["error_worst"] < found[-1].values["error_worst"]:
            found.append(record)
    return found


def _powers_of_four(axes: Axes) -> None:
    low, high = axes.get_xlim()
    powers = [4**k for k in range(6) if low <= 4**k <= high]
    axes.set_xticks(powers, [*map(str, powers)])
    axes.minorticks_off()


def _method(name: str) -> str:
    method, comma, steps = name.partition(", ")
    return METHODS.get(method, method) + comma + steps


def _count(queries: float) -> str:
    return "never" if queries == float("inf") else f"{queries:,.0f}"
