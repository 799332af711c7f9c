"""Nets given the equation by what of them is trained: everything, the hidden weights, nothing."""

from __future__ import annotations

from bench.cells import competitor_of
from bench.methods.competitor import NETS
from bench.store.results import Results, StoredResult
from reports.context import Run
from reports.document import Block, Paragraph
from reports.tables import SEEDS, Measure, grouped, medians_by

TITLE = "Trained, partly trained and untrained nets"
ORDER = 57.5
TEXT = (
    "A net is *trained* if all of its weights are, *partly trained* if the output weights are "
    "eliminated at every step (variable projection), and *untrained* if its hidden weights are "
    "drawn at random and one linear least-squares problem gives the output weights. At a singular "
    "edge, whose place is given as it is to graded meshes, the features of untrained nets are "
    "functions of (log R, θ, x₃) in windows, R the distance from the edge and θ the angle. Seconds "
    "include the choice of the scale of the hidden weights, which does not use the field "
    "([[kinds-of-nets]])."
)
KINDS = ("solved_net", "untrained_net")


def contents(run: Run) -> list[Block]:
    results = run.results_of("solve")
    if not len(results.select("untrained_net")):
        return []
    nets = Results([r for kind in KINDS for r in results.select(kind) if r.values.get("l2_error")])
    by_kind = {
        (str(problem), kind, title): Results(group)
        for (problem,), found in grouped(nets, "problem").items()
        for (kind, title), group in _named(found).items()
    }
    best: dict[tuple[str, str], tuple[str, str, str]] = {}
    for key, group in by_kind.items():
        kept = best.get(key[:2])
        if kept is None or min(group.errors()) < min(by_kind[kept].errors()):
            best[key[:2]] = key
    measures: list[Measure] = [
        SEEDS,
        ("L² error, whole domain", "error", "l2_error"),
        ("error of the curl, whole domain", "error", "curl_error"),
        ("seconds", "seconds", "seconds"),
    ]
    caption = (
        "The net with the smallest L² error of each kind on each field, given the equation and "
        "boundary data; errors on the whole domain, medians over seeds."
    )
    rows = {key: by_kind[key] for key in best.values()}
    source = run.source("solve", nets)
    table = medians_by("kinds-of-nets", caption, ("field", "kind", "net"), rows, measures, source)
    return [Paragraph(TEXT), table]


def _named(found: Results) -> dict[tuple[str, str], list[StoredResult]]:
    """The results by what is trained, and by title."""
    groups: dict[tuple[str, str], list[StoredResult]] = {}
    for record in found:
        shown = competitor_of(record.kind, record.config, record.values)
        if shown is not None:
            groups.setdefault((NETS[shown.family], shown.title), []).append(record)
    return groups
