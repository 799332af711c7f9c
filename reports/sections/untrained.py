"""Nets given the equation by what of them is trained: everything, the hidden weights, nothing."""

from __future__ import annotations

from bench.methods.competitor import NETS
from bench.store.results import Results, StoredResult, competitor
from reports.context import Run
from reports.document import Block, Paragraph
from reports.tables import SEEDS, Measure, grouped_by, medians_by

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
    found = [r for kind in KINDS for r in results.select(kind) if r.values.get("l2_error")]
    nets = Results([record for record in found if competitor(record)])
    by_kind = grouped_by(sorted(nets, key=lambda r: str(r.config["problem"])), _named)
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


def _named(record: StoredResult) -> tuple[str, str, str]:
    """The field of a net, what of it is trained, and its title."""
    shown = competitor(record)
    assert shown is not None
    return str(record.config["problem"]), NETS[shown.family], shown.title
