"""Finite elements given the field: error against mesh size, with the nets as horizontal lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import isfinite

from bench.measure.rates import observed_rate
from bench.store.results import Results, StoredResult, competitor
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Value
from reports.figures.curves import Axes, Curve, Figure, Panel, draw_panels, name_series
from reports.names import element_look, element_short, element_title, net_method, net_name
from reports.style import look
from reports.tables import Measure, grouped_by, medians_by

TITLE = "Finite elements by mesh size"
ORDER = 50
STUDIES = ("convergence", "elements")
MOST_ELEMENTS = 6  # in a panel
TEXT = (
    "The best approximation u_h of u in H(curl) is given the field: it is the best that a mesh can "
    "do, (curl u_h, curl v) + (u_h, v) = (curl u, curl v) + (u, v) for all v of the space. N₀ and "
    "N₁ are Nédélec elements of lowest and next order."
)
NETS = (
    " A network has no mesh size, so its error is a horizontal line; it is given samples of the "
    "field, so this figure of the paper compares methods that are given different things."
)
CAPTION = (
    "L² error on the whole domain against the mesh size h (the diameter of a cell) on uniform "
    "meshes."
)
LINE = (
    " Horizontal line: the best network of the paper's kind, median over seeds; shaded: from the "
    "best to the worst of these networks."
)
TABLE = (
    "Best approximations on uniform meshes: the finest mesh of each element, errors on the whole "
    "domain, rates in h between the two finest meshes."
)


def contents(run: Run) -> list[Block]:
    found = {p: uniform(run.results, p) for p in run.results.select("fem").distinct("problem")}
    shown = {p: (fem, papers_nets(run, p)) for p, fem in found.items() if len(fem)}
    source = run.made_by(Results([r for both in shown.values() for part in both for r in part]))
    has_nets = any(len(nets) for _, nets in shown.values())
    drawn = partial(error_against_h, shown)
    groups = {
        (problem, _name(meshes.records[-1])): meshes
        for problem, (fem, _) in shown.items()
        for element in fem.distinct("element")
        for meshes in [fem.select("fem", element=element).sorted_by("n")]
    }
    return [
        Paragraph(TEXT + NETS * has_nets),
        Picture("error-against-h", CAPTION + LINE * has_nets, drawn, source),
        medians_by("convergence", TABLE, ("field", "element"), groups, MEASURES, source),
    ]


def error_against_h(
    fields: Mapping[str, tuple[Results, Results]],
    value: str = "l2_error",
    label: str = "L² error, whole domain",
    columns: int = 2,
    height: float = 2.3,
) -> Figure:
    """An error, or an estimate of it, against h, one panel per problem: a curve per element; the
    best net as a horizontal line, and the range of all nets shaded."""
    panels = [
        Panel(
            problem,
            "mesh size h, finer to the right",
            [_curve(fem, name, value) for name in fem.distinct("element")[:MOST_ELEMENTS]],
            partial(_levels, nets=nets),
        )
        for problem, (fem, nets) in fields.items()
    ]
    return draw_panels(panels, label, columns=columns, height=height)


def _curve(fem: Results, element: str, value: str) -> Curve:
    rows = fem.select("fem", element=element).sorted_by("n")
    first, keys = rows.records[0], [[r.key] for r in rows]
    title, end, style = element_title(first), element_short(first), {"markersize": 3}
    return Curve(title, element_look(element), rows.value("h"), rows.value(value), keys, style, end)


def _levels(axes: Axes, nets: Results) -> None:
    """The best and the worst net by the median over seeds, across the whole panel."""
    axes.xaxis.set_inverted(True)
    groups = dict(sorted(grouped_by(nets, lambda record: net_name(record.config)).items()))
    levels = {name: group.median() for name, group in groups.items()}
    known = {name: level for name, level in levels.items() if level and isfinite(level)}
    if not known:
        return
    best = min(known, key=lambda name: known[name])
    key, level = net_method(groups[best].records[0].config), known[best]
    axes.axhspan(level, max(known.values()), color=look(key).color, alpha=0.12, lw=0)
    axes.axhline(level, color=look(key).color, lw=1.5)
    place = {"xycoords": axes.get_yaxis_transform(), "xytext": (0, 6), "ha": "right"}
    name_series(axes, (0.99, level), f"best net: {best}", key, **place)


def _name(record: StoredResult) -> str:
    shown = competitor(record)
    return shown.series if shown else str(record.config["element"])


def uniform(results: Results, problem: str) -> Results:
    """Best approximations whose h says how fine the mesh is, with an error."""
    fem = results.select("fem", problem=problem, solve=False, grading=None, order=None)
    plain = [r for r in fem if not r.config["layers"] and not r.config["refine"]]
    return Results([r for r in plain if r.values.get("l2_error")])


def papers_nets(run: Run, problem: str) -> Results:
    """The nets that are trained as in the paper, by steepest descent on all inputs."""
    nets = run.results_of("training")
    return nets.select("net", problem=problem, features="x,f,phi", optimizer="steepest")


def _finest(name: str) -> Callable[[Results], Value]:
    """A value on the finest mesh."""
    return lambda meshes: meshes.value(name)[-1]


def _rate(name: str) -> Callable[[Results], Value]:
    """The rate between the two finest meshes, where both have the error."""

    def rate(meshes: Results) -> Value:
        last = [record.values for record in meshes.records[-2:]]
        known = len(last) == 2 and all(name in values for values in last)
        return observed_rate(last[0], last[1], name) if known else None

    return rate


MEASURES: list[Measure] = [
    ("meshes", "count", len),
    ("finest n", "count", _finest("n")),
    ("unknowns", "count", _finest("dofs")),
    ("L² error, whole domain", "error", _finest("l2_error")),
    ("rate", "rate", _rate("l2_error")),
    ("H(curl) error, whole domain", "error", _finest("hcurl_error")),
    ("rate ", "rate", _rate("hcurl_error")),
    ("time", "seconds", _finest("seconds")),
]
