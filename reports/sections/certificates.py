"""Errors bounded without the solution: how far certificates are from true errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from bench.claims.certified import ratio, violated
from bench.claims.facts.certificates import by_method
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph, Picture, Value
from reports.figures.curves import Axes, Curve, Figure, Panel, draw_panels
from reports.tables import Measure, grouped, known_median, medians_by

TITLE = "Errors certified without the solution"
ORDER = 58.5
TITLES = {"trained": "trained nets", "untrained": "untrained nets", "elements": "elements"}
LOOKS = {
    "trained nets": "net/resnet",
    "untrained nets": "untrained net/untrained",
    "elements": "finite element/N0",
}
REFUSED = "no digit certified"
BOUNDS = {"own_l2_bound": "own residuals or recovery", "l2_bound": "best bound"}
TEXT = (
    "A certificate bounds the error of a field from f, φ, ρ and the boundary data alone, never "
    "from u. Nets are bounded by their own residuals, elements on bricks by fluxes of one order "
    "more; both and all other elements also by their distance from a p- or hp-solution that has a "
    "certificate itself. Here u is known, so that every bound can be compared with the true error "
    "([[certificates-bounds]]). A digit is certified where the bound is proved and "
    "that of the relative error is below 1."
)
CAPTION = (
    "Bound of the L² error against the true L² error, on the whole domain, one mark per field; "
    "on the line both are equal, and a mark below it would refute a bound. Left: by the "
    "field's own residuals, or recovered fluxes; right: the best bound. Crosses: no digit is "
    "certified."
)
TABLE = (
    "Certificates by field and methods: medians of the true L² error on the whole domain, of "
    "its certified bound and of their ratios; fields of which no digit is certified, and "
    "bounds below the true error."
)


def contents(run: Run) -> list[Block]:
    records = [r for study in ("solve", "reentrant") for r in run.results_of(study)]
    methods = titled(Results(records))
    rows = {
        (problem, label): group
        for label, found in methods.items()
        for (problem,), group in grouped(Results(found), "problem").items()
    }
    source = run.made_by(Results([r for group in methods.values() for r in group]))
    draw = partial(bounds_against_errors, methods)
    ordered = dict(sorted(rows.items()))
    return [
        Paragraph(TEXT),
        Picture("certificates-bounds", CAPTION, draw, source),
        medians_by("certificates-table", TABLE, HEADS, ordered, MEASURES, source),
    ]


def titled(results: Results) -> dict[str, list[StoredResult]]:
    """Fields with bounds, by the title of their method."""
    return {TITLES[name]: group for name, group in by_method(results).items()}


def bounds_against_errors(methods: Mapping[str, Sequence[StoredResult]]) -> Figure:
    """One panel per bound, true errors below, the diagonal that no mark may fall under."""
    errors = [r.values["l2_error"] for records in methods.values() for r in records]
    ends = [min(errors) / 2, max(errors) * 2]

    refused = [r for group in methods.values() for r in group if not r.values["certified"]]
    able = {label: [r for r in group if r.values["certified"]] for label, group in methods.items()}

    def diagonal(axes: Axes, bound: str) -> None:
        axes.plot(ends, ends, color="0.5", lw=0.8)
        marks = _marks(REFUSED, refused, bound)
        axes.plot(marks.x, marks.y, "x", color="0.6", ms=3, mew=0.5, label=REFUSED, zorder=1)

    panels = [
        Panel(
            title,
            "true L² error, whole domain",
            [_marks(label, records, bound) for label, records in able.items()],
            partial(diagonal, bound=bound),
        )
        for bound, title in BOUNDS.items()
    ]
    label = "bound of the L² error, whole domain"
    return draw_panels(panels, label, height=3, share="xy", legend=4)


def _marks(label: str, records: Sequence[StoredResult], bound: str) -> Curve:
    shown = [r for r in records if r.values.get(bound) is not None]
    x, y = ([r.values[name] for r in shown] for name in ("l2_error", bound))
    style = {"linestyle": "", "markersize": 3}
    return Curve(label, LOOKS.get(label, ""), x, y, [[r.key] for r in shown], style)


def _ratio(group: Results, bound: str) -> Value:
    """The median of bound over error, where there is such a bound."""
    return known_median(ratio(record, bound) for record in group)


HEADS = ("field", "methods")
MEASURES: list[Measure] = [
    ("fields", "count", len),
    ("true L² error, whole domain", "error", "l2_error"),
    ("certified bound", "error", "l2_bound"),
    ("bound over error", "ratio", partial(_ratio, bound="l2_bound")),
    ("own bound over error", "ratio", partial(_ratio, bound="own_l2_bound")),
    ("no digit certified", "count", lambda group: sum(not r.values["certified"] for r in group)),
    ("violated", "count", lambda group: len(violated(list(group)))),
]
